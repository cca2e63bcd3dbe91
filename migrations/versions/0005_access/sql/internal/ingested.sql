-- What an ingest answers; and one line where words were left out of the lexical index. The index is
-- kept up here, since newcomers run no worker.
create or replace function rag_internal.ingested(
    document rag_internal.document,
    status   text,
    chunks   integer,
    job_id   bigint,
    identity rag_internal.identity
) returns rag.ingested
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _words_skipped integer := 0;
begin
    if chunks > 0 then
        select sum(c.words_skipped) into _words_skipped
        from rag_internal.chunk c
        where c.document_id = (document).document_id;
        if _words_skipped > 0 then
            raise warning 'words that the lexical index leaves out of "%": %', (document).source,
                _words_skipped
                using hint = 'Words of more than 2,046 bytes, and what lies beyond the part of a '
                             'passage that is analysed; docs/analysis.md tells the limits.';
        end if;
    end if;
    if job_id is null then
        -- an earlier call may have left some to be embedded later
        select t.job_id into job_id
        from rag_internal.embedding_task t
        join rag_internal.job j on j.job_id = t.job_id and rag_internal.owns_job(j, identity)
        where t.chunk_id in (select c.chunk_id from rag_internal.chunk c
                             where c.document_id = (document).document_id)
          and not t.is_dead
        limit 1;
    end if;
    if status <> 'unchanged' then
        perform rag_internal.keep_up_index(document);
    end if;
    return row((document).document_id, status, chunks, job_id, _words_skipped)::rag.ingested;
end
$$;

comment on function rag_internal.ingested(rag_internal.document, text, integer, bigint,
    rag_internal.identity) is
    'The row of rag.ingested of a document whose passages were written: chunks of them, and the '
    'job that embeds those without a vector.';
alter function rag_internal.ingested(rag_internal.document, text, integer, bigint,
    rag_internal.identity) owner to rag_owner;
revoke all on function rag_internal.ingested(rag_internal.document, text, integer, bigint,
    rag_internal.identity) from public;
