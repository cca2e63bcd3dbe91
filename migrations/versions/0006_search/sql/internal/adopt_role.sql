-- Gives what was granted to a role of this name to the role that has the name today: after a
-- restore into another cluster, or when a role was dropped and made again and is to inherit.
create or replace function rag_internal.adopt_role(who name, ticket bytea, role text)
returns integer
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _today bigint;
    _earlier bigint[];
begin
    if not (rag_internal.authenticate(who, ticket)).sees_everything then
        raise exception using
            errcode = '42501',
            message = 'only rag_admin may let a role inherit',
            hint    = 'Ask an administrator.';
    end if;
    _today := rag_internal.principal_for('role:' || adopt_role.role, '');
    _earlier := array(
        select p.principal_id from rag_internal.principal p
        where p.kind = 'role' and p.name = adopt_role.role and p.principal_id <> _today);

    insert into rag_internal.acl_reader (principal_id, acl_id)
    select distinct _today, ar.acl_id from rag_internal.acl_reader ar
    where ar.principal_id = any (_earlier)
    on conflict do nothing;
    delete from rag_internal.acl_reader ar where ar.principal_id = any (_earlier);
    begin
        update rag_internal.collection k set owner_id = _today where k.owner_id = any (_earlier);
    exception when unique_violation then
        raise exception using
            errcode = '42710',
            message = format('role "%s" has collections of the same name as before',
                             adopt_role.role),
            hint    = 'rag.rename_collection one of each pair first.';
    end;
    begin
        update rag_internal.dataset d set owner_id = _today where d.owner_id = any (_earlier);
    exception when unique_violation then
        raise exception using
            errcode = '42710',
            message = format('role "%s" has datasets of the same name as before', adopt_role.role),
            hint    = 'rag.drop_dataset one of each pair first.';
    end;
    insert into rag_internal.collection_writer (collection_id, principal_id)
    select distinct w.collection_id, _today from rag_internal.collection_writer w
    where w.principal_id = any (_earlier)
    on conflict do nothing;
    delete from rag_internal.collection_writer w where w.principal_id = any (_earlier);
    insert into rag_internal.unredacted_reader (collection_id, principal_id)
    select distinct u.collection_id, _today from rag_internal.unredacted_reader u
    where u.principal_id = any (_earlier)
    on conflict do nothing;
    delete from rag_internal.unredacted_reader u where u.principal_id = any (_earlier);
    update rag_internal.role_rule r
    set role_oid = p.role_oid
    from rag_internal.principal p
    where p.principal_id = _today and r.name = p.name;
    delete from rag_internal.principal p where p.principal_id = any (_earlier);
    -- so that the same readers find their class again; where there is one by now, both stay
    update rag_internal.acl a
    set reader_set = n.reader_set
    from (select distinct on (reader_set) s.acl_id, s.reader_set
          from (select ar.acl_id, rag_internal.reader_set(array_agg(ar.principal_id)) as reader_set
                from rag_internal.acl_reader ar
                where ar.acl_id in (select o.acl_id from rag_internal.acl_reader o
                                    where o.principal_id = _today)
                group by ar.acl_id) s) n
    where a.acl_id = n.acl_id and a.reader_set <> n.reader_set
      and not exists (select from rag_internal.acl o
                      where o.reader_set = n.reader_set and o.tenant = a.tenant
                        and o.security_level = a.security_level);
    update rag_internal.ingest_log l
    set role_oid = p.role_oid
    from rag_internal.principal p
    where p.principal_id = _today and l.user_name = p.name and l.role_oid <> p.role_oid;
    update rag_internal.job j
    set role_oid = p.role_oid
    from rag_internal.principal p
    where p.principal_id = _today and j.created_by = p.name and j.role_oid <> p.role_oid;
    return cardinality(_earlier);
end
$$;

comment on function rag_internal.adopt_role(name, bytea, text) is 'See rag.adopt_role.';
alter function rag_internal.adopt_role(name, bytea, text) owner to rag_owner;
revoke all on function rag_internal.adopt_role(name, bytea, text) from public;
grant execute on function rag_internal.adopt_role(name, bytea, text) to rag_admin;
