-- Refuses a security level that no clearance could match.
create or replace function rag_internal.check_security_level(security_level integer) returns void
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    if security_level not between 0 and 32767 then
        raise exception using
            errcode = '22023',
            message = format('security_level is %s, but must be 0 to 32767', security_level),
            hint    = '0 is for everybody who is a reader; above it, readers need that clearance.';
    end if;
end
$$;

comment on function rag_internal.check_security_level(integer) is '22023 where out of range.';
alter function rag_internal.check_security_level(integer) owner to rag_owner;
revoke all on function rag_internal.check_security_level(integer) from public;
