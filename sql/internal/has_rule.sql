-- Whether what is said of a role holds for another one: for itself, and for who has usage of it. A
-- superuser has usage of all, so only its own holds for it.
create or replace function rag_internal.has_rule(who name, role text) returns boolean
language sql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
    select coalesce(who = role, false)
        or exists (select from pg_roles w, pg_roles r
                   where w.rolname = who and not w.rolsuper and r.rolname = role
                     and pg_has_role(w.oid, r.oid, 'usage'))
$$;

comment on function rag_internal.has_rule(name, text) is
    'Whether who is the role or has usage of it, superusers apart; false for null.';
alter function rag_internal.has_rule(name, text) owner to rag_owner;
revoke all on function rag_internal.has_rule(name, text) from public;
