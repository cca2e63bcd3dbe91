-- Records a search: a row where the transaction can write, and a line in the server's log, which
-- no rollback takes back.
create or replace function rag_internal.log_search(result rag_internal.retrieval) returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _identity rag_internal.identity := (result).identity;
    _query text := ((result).request).query;
    _mode text := (select s.mode from rag_internal.search_log_setting s);
    _row rag_internal.search_log;
begin
    if _mode = 'off' then
        return;
    end if;
    _row.log_id := rag_internal.new_id();
    _row.searched_at := clock_timestamp();
    _row.role_name := _identity.who;
    _row.reader := _identity.reader;
    _row.tenant := _identity.tenant;
    _row.source := _identity.source;
    _row.strategy := (result).strategy;
    _row.collections := ((result).request).collections;
    -- first redacted: of a secret that is cut, what is left is no match
    _row.query := case when _mode = 'text'
                       then left(rag_internal.redact_text((result).collection_ids,
                                                          _query), 8000) end;
    _row.query_hash := (
        select sha256(k.secret || convert_to(_query, 'UTF8'))
        from rag_internal.ticket_key k);
    _row.document_ids := array(select h.document_id from unnest((result).hits) h);
    _row.chunk_indexes := array(select h.chunk_index from unnest((result).hits) h);
    _row.steps := coalesce((
        select jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
            'step', s.step, 'route', s.route, 'passages', s.passages,
            'milliseconds', round(s.milliseconds::numeric, 3))))
        from unnest((result).steps) s), '[]');
    if current_setting('transaction_read_only') = 'off' then
        insert into rag_internal.search_log select (_row).*;
    end if;
    raise log 'ragsql search %: % as role %, tenant "%", % of query %; shown: %', _row.log_id,
        coalesce(_row.reader, 'nobody'), _row.role_name, _row.tenant, _row.strategy,
        left(encode(_row.query_hash, 'hex'), 16),
        (select coalesce(string_agg(d || '/' || c, ' '), 'nothing')
         from unnest(_row.document_ids[:100], _row.chunk_indexes[:100]) s (d, c));
end
$$;

comment on function rag_internal.log_search(rag_internal.retrieval) is
    'Records what was asked and returned, as rag.configure_search_log says.';
alter function rag_internal.log_search(rag_internal.retrieval) owner to rag_owner;
revoke all on function rag_internal.log_search(rag_internal.retrieval) from public;
