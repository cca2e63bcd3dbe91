-- Back to one model for a collection, run by fastembed, and to ingests that embed in their own
-- transaction. What an older ragsql cannot keep is not thrown away: its models are dropped first.
do $$
declare
    _models text;
begin
    select string_agg(format('"%s"', m.name), ', ' order by m.name) into _models
    from rag_internal.model m
    where m.provider <> 'fastembed' or m.storage <> 'halfvec' or m.quantization <> 'none'
       or m.dimensions > 4000 or m.max_tokens is null;
    if _models is not null then
        raise exception using
            errcode = '55000',
            message = 'these models need what this downgrade removes: ' || _models,
            hint    = 'Drop them, and the collections that use them, with rag.drop_collection and '
                      'rag.drop_model; then downgrade.';
    end if;
    -- documents with passages that wait are embedded by their next ingest
    update rag_internal.document d
    set indexed_as = '{}'
    from rag_internal.chunk c
    join rag_internal.embedding_task t using (chunk_id)
    where c.document_id = d.document_id;
end
$$;
-- vectors of models that a collection is not searched by
delete from rag_internal.embedding e
using rag_internal.collection k
where k.collection_id = e.collection_id and k.model_id is distinct from e.model_id;

drop procedure rag.run_jobs(integer);
drop function rag.allow_http(text[], text[]);
drop function rag.bm25_search(text, text[], integer, jsonb, jsonpath, jsonb, integer);
drop function rag.cancel_job(bigint);
drop function rag.check_recall(text, integer);
drop function rag.claim_job(integer);
drop function rag.cosine_similarity(@extschema:vector@.vector, @extschema:vector@.vector);
drop function rag.drop_model(text);
drop function rag.embed_claimed(uuid);
drop function rag.fuzzy_search(text, text[], integer, jsonb, jsonpath, jsonb, integer);
drop function rag.ingest(text, text, text, text, text[], jsonb, text[], text, text, text,
    timestamptz, timestamptz, text, integer, integer, integer, text);
drop function rag.ingest_chunks(text, jsonb, text, text, text, text[], jsonb, text[], text, text,
    text, timestamptz, timestamptz, text);
drop function rag.ingest_many(text, jsonb, text);
drop function rag.model_progress(text, text);
drop function rag.prepare_model(text, text);
drop function rag.release_model(text, text);
drop function rag.retry_job(bigint);
drop function rag.search(text, text[], integer, text, jsonb, jsonpath, jsonb, jsonb, integer,
    integer, boolean, @extschema:vector@.vector);
drop function rag.semantic_search(text, text[], integer, jsonb, jsonpath, jsonb, integer,
    @extschema:vector@.vector);
drop function rag.set_embeddings(uuid, @extschema:vector@.vector[], text, bytea);
drop function rag.set_model(text, text, boolean);
drop function rag.similarity(double precision, text);
drop function rag.unload_model();
drop function rag.wait_for(bigint, interval);

drop view rag.job_status;
drop view rag.dead_letter;
drop view rag.model;
drop view rag_internal.wanted_embedding;
drop trigger derive_document on rag_internal.document;
drop trigger follow_title on rag_internal.document;
drop trigger resplit_document on rag_internal.document;
drop trigger follow_chunk on rag_internal.chunk;

drop function rag_internal.add_embedding_partition(rag_internal.model);
drop function rag_internal.build_vector_index(rag_internal.model);
drop function rag_internal.bury_abandoned(rag_internal.embedding_task);
drop function rag_internal.bury_failed(rag_internal.document, rag_internal.collection,
    rag_internal.prepared_chunk[]);
drop function rag_internal.check_embed(text);
drop function rag_internal.check_model(rag_internal.model);
drop function rag_internal.check_model_change(rag_internal.model, rag_internal.model);
drop function rag_internal.check_model_options(jsonb);
drop function rag_internal.check_vector(@extschema:vector@.vector, rag_internal.model, text);
drop function rag_internal.derive_document();
drop function rag_internal.diagnose_models(rag_internal.identity);
drop function rag_internal.draft_document(rag_internal.collection, text, text, text, text[],
    jsonb, text[], text, text, text, timestamptz, timestamptz);
drop function rag_internal.embed_chunks(rag_internal.prepared_chunk[], rag_internal.collection,
    rag_internal.model, text);
drop function rag_internal.embed_hash(text, text);
drop function rag_internal.embed_passages(text[], rag_internal.model);
drop function rag_internal.embed_query(text, rag_internal.model, name);
drop function rag_internal.embed_waiting(rag_internal.document, rag_internal.collection);
drop function rag_internal.find_model(text, rag_internal.identity);
drop function rag_internal.finish_jobs(bigint[]);
drop function rag_internal.follow_chunk();
drop function rag_internal.follow_title();
drop function rag_internal.given_chunks(jsonb, text, rag_internal.model);
drop function rag_internal.ingested(rag_internal.document, text, integer, bigint, name);
drop function rag_internal.is_blank(text);
drop function rag_internal.known_models(name, bytea);
drop function rag_internal.lacks_vectors(rag_internal.scope);
drop function rag_internal.line_breaks(text);
drop function rag_internal.merge_jobs(bigint[]);
drop function rag_internal.model_is_used(integer);
drop function rag_internal.model_progress(rag_internal.collection, integer);
drop function rag_internal.own_job(rag_internal.identity, bigint);
drop function rag_internal.owns_job(rag_internal.job, rag_internal.identity);
drop function rag_internal.prepare_chunks(rag_internal.collection, rag_internal.document, text);
drop function rag_internal.queue_embeddings(rag_internal.collection, uuid, integer, name);
drop function rag_internal.readable_dead_letters(name, bytea);
drop function rag_internal.readable_jobs(name, bytea);
drop function rag_internal.record_failures(uuid, rag_internal.model, bigint[], text[],
    rag_internal.embedded_text[]);
drop function rag_internal.replace_document(rag_internal.document, rag_internal.collection,
    rag_internal.prepared_chunk[], text, name);
drop function rag_internal.resplit_document();
drop function rag_internal.semantic_leg(@extschema:vector@.vector, rag_internal.model,
    rag_internal.scope, rag_internal.text_condition[], bigint, text);
drop function rag_internal.semantic_legs(text, @extschema:vector@.vector, rag_internal.scope,
    bigint, boolean);
drop function rag_internal.semantic_models(rag_internal.scope, boolean, @extschema:vector@.vector);
drop function rag_internal.shared_collection(bigint);
drop function rag_internal.store_document(rag_internal.document, rag_internal.collection,
    rag_internal.prepared_chunk[], text, name);
drop function rag_internal.unload_models();
drop function rag_internal.vector_form(rag_internal.model);
drop function rag_internal.with_model_options(rag_internal.model, jsonb);
drop function rag_internal.write_chunks(rag_internal.document, rag_internal.collection,
    rag_internal.prepared_chunk[], name);
drop function rag_internal.write_embeddings(rag_internal.model, bigint[], text[],
    rag_internal.embedded_text[]);
drop function rag_internal.cancel_job(name, bytea, bigint);
drop function rag_internal.check_recall(name, bytea, text, integer);
drop function rag_internal.claim_job(name, bytea, integer);
drop function rag_internal.drop_model(name, bytea, text);
drop function rag_internal.embed_claimed(name, bytea, uuid);
drop function rag_internal.ingest(name, bytea, text, text, text, text, text[], jsonb, text[],
    text, text, text, timestamptz, timestamptz, text, integer, integer, integer, text);
drop function rag_internal.ingest_chunks(name, bytea, text, jsonb, text, text, text, text[],
    jsonb, text[], text, text, text, timestamptz, timestamptz, text);
drop function rag_internal.ingest_many(name, bytea, text, jsonb, text);
drop function rag_internal.prepare_model(name, bytea, text, text);
drop function rag_internal.release_model(name, bytea, text, text);
drop function rag_internal.retry_job(name, bytea, bigint);
drop function rag_internal.search(name, bytea, text, text[], integer, text, jsonb, jsonpath,
    jsonb, jsonb, integer, integer, boolean, @extschema:vector@.vector);
drop function rag_internal.set_embeddings(name, bytea, uuid, @extschema:vector@.vector[], text,
    bytea);
drop function rag_internal.set_model(name, bytea, text, text, boolean);
drop function rag_internal.show_model_progress(name, bytea, text, text);
drop function rag_internal.unload_model(name, bytea);
drop function rag_internal.wait_for(name, bytea, bigint, interval);

drop table rag_internal.provider_pause;
drop table rag_internal.embedding_task;
drop table rag_internal.collection_model;
delete from rag_internal.job;
drop index rag_internal.job_open;
alter table rag_internal.job
    drop constraint job_status_is_known,
    drop column total,
    add column payload     jsonb not null default '{}',
    add column attempts    integer not null default 0,
    add column run_after   timestamptz not null default now(),
    add column lease_until timestamptz,
    add constraint job_status_is_known
        check (status in ('queued', 'running', 'done', 'cancelled', 'dead'));
create index job_queue on rag_internal.job (run_after) where status in ('queued', 'running');
comment on table rag_internal.job is
    'The queue of background work; a reader sees the jobs it asked for.';

alter type rag_internal.prepared_chunk drop attribute error;
alter type rag_internal.prepared_chunk alter attribute v type @extschema:vector@.halfvec;
drop type rag_internal.embedded_text;
drop type rag.recall_check;
drop type rag.model_progress;

comment on column rag_internal.embedding.embed_hash is
    'SHA-256 of model revision, kind and exact text: equal text is embedded once per tenant.';
alter table rag_internal.embedding
    drop constraint embedding_has_one_vector,
    alter column v set not null,
    drop column full_v;
alter table rag_internal.model
    drop constraint model_provider_is_known,
    drop constraint model_dimensions_in_range,
    alter column max_tokens set not null,
    drop column endpoints,
    drop column storage,
    drop column quantization,
    drop column hnsw_m,
    drop column hnsw_ef_construction,
    drop column hnsw_ef_search,
    drop column long_input,
    add constraint model_provider_is_known check (provider in ('fastembed')),
    -- the index on halfvec reaches this far
    add constraint model_dimensions_in_range check (dimensions between 1 and 4000);
