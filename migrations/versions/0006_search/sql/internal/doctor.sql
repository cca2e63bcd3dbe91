-- What an administrator would look at first, each finding with its next step.
create or replace function rag_internal.doctor(who name, ticket bytea)
returns setof rag.check_result
language plpgsql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _major integer := current_setting('server_version_num')::integer / 10000;
    _engine jsonb;
begin
    return next row('server', case when _major between 15 and 18 then 'ok' else 'fail' end,
                    'PostgreSQL ' || current_setting('server_version'),
                    case when _major not between 15 and 18
                         then 'Use PostgreSQL 15 to 18.' end)::rag.check_result;
    return query
        select 'extension ' || x.name, case when e.oid is null then 'fail' else 'ok' end,
               coalesce(e.extname || ' ' || e.extversion || ' in schema ' || n.nspname,
                        'not created'),
               case when e.oid is null
                    then format('As a superuser: create extension %I;', x.name) end
        from unnest(array['plpython3u', 'vector', 'pg_trgm']) x (name)
        left join pg_extension e on e.extname = x.name
        left join pg_namespace n on n.oid = e.extnamespace;
    return query
        select 'migrations', 'ok', 'revision ' || string_agg(v.version_num, ', '), null
        from rag_internal.alembic_version v;
    begin
        _engine := rag_internal.engine_info();
        return next row('engine', 'ok',
                        case when _identity.sees_everything
                             then format('Python %s (%s), ragsql_engine in %s, fastembed %s, '
                                         'numpy %s',
                                         _engine ->> 'version', _engine ->> 'executable',
                                         _engine ->> 'engine_path', _engine ->> 'fastembed',
                                         _engine ->> 'numpy')
                             else format('Python %s', _engine ->> 'version') end,
                        null)::rag.check_result;
        return query select * from rag_internal.diagnose_models(_identity);
        return query select * from rag_internal.diagnose_rerankers(_identity);
    exception when object_not_in_prerequisite_state then
        return next row('engine', 'fail',
                        case when _identity.sees_everything
                             -- without the names of Python's classes
                             then regexp_replace(sqlerrm, '^([\w.]+: )+', '')
                             else 'cannot be loaded' end,
                        'Install ragsql with the Python that plpython3u links and set python_path '
                        'in rag_internal.setting, then reconnect.')::rag.check_result;
    end;
    if not exists (select from rag_internal.model m where m.is_default) then
        return next row('default model', 'fail', 'no model is registered as the default',
                        'Run `ragsql up`, or rag.add_model(..., options => '
                        '''{"is_default": true}'').')::rag.check_result;
    end if;
    return query
        select 'lexical index',
               case when count(*) filter (where s.outdated) > 0 then 'fail' else 'ok' end,
               case when count(*) filter (where s.outdated) > 0
                    then format('the analyzer or its stemmers changed since these collections '
                                'were indexed: %s',
                                string_agg(s.name, ', ') filter (where s.outdated))
                    else 'collections are indexed by the analyzer that questions are read by'
               end,
               case when count(*) filter (where s.outdated) > 0
                    then 'select rag.rebuild_index(''NAME'') for each.'
               end
        from (select k.name,
                     k.analyzed_as is distinct from
                     rag_internal.analyzer_stamp(k.text_config) as outdated
              from rag_internal.visible_collections(_identity, null) k) s;
    if _identity.sees_everything then
        return query
            select 'upkeep', case when p.passages > 20000 then 'warn' else 'ok' end,
                   format('%s passages wait to be built into the lexical index', p.passages),
                   case when p.passages > 20000
                        then 'call rag.maintain(): searches read all that waits.' end
            from (select coalesce(sum(w.passages), 0) as passages
                  from rag_internal.pending w) p;
    end if;
    return query
        select 'locale', case when d.datctype in ('C', 'POSIX') then 'warn' else 'ok' end,
               format('lc_ctype %s, encoding %s', d.datctype, pg_encoding_to_char(d.encoding)),
               case when d.datctype in ('C', 'POSIX')
                    then 'Words beyond ASCII get no trigrams here: make the database with '
                         'lc_ctype C.UTF-8 or a language''s.'
               end
        from pg_database d
        where d.datname = current_database();
    return next row('access rules', case when _identity.sees_everything then 'warn' else 'ok' end,
                    format('you are %s, %s',
                           case when _identity.source = 'database role' then _identity.who
                                else coalesce(_identity.reader, 'nobody') end,
                           case when _identity.sees_everything then 'which bypasses access rules'
                                when _identity.source = 'nobody' then _identity.why
                                else 'to whom access rules apply' end),
                    case when _identity.sees_everything
                         then 'Let applications connect as a role that has rag_reader and nothing '
                              'more.'
                    end)::rag.check_result;
    if _identity.sees_everything and exists (select from rag_internal.identity_key) then
        return query
            select 'identity keys',
                   case when count(*) filter (where k.is_valid) = 0
                             or bool_or(k.is_valid and k.not_after < now() + interval '14 days')
                        then 'warn' else 'ok' end,
                   format('%s of %s can verify tokens now; the next one ends %s',
                          count(*) filter (where k.is_valid), count(*),
                          coalesce(min(k.not_after) filter (where k.is_valid)::text, 'never')),
                   'rag.add_identity_key(...) adds one: tokens name theirs, so two can overlap.'
            from (select i.not_after,
                         now() >= coalesce(i.not_before, '-infinity')
                         and now() < coalesce(i.not_after, 'infinity') as is_valid
                  from rag_internal.identity_key i) k;
    end if;
    if _identity.sees_everything then
        return query
            select 'principals', case when count(*) = 0 then 'ok' else 'warn' end,
                   case when count(*) = 0 then 'every granted role exists'
                        else format('roles with grants or collections that no longer exist under '
                                    'their name and oid: %s',
                                    string_agg(distinct p.name, ', ')) end,
                   case when count(*) > 0
                        then 'Nobody reads through them. Restored into another cluster, and the '
                             'same people have the names: select rag.adopt_role(...) for each. '
                             'Else revoke what they had: rag.revoke_read(...).' end
            from rag_internal.principal p
            where p.kind = 'role'
              and not exists (select from pg_roles r
                              where r.oid = p.role_oid and r.rolname = p.name);
    end if;
end
$$;

comment on function rag_internal.doctor(name, bytea) is
    'See rag.doctor.';
alter function rag_internal.doctor(name, bytea) owner to rag_owner;
revoke all on function rag_internal.doctor(name, bytea) from public;
grant execute on function rag_internal.doctor(name, bytea) to rag_reader;
