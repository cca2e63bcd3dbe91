-- What rag.doctor() says of models: whether they can be used, and what waits for them.
create or replace function rag_internal.diagnose_models(identity rag_internal.identity)
returns setof rag.check_result
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _model rag_internal.model;
    _status jsonb;
    _waiting bigint;
    _failed bigint;
    _pause rag_internal.provider_pause;
begin
    for _model in
        select m.* from rag_internal.model m
        where m.is_default or pg_has_role((identity).who, 'rag_writer', 'usage')
           or m.model_id in (select k.model_id
                             from rag_internal.visible_collections(identity, null) k)
        order by m.is_default desc, m.name
    loop
        _status := rag_internal.model_status(_model);
        return next row(
            'model ' || _model.name,
            case when (_status ->> 'present')::boolean then 'ok' else 'fail' end,
            format('%s, %s dimensions, %s%s%s', _model.provider, _model.dimensions,
                   coalesce('window ' || _model.max_tokens || ' tokens', 'window unknown'),
                   case when _model.is_default then ', the default' else '' end,
                   case when (identity).sees_everything
                        then ', ' || concat_ws(' in ', _status ->> 'detail',
                                               nullif(_status ->> 'directory', '')) end),
            case when (_status ->> 'present')::boolean then null
                 when _model.provider = 'fastembed'
                      and exists (select from rag_internal.setting t where t.name = 'embedder')
                 then '`ragsql embedder --attach` starts the process that runs the models again.'
                 when _model.provider = 'fastembed'
                 then 'Put the model''s files into its folder: `ragsql up` does it for a server of '
                      'its own.'
                 else 'rag.allow_http names the hosts and the key variables that may be used; a '
                      'key is set in the environment that the server starts with.'
            end)::rag.check_result;
        continue when not (identity).sees_everything;
        select count(*) filter (where not t.is_dead), count(*) filter (where t.is_dead)
        into _waiting, _failed
        from rag_internal.embedding_task t
        where t.model_id = _model.model_id and t.job_id is not null;
        select p.* into _pause
        from rag_internal.provider_pause p
        where p.model_id = _model.model_id and p.until > statement_timestamp();
        if _waiting + _failed > 0 or _pause.model_id is not null then
            return next row(
                'queue of ' || _model.name, 'warn',
                format('%s passages wait for their vector, %s were given up%s',
                       _waiting, _failed,
                       ', and the provider rests until '
                       || date_trunc('second', _pause.until) || ': ' || _pause.reason),
                concat_ws(' ', case when _waiting > 0
                                    then 'call rag.run_jobs(), or `ragsql worker`, makes vectors.'
                               end,
                               case when _failed > 0
                                    then 'rag.dead_letter says what is wrong, rag.retry_job tries '
                                         'again.' end))::rag.check_result;
        end if;
    end loop;
    if (identity).sees_everything then
        return query
            select x.check_name, 'ok', coalesce(s.value, x.unset), null
            from (values ('embedder', 'embedder', 'none: sessions load models themselves'),
                         ('http_hosts', 'http hosts', 'none may be called'),
                         ('http_key_variables', 'http key variables', 'none may be sent'))
                 x (name, check_name, unset)
            left join rag_internal.setting s using (name);
    end if;
end
$$;

comment on function rag_internal.diagnose_models(rag_internal.identity) is
    'Each model, and for who sees everything its queue and where calls may go.';
alter function rag_internal.diagnose_models(rag_internal.identity) owner to rag_owner;
revoke all on function rag_internal.diagnose_models(rag_internal.identity) from public;
