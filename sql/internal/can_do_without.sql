-- Whether a hybrid search may answer without a leg that cannot be asked.
create or replace function rag_internal.can_do_without(
    leg     text,
    request rag_internal.search_request,
    scope   rag_internal.scope
) returns boolean
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
begin
    -- a model that is missing is a fault; collections without one were made so, and those whose
    -- vectors come with the calls
    return coalesce((request).allow_degraded, false)
        or (leg = 'semantic'
            and not exists (
                select from rag_internal.collection k
                join rag_internal.model m using (model_id)
                where k.collection_id = any (coalesce(
                        (scope).collection_ids,
                        (select s.collection_ids from rag_internal.sight(scope) s)))
                  and m.provider <> 'external'));
end
$$;

comment on function rag_internal.can_do_without(text, rag_internal.search_request,
    rag_internal.scope) is
    'True where the caller allows it, and for the semantic leg where no collection has a model '
    'that could be asked.';
alter function rag_internal.can_do_without(text, rag_internal.search_request, rag_internal.scope)
    owner to rag_owner;
revoke all on function rag_internal.can_do_without(text, rag_internal.search_request,
    rag_internal.scope) from public;
