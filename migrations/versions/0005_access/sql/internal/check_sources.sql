-- Refuses collections that the identity's tenant may not search or ingest into. Asked by name,
-- before anybody looks whether there is such a collection.
create or replace function rag_internal.check_sources(
    identity rag_internal.identity,
    names    text[],
    action   text,
    is_real  boolean default false
) returns void
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _denied text;
begin
    if (identity).sees_everything
       or not exists (select from rag_internal.restricted_tenant r
                      where r.tenant = (identity).tenant) then
        return;
    end if;
    select n into _denied
    from unnest(names) n
    where (is_real or n !~ '(^|/)(role|user|group):.*/')
      and not exists (select from rag_internal.allowed_source s
                      where s.tenant = (identity).tenant
                        and s.collection = n
                        and case action when 'search' then s.may_search else s.may_ingest end)
    limit 1;
    if found then
        raise exception using
            errcode = '42501',
            message = format('your tenant may not %s collection "%s"',
                             case action when 'search' then 'search' else 'ingest into' end,
                             _denied),
            hint    = 'rag_admin can allow it: rag.allow_source(...).';
    end if;
end
$$;

comment on function rag_internal.check_sources(rag_internal.identity, text[], text, boolean) is
    '42501 naming the first collection that a restricted tenant is not allowed for action, search '
    'or ingest. OWNER/NAME passes, to be asked again, with is_real, by the name that it means.';
alter function rag_internal.check_sources(rag_internal.identity, text[], text,
    boolean) owner to rag_owner;
revoke all on function rag_internal.check_sources(rag_internal.identity, text[], text,
    boolean) from public;
