-- Registers an embedding model, or changes what may be changed about a registered one.
create or replace function rag.add_model(
    name       text,
    provider   text default 'fastembed',
    dimensions integer default 384,
    options    jsonb default '{}'
) returns text
language sql volatile parallel unsafe
begin atomic
    select rag_internal.add_model(c.who, c.ticket, add_model.name, add_model.provider,
                                  add_model.dimensions, add_model.options)
    from rag_internal.caller c;
end;

comment on function rag.add_model(text, text, integer, jsonb) is
    'Registers an embedding model (rag_admin only); idempotent, and what options leave out stays. '
    'provider: fastembed (in the server), openai (any endpoint of that kind), external (vectors '
    'come with the calls). Options: revision, metric (cosine, l2, inner_product), query_prefix, '
    'passage_prefix, max_tokens (window, special tokens included; null: unknown), is_default, '
    'endpoints (where openai is reached, in order of preference), storage (halfvec, vector), '
    'quantization (none, binary), m, ef_construction, ef_search, memory_efficient (8, '
    '128, 200 for 16, 128, 100), long_input (average, error). Other dimensions than registered are '
    '22023; another provider, revision, passage_prefix, metric or storage of a model in use '
    '55000; a host or key variable that is not allowed 42501. Another m, ef_construction or '
    'quantization builds the index anew at once.';
alter function rag.add_model(text, text, integer, jsonb) owner to rag_owner;
revoke all on function rag.add_model(text, text, integer, jsonb) from public;
grant execute on function rag.add_model(text, text, integer, jsonb) to rag_admin;
