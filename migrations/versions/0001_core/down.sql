-- Removes all that up.sql and sql/ made, documents too; the roles stay, since other databases of
-- the cluster may use them. The table of versions is the migration's own.
drop schema rag cascade;
do $$
declare
    _object record;
begin
    for _object in
        select format('drop function if exists %s cascade', p.oid::regprocedure) as statement
        from pg_catalog.pg_proc p where p.pronamespace = 'rag_internal'::regnamespace
        union all
        select format('drop %s if exists %s cascade',
                      case c.relkind when 'v' then 'view' when 'c' then 'type' else 'table' end,
                      c.oid::regclass)
        from pg_catalog.pg_class c
        where c.relnamespace = 'rag_internal'::regnamespace
          and c.relkind in ('r', 'p', 'v', 'c') and not c.relispartition
          and c.relname not in ('alembic_version', 'created_extension')
    loop
        execute _object.statement;
    end loop;
end
$$;
revoke usage, create on schema rag_internal from rag_owner;
revoke usage on schema @extschema:vector@, @extschema:pg_trgm@ from rag_owner, rag_reader;
