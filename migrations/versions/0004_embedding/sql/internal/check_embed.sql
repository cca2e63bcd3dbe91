-- When an ingest embeds.
create or replace function rag_internal.check_embed(embed text) returns void
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    if embed is null or embed not in ('now', 'later') then
        raise exception using
            errcode = '22023',
            message = format('embed is "%s", but must be now or later', left(embed, 100)),
            hint    = 'now: the vectors are there when the call returns; later: the call returns '
                      'a job_id, and `ragsql worker` or call rag.run_jobs() makes them.';
    end if;
end
$$;

comment on function rag_internal.check_embed(text) is
    '22023 for anything but now and later.';
alter function rag_internal.check_embed(text) owner to rag_owner;
revoke all on function rag_internal.check_embed(text) from public;
