-- Gives a document its entry in the lexical index, in place of the one it had. Entries start in
-- pending, where they are found at once.
create or replace function rag_internal.index_document(document_id uuid) returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _entry_id bigint;
begin
    if not exists (select from rag_internal.document d
                   where d.document_id = index_document.document_id) then
        delete from rag_internal.indexed_document i
        where i.document_id = index_document.document_id;
        return;
    end if;
    insert into rag_internal.indexed_document as i (document_id)
    values (index_document.document_id)
    on conflict on constraint indexed_document_pkey do update set entry_id = excluded.entry_id
    returning i.entry_id into _entry_id;

    insert into rag_internal.pending
        (entry_id, first_index, document_id, collection_id, acl_id, text_config, valid_from,
         valid_until, passages, lengths, lexemes, frequencies, surfaces)
    select _entry_id, min(p.chunk_index), d.document_id, d.collection_id, d.acl_id, d.text_config,
           v.starts, v.ends, count(*), string_agg(int4send(p.length), ''),
           string_agg(p.lexemes, ''), string_agg(p.frequencies, ''), string_agg(p.surfaces, '')
    from rag_internal.document d
    cross join lateral rag_internal.indexed_validity(d.status, d.valid_from, d.valid_until) v
    cross join lateral (
        select c.chunk_index, l.length, l.frequencies,
               rag_internal.pack_terms(tsvector_to_array(c.tsv)) as lexemes,
               rag_internal.pack_terms(tsvector_to_array(rag_internal.surface_forms(
                   rag_internal.surface_text(d.title, c.heading, c.content)))) as surfaces
        from rag_internal.chunk c
        cross join lateral (
            select coalesce(sum(cardinality(t.positions)), 0)::integer as length,
                   coalesce(string_agg(set_byte('\x00', 0, least(cardinality(t.positions), 255)),
                                       ''), '') as frequencies
            from unnest(c.tsv) t) l
        where c.document_id = d.document_id
        order by c.chunk_index) p
    where d.document_id = index_document.document_id
    group by d.document_id, v.starts, v.ends, p.chunk_index / 4096;
end
$$;

comment on function rag_internal.index_document(uuid) is
    'A new entry of a document, in rag_internal.pending; none where there is no such document.';
alter function rag_internal.index_document(uuid) owner to rag_owner;
revoke all on function rag_internal.index_document(uuid) from public;
