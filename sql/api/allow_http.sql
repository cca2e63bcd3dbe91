-- Says which hosts the server may call, and which variables of its environment are keys for them:
-- a superuser's decision, since calls go out as the server's user.
create or replace function rag.allow_http(hosts text[], key_variables text[] default '{}')
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _problem text;
begin
    if not (select r.rolsuper from pg_roles r where r.rolname = current_user) then
        raise exception using
            errcode = '42501',
            message = 'only a superuser may say which hosts the server calls',
            hint    = 'Ask whoever runs the server.';
    end if;
    _problem := case
        when hosts is null or key_variables is null then 'hosts or key_variables is null'
        when exists (select from unnest(hosts) h
                     where h is null or h !~ '^(unix:/[^\s,]+|(?!unix:)[^\s,/*@]+)$')
            then 'hosts are names without scheme, path, blank and wildcard, or unix:/path'
        when exists (select from unnest(key_variables) v
                     where v is null or v !~ '^[A-Za-z_][A-Za-z0-9_]*$')
            then 'key_variables are names of environment variables' end;
    if _problem is not null then
        raise exception using
            errcode = '22023',
            message = _problem,
            hint    = 'As in rag.allow_http(''{api.openai.com, 127.0.0.1:11434}'', '
                      '''{OPENAI_API_KEY}''); an empty list of hosts allows none.';
    end if;
    delete from rag_internal.setting s where s.name in ('http_hosts', 'http_key_variables');
    insert into rag_internal.setting (name, value)
    select n.name, array_to_string(n.list, ',')
    from (values ('http_hosts', hosts), ('http_key_variables', key_variables)) n (name, list)
    where cardinality(n.list) > 0;
end
$$;

comment on function rag.allow_http(text[], text[]) is
    'Replaces the list of hosts (host, host:port, unix:/path) that models of provider openai may '
    'be reached at, and of the environment variables of the server that may be sent to them as '
    'keys. Superusers only; empty lists switch calls off. Counts at once, in all sessions.';
alter function rag.allow_http(text[], text[]) owner to rag_owner;
revoke all on function rag.allow_http(text[], text[]) from public;
grant execute on function rag.allow_http(text[], text[]) to rag_admin;
