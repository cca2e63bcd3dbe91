-- What rag.doctor() says of rerankers: whether they can be used.
create or replace function rag_internal.diagnose_rerankers(identity rag_internal.identity)
returns setof rag.check_result
language sql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
    select 'reranker ' || r.name,
           case when s.present then 'ok' else 'fail' end,
           format('%s, %s%s%s', r.provider,
                  coalesce('window ' || r.max_tokens || ' tokens', 'window as its files say'),
                  case when r.is_default then ', the default' else '' end,
                  case when (identity).sees_everything
                       then ', ' || concat_ws(' in ', s.detail, nullif(s.directory, '')) end),
           case when s.present then null
                when r.provider = 'http'
                then 'rag.allow_http names the hosts and the key variables that may be used; a key '
                     'is set in the environment that the server starts with.'
                when exists (select from rag_internal.setting t where t.name = 'embedder')
                then '`ragsql embedder --attach` starts the process that runs the models again.'
                else 'Put its files into its folder below the server''s folder of models.' end
    from rag_internal.reranker r
    cross join lateral jsonb_to_record(rag_internal.reranker_status(r))
        s (present boolean, detail text, directory text)
    order by r.is_default desc, r.name
$$;

comment on function rag_internal.diagnose_rerankers(rag_internal.identity) is
    'Each reranker; where its files are, for who sees everything.';
alter function rag_internal.diagnose_rerankers(rag_internal.identity) owner to rag_owner;
revoke all on function rag_internal.diagnose_rerankers(rag_internal.identity) from public;
