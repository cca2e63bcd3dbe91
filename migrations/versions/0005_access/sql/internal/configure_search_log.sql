-- Says what is recorded of searches, and for how long.
create or replace function rag_internal.configure_search_log(
    who    name,
    ticket bytea,
    mode   text,
    days   integer
) returns void
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
begin
    perform rag_internal.require_admin(rag_internal.authenticate(who, ticket),
                                       'say what is recorded of searches');
    if mode not in ('hash', 'text', 'off') or days < 1 then
        raise exception using
            errcode = '22023',
            message = 'mode is not hash, text or off, or days is less than 1',
            hint    = 'Null keeps what is configured.';
    end if;
    update rag_internal.search_log_setting s
    set mode = coalesce(configure_search_log.mode, s.mode),
        days = coalesce(configure_search_log.days, s.days);
end
$$;

comment on function rag_internal.configure_search_log(name, bytea, text, integer) is
    'See rag.configure_search_log.';
alter function rag_internal.configure_search_log(name, bytea, text, integer) owner to rag_owner;
revoke all on function rag_internal.configure_search_log(name, bytea, text, integer) from public;
grant execute on function rag_internal.configure_search_log(name, bytea, text,
    integer) to rag_admin;
