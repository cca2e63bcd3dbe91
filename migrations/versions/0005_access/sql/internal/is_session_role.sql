-- Whether a role is the one that the session has taken, so that settings are its own. In a function
-- of somebody else's that runs with its owner's rights, and in the upkeep of somebody else's table,
-- it is another: what the session has set says nothing of who asks there. This only ever takes
-- rights away.
create or replace function rag_internal.is_session_role(who name) returns boolean
language sql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
    select who = case current_setting('role') when 'none' then session_user
                                              else current_setting('role')::name end
$$;

comment on function rag_internal.is_session_role(name) is
    'Whether the settings of the session are this role''s.';
alter function rag_internal.is_session_role(name) owner to rag_owner;
revoke all on function rag_internal.is_session_role(name) from public;
