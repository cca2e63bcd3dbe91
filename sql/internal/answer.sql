-- Shows and records what was found: what every function that returns hits has in common.
create or replace function rag_internal.answer(retrieved rag_internal.retrieval)
returns rag_internal.retrieval
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _result rag_internal.retrieval := retrieved;
    _identity rag_internal.identity := _result.identity;
begin
    if _identity.source = 'nobody' then
        raise warning 'nobody is asking, and finds nothing: %', _identity.why
            using hint = 'select * from rag.whoami() tells how you are seen.';
    end if;
    if _result.answer_key is not null and cardinality(_result.degraded) = 0
       -- words of texts are not kept
       and _result.query = (_result.request).query
       and not exists (select from unnest(_result.leg_hits) h
                       where h.corrected_query is not null) then
        perform rag_internal.keep_answer(_result);
    end if;
    if _result.is_redacted is distinct from false then
        _result.hits := rag_internal.redact_hits(_identity, _result.hits, _result.collection_ids);
    end if;
    perform rag_internal.log_search(_result);
    perform rag_internal.note_search_status(_identity, _result.status);
    return _result;
end
$$;

comment on function rag_internal.answer(rag_internal.retrieval) is
    'The retrieval with its hits as its identity may see them. It is recorded in the log of '
    'searches, and kept where the collections keep answers.';
alter function rag_internal.answer(rag_internal.retrieval) owner to rag_owner;
revoke all on function rag_internal.answer(rag_internal.retrieval) from public;
