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
    'Registers an embedding model (rag_admin only); idempotent. Options: revision, metric (cosine, '
    'l2, inner_product), query_prefix, passage_prefix, max_tokens (window, special tokens '
    'included), is_default. Other dimensions than registered are 22023, another revision of a '
    'model in use is 55000.';
alter function rag.add_model(text, text, integer, jsonb) owner to rag_owner;
revoke all on function rag.add_model(text, text, integer, jsonb) from public;
grant execute on function rag.add_model(text, text, integer, jsonb) to rag_admin;
