-- Whether passages in scope wait for their vector: a search by meaning cannot find them yet.
create or replace function rag_internal.lacks_vectors(scope rag_internal.scope) returns boolean
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
begin
    -- as a rule nothing waits at all
    return exists (select from rag_internal.embedding_task)
       and rag_internal.sees_waiting(scope, rag_internal.live_passages(
               scope,
               case when not ((scope).identity).sees_everything then '{acls}' end,
               true));
end
$$;

comment on function rag_internal.lacks_vectors(rag_internal.scope) is
    'Whether a passage in scope, which the caller can see, has no vector yet, or none for good, '
    'under the model that its collection is searched by.';
alter function rag_internal.lacks_vectors(rag_internal.scope) owner to rag_owner;
revoke all on function rag_internal.lacks_vectors(rag_internal.scope) from public;
