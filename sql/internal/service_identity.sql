-- The user that a trusted service asks for, as its settings say. A service that is configured for a
-- tenant asks for users of that one alone.
create or replace function rag_internal.service_identity(
    who        name,
    own_tenant text,
    user_name  text,
    groups     text
) returns rag_internal.identity
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _identity rag_internal.identity;
    _tenant text := coalesce(nullif(current_setting('rag.tenant', true), ''), own_tenant);
    _clearance text := coalesce(nullif(current_setting('rag.clearance', true), ''), '0');
    _problem text;
    _hint text;
begin
    begin
        _identity.groups := case when groups like '{%' then groups::text[]
                                 else array(select btrim(g)
                                            from unnest(string_to_array(groups, ',')) g
                                            where btrim(g) <> '') end;
    exception when invalid_text_representation then
        _problem := 'the setting rag.groups is no list of groups';
        _hint := 'set local rag.groups = ''support, sales'';  -- or an array: {support,sales}';
    end;
    if _clearance !~ '^\d{1,5}$' or _clearance::integer > 32767 then
        _problem := 'the setting rag.clearance is no number from 0 to 32767';
        _hint := 'set local rag.clearance = ''2'';';
    elsif own_tenant <> '' and _tenant <> own_tenant then
        _problem := 'the setting rag.tenant names another tenant than that of the service';
        _hint := 'Leave it out, or ask an administrator: rag.configure_role(...).';
    elsif exists (select from unnest(_identity.groups || user_name || _tenant) n (name)
                  where length(n.name) > 200
                     or n.name ~ '[\u0001-\u001f\u007f-\u009f\u2028\u2029]') then
        _problem := 'a setting of rag.user, rag.groups and rag.tenant is no name';
        _hint := 'A name has at most 200 characters, and none that controls how text is shown.';
    end if;
    if _problem is not null then
        raise exception using errcode = '28000', message = _problem, hint = _hint;
    end if;

    _identity.who := who;
    _identity.tenant := _tenant;
    _identity.clearance := _clearance::smallint;
    _identity.sees_everything := false;
    _identity.source := 'trusted service';
    _identity.reader := 'user:' || user_name;
    _identity.why := format('%s has usage of rag_service and asks for %s', who,
                            coalesce('user ' || user_name, 'groups alone'));
    _identity.principal_ids := rag_internal.user_principals(user_name, _identity.groups, _tenant);
    return _identity;
end
$$;

comment on function rag_internal.service_identity(name, text, text, text) is
    'The identity of rag.user and rag.groups (names with commas between them, or an array), with '
    'rag.tenant (empty: own_tenant) and rag.clearance; 28000 for values that are none.';
alter function rag_internal.service_identity(name, text, text, text) owner to rag_owner;
revoke all on function rag_internal.service_identity(name, text, text, text) from public;
