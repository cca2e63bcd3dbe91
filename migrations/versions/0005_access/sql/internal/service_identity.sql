-- The user that a trusted service asks for, as its settings say.
create or replace function rag_internal.service_identity(
    who       name,
    user_name text,
    groups    text
) returns rag_internal.identity
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _identity rag_internal.identity;
    _clearance text := coalesce(nullif(current_setting('rag.clearance', true), ''), '0');
    _groups text[];
begin
    if _clearance !~ '^\d{1,5}$' or _clearance::integer > 32767 then
        raise exception using
            errcode = '28000',
            message = 'the setting rag.clearance is no number from 0 to 32767',
            hint    = 'set local rag.clearance = ''2'';';
    end if;
    begin
        _groups := case when groups like '{%' then groups::text[]
                        else array(select btrim(g) from unnest(string_to_array(groups, ',')) g
                                   where btrim(g) <> '') end;
    exception when invalid_text_representation then
        raise exception using
            errcode = '28000',
            message = 'the setting rag.groups is no list of groups',
            hint    = 'set local rag.groups = ''support, sales'';  -- or an array: {support,sales}';
    end;
    _identity.who := who;
    _identity.tenant := coalesce(current_setting('rag.tenant', true), '');
    _identity.clearance := _clearance::smallint;
    _identity.sees_everything := false;
    _identity.source := 'trusted service';
    _identity.reader := 'user:' || user_name;
    _identity.why := format('%s has usage of rag_service and asks for %s', who,
                            coalesce('user ' || user_name, 'groups alone'));
    _identity.principal_ids := rag_internal.user_principals(user_name, _groups, _identity.tenant);
    return _identity;
end
$$;

comment on function rag_internal.service_identity(name, text, text) is
    'The identity of rag.user and rag.groups (names with commas between them, or an array), with '
    'rag.tenant and rag.clearance; 28000 for values that are none.';
alter function rag_internal.service_identity(name, text, text) owner to rag_owner;
revoke all on function rag_internal.service_identity(name, text, text) from public;
