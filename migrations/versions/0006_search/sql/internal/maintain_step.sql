-- A step of rag.maintain(), short enough to be a transaction of its own.
create or replace function rag_internal.maintain_step(who name, ticket bytea) returns boolean
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _config text;
begin
    perform rag_internal.authenticate(who, ticket);
    perform rag_internal.require_read_committed('rag.maintain');
    for _config in
        select p.text_config from rag_internal.pending p
        union
        select s.text_config from rag_internal.segment s
        order by 1
    loop
        if rag_internal.build_segment(_config) > 0
           or rag_internal.merge_segments(_config, 65536) then
            return true;
        end if;
    end loop;
    perform rag_internal.sweep_tombstones();
    delete from rag_internal.job j
    where j.finished_at < now() - interval '30 days'
      and not exists (select from rag_internal.embedding_task t where t.job_id = j.job_id);
    perform rag_internal.forget_searches();
    perform rag_internal.forget_answers(null);
    return false;
end
$$;

comment on function rag_internal.maintain_step(name, bytea) is
    'Builds or merges one segment; false when there was nothing to do, after what is dead and '
    'gone was swept, and jobs that ended 30 days ago and old records of searches forgotten.';
alter function rag_internal.maintain_step(name, bytea) owner to rag_owner;
revoke all on function rag_internal.maintain_step(name, bytea) from public;
grant execute on function rag_internal.maintain_step(name, bytea) to rag_writer;
