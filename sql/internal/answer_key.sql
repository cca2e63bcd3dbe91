-- What a kept answer depends on, but for the question itself.
create or replace function rag_internal.answer_key(
    request rag_internal.search_request,
    scope   rag_internal.scope
) returns bytea
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _identity rag_internal.identity := (scope).identity;
    _request rag_internal.search_request := request;
begin
    _request.query := null;
    return sha256(convert_to(jsonb_build_array(
        -- who asks: the same passages in sight are not enough
        _identity.who, _identity.source, _identity.tenant, _identity.reader,
        encode(rag_internal.seen_name(scope), 'hex'),
        -- what there is
        (select sum(a.stamp) from rag_internal.access_change a),
        (select jsonb_agg(jsonb_build_array(
                    to_jsonb(k), to_jsonb(m),
                    (select sum(c.stamp) from rag_internal.content_change c
                     where c.collection_id = k.collection_id)) order by k.collection_id)
         from rag_internal.collection k
         left join rag_internal.model m using (model_id)
         where k.collection_id = any (
             (select g.collection_ids from rag_internal.sight(scope) g)::bigint[])),
        (select jsonb_agg(to_jsonb(r) order by r.name) from rag_internal.reranker r),
        -- how it is asked for
        to_jsonb(_request))::text, 'UTF8'));
end
$$;

comment on function rag_internal.answer_key(rag_internal.search_request, rag_internal.scope) is
    'SHA-256 of the identity, of what it sees of the scope, of the stamps of access and content, '
    'of the models, and of a completed request without its query.';
alter function rag_internal.answer_key(rag_internal.search_request, rag_internal.scope) owner to
    rag_owner;
revoke all on function rag_internal.answer_key(rag_internal.search_request, rag_internal.scope) from
    public;
