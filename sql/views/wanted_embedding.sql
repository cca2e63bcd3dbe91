-- The vectors that there should be: of each passage, under the model that its collection is
-- searched by and under those it keeps besides.
create or replace view rag_internal.wanted_embedding with (security_invoker = true) as
select m.model_id, m.provider, m.revision, c.chunk_id, d.document_id, c.chunk_index,
       d.collection_id, d.acl_id, k.owner_id, coalesce(c.embed_text, c.content) as content
from rag_internal.collection k
join lateral (
    select k.model_id where k.model_id is not null
    union
    select n.model_id from rag_internal.collection_model n
    where n.collection_id = k.collection_id) kept on true
join rag_internal.model m on m.model_id = kept.model_id
join rag_internal.document d on d.collection_id = k.collection_id
join rag_internal.chunk c on c.document_id = d.document_id
where c.value is null or k.min_value is null or c.value >= k.min_value;

comment on view rag_internal.wanted_embedding is
    'A row for each passage and model that should have a vector; passages below the min_value of '
    'their collection have none.';
alter view rag_internal.wanted_embedding owner to rag_owner;
