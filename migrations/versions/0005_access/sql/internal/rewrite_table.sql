-- Writes a table and its indexes into new files: what was deleted or replaced stays behind in the
-- old ones, and goes with them. CLUSTER does that in a transaction, which VACUUM FULL cannot; it
-- needs a plain index. That it was used is not remembered, so that the schema stays as it is.
create or replace function rag_internal.rewrite_table(name name) returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _table text := format('rag_internal.%I', name);
    _index name;
    _made boolean := false;
    _workers text := current_setting('max_parallel_maintenance_workers');
begin
    -- whatever waits behind a lock that this one waits for, searches included, waits as long
    perform set_config('lock_timeout', '5s', true);
    execute format('lock table %s in access exclusive mode', _table);
    select c.relname into _index
    from pg_index i
    join pg_class c on c.oid = i.indexrelid
    join pg_am m on m.oid = c.relam
    where i.indrelid = _table::regclass and m.amname = 'btree' and i.indisvalid
      and i.indpred is null
    order by i.indisprimary desc, i.indexprs is null desc, c.relname
    limit 1;
    if not found then
        _made := true;
        _index := 'rewritten';
        execute format('create index %I on %s (%I)', _index, _table,
                       (select a.attname from pg_attribute a
                        where a.attrelid = _table::regclass and a.attnum > 0
                          and not a.attisdropped
                        order by a.attlen < 0, a.attnum
                        limit 1));
    end if;
    begin
        execute format('cluster %s using %I', _table, _index);
    exception when disk_full or out_of_memory then
        -- see rag_internal.build_vector_index
        if _workers::integer = 0 then
            raise;
        end if;
        perform set_config('max_parallel_maintenance_workers', '0', true);
        execute format('cluster %s using %I', _table, _index);
        perform set_config('max_parallel_maintenance_workers', _workers, true);
    end;
    execute format('alter table %s set without cluster', _table);
    if _made then
        execute format('drop index rag_internal.%I', _index);
    end if;
    execute format('analyze %s', _table);
exception when lock_not_available then
    raise exception using
        errcode = '55P03',
        message = format('table %s is in use: it could not be locked within 5 s', _table),
        detail  = (select 'Sessions that use it: '
                          || string_agg(distinct format('pid %s', l.pid), ', ') || '.'
                   from pg_locks l
                   where l.relation = _table::regclass and l.pid <> pg_backend_pid()),
        hint    = 'Let them end, then call rag.scrub() again: what is done is done, and doing it '
                  'again does no harm.';
end
$$;

comment on function rag_internal.rewrite_table(name) is
    'Rewrites and analyses a table of rag_internal; 55P03 where somebody uses it for 5 s.';
alter function rag_internal.rewrite_table(name) owner to rag_owner;
revoke all on function rag_internal.rewrite_table(name) from public;
