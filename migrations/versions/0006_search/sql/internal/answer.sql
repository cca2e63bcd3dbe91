-- Finds, shows and records: what every function that returns hits has in common.
create or replace function rag_internal.answer(
    identity rag_internal.identity,
    request  rag_internal.search_request
) returns rag_internal.retrieval
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _result rag_internal.retrieval := rag_internal.retrieve(identity, request);
begin
    if (identity).source = 'nobody' then
        raise warning 'nobody is asking, and finds nothing: %', (identity).why
            using hint = 'select * from rag.whoami() tells how you are seen.';
    end if;
    if _result.answer_key is not null and cardinality(_result.degraded) = 0 then
        perform rag_internal.keep_answer(_result);
    end if;
    _result.hits := rag_internal.redact_hits(identity, _result.hits, _result.collection_ids);
    perform rag_internal.log_search(_result);
    perform rag_internal.note_search_status(identity, _result.status);
    return _result;
end
$$;

comment on function rag_internal.answer(rag_internal.identity, rag_internal.search_request) is
    'What rag.search returns, redacted for the identity and recorded in the log of searches.';
alter function rag_internal.answer(rag_internal.identity, rag_internal.search_request) owner to
    rag_owner;
revoke all on function rag_internal.answer(rag_internal.identity, rag_internal.search_request) from
    public;
