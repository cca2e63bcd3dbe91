-- A text search configuration that can be relied on: one that somebody else could drop or change
-- would break, or quietly empty, every search that meets the collection.
create or replace function rag_internal.canonical_text_config(config text) returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _canonical text;
begin
    if config is null then
        return null;
    end if;
    select case when n.nspname = 'pg_catalog' then c.cfgname
                else format('%I.%I', n.nspname, c.cfgname) end
    into _canonical
    from pg_ts_config c
    join pg_namespace n on n.oid = c.cfgnamespace
    join pg_roles r on r.oid = c.cfgowner
    where (r.rolsuper or r.rolname = 'rag_owner')
      and config in (format('%I.%I', n.nspname, c.cfgname),
                     case when n.nspname = 'pg_catalog' then c.cfgname end);
    if not found then
        raise exception using
            errcode = '42704',
            message = format('there is no text search configuration "%s" to rely on', config),
            hint    = 'One of pg_catalog by its name (simple, english, german, ...), or a '
                      'superuser''s by schema and name.';
    end if;
    return _canonical;
end
$$;

comment on function rag_internal.canonical_text_config(text) is
    'The name under which a configuration of pg_catalog, a superuser or rag_owner is found; 42704 '
    'for any other.';
alter function rag_internal.canonical_text_config(text) owner to rag_owner;
revoke all on function rag_internal.canonical_text_config(text) from public;
grant execute on function rag_internal.canonical_text_config(text) to rag_reader;
