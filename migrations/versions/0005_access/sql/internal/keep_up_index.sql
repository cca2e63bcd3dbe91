-- The share of a writer in keeping the lexical index small: now and then, in proportion to what it
-- indexed, it looks whether enough is pending for a segment.
create or replace function rag_internal.keep_up_index(document rag_internal.document)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _threshold constant integer := 2048;
    _text_config text := (document).text_config;
    _fresh bigint := (select count(*) from rag_internal.chunk c
                      where c.document_id = (document).document_id);
begin
    -- an older snapshot would collide with whoever builds or merges at the same time
    if random() > _fresh / 256.0
       or current_setting('transaction_isolation') <> 'read committed' then
        return;
    end if;
    if (select sum(p.passages) from rag_internal.pending p
        where p.text_config = _text_config) >= _threshold then
        begin
            -- who erases has it, until its end
            lock table rag_internal.word in row exclusive mode nowait;
        exception when lock_not_available then
            return;
        end;
        perform rag_internal.build_segment(_text_config);
        -- larger merges take seconds, and are left to rag.maintain()
        perform rag_internal.merge_segments(_text_config, 16384);
        perform rag_internal.sweep_tombstones();
    end if;
end
$$;

comment on function rag_internal.keep_up_index(rag_internal.document) is
    'Builds a segment where at least 2,048 passages are pending, and merges small ones; looked at '
    'once for each 256 passages that are indexed, on average, and at read committed only. '
    'document: what was indexed.';
alter function rag_internal.keep_up_index(rag_internal.document) owner to rag_owner;
revoke all on function rag_internal.keep_up_index(rag_internal.document) from public;
