-- Stores vectors that were made elsewhere, for the passages of one document.
create or replace function rag.set_embeddings(
    document_id  uuid,
    embeddings   @extschema:vector@.vector[],
    model        text  default null,
    content_hash bytea default null
) returns integer
language sql volatile parallel unsafe
begin atomic
    select rag_internal.set_embeddings(c.who, c.ticket, set_embeddings.document_id,
                                       set_embeddings.embeddings, set_embeddings.model,
                                       set_embeddings.content_hash)
    from rag_internal.caller c;
end;

comment on function rag.set_embeddings(uuid, @extschema:vector@.vector[], text, bytea) is
    'One vector for each passage in the order of rag.get_chunks (null: leave as it is), scaled to '
    'length 1, under a model that the collection keeps (null: the one it is searched by); how '
    'many were stored. content_hash: that of the document when its passages were read, 40001 '
    'where it is another by now. Other dimensions or counts are 22023.';
alter function rag.set_embeddings(uuid, @extschema:vector@.vector[], text,
    bytea) owner to rag_owner;
revoke all on function rag.set_embeddings(uuid, @extschema:vector@.vector[], text,
    bytea) from public;
grant execute on function rag.set_embeddings(uuid, @extschema:vector@.vector[], text,
    bytea) to rag_writer;
