-- Registers a reranker, or changes a registered one.
create or replace function rag.add_reranker(
    name     text,
    provider text  default 'fastembed',
    options  jsonb default '{}'
) returns text
language sql volatile parallel unsafe
begin atomic
    select rag_internal.add_reranker(c.who, c.ticket, add_reranker.name, add_reranker.provider,
                                     add_reranker.options)
    from rag_internal.caller c;
end;

comment on function rag.add_reranker(text, text, jsonb) is
    'Registers a reranker (rag_admin only); idempotent, and what options leave out stays. '
    'provider: fastembed (in the server, from files in its folder of models, or in the embedder), '
    'http (endpoints of the Jina, Cohere or TEI kind). Options: revision, max_tokens (window of '
    'question and passage together; null: the tokenizer says), is_default (the first one is), '
    'scores (logit, probability), endpoints (in order of preference: url, model, key_variable, '
    'style jina, cohere or tei, timeout). A host or key variable that is not allowed is 42501.';
alter function rag.add_reranker(text, text, jsonb) owner to rag_owner;
revoke all on function rag.add_reranker(text, text, jsonb) from public;
grant execute on function rag.add_reranker(text, text, jsonb) to rag_admin;
