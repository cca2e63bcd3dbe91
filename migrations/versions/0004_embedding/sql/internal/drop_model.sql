-- Removes a model that nothing uses.
create or replace function rag_internal.drop_model(who name, ticket bytea, name text)
returns void
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
-- what waits for these locks keeps everybody waiting
set lock_timeout = '5s'
as $$
declare
    _model rag_internal.model;
    _collections text;
begin
    if not (rag_internal.authenticate(who, ticket)).sees_everything then
        raise exception using
            errcode = '42501',
            message = 'only rag_admin may remove a model',
            hint    = 'Ask an administrator.';
    end if;
    perform rag_internal.require_visible_text('name', drop_model.name);
    lock table rag_internal.model in share row exclusive mode;
    _model := rag_internal.find_model(drop_model.name);
    -- a collection that is made meanwhile waits for this row, and then misses it
    perform from rag_internal.model m where m.model_id = _model.model_id for update;
    select string_agg(k.name, ', ' order by k.name) into _collections
    from rag_internal.collection k
    where k.model_id = _model.model_id
       or exists (select from rag_internal.collection_model c
                  where c.collection_id = k.collection_id and c.model_id = _model.model_id);
    if _collections is not null then
        raise exception using
            errcode = '55000',
            message = format('model "%s" is used or kept by %s', _model.name, _collections),
            hint    = 'rag.set_model gives a collection another model, rag.release_model drops '
                      'the vectors that it keeps beside its own.';
    end if;
    delete from rag_internal.embedding_task t where t.model_id = _model.model_id;
    execute format('drop table rag_internal.%I', format('embedding_%s', _model.model_id));
    delete from rag_internal.model m where m.model_id = _model.model_id;
end
$$;

comment on function rag_internal.drop_model(name, bytea, text) is
    'See rag.drop_model.';
alter function rag_internal.drop_model(name, bytea, text) owner to rag_owner;
revoke all on function rag_internal.drop_model(name, bytea, text) from public;
grant execute on function rag_internal.drop_model(name, bytea, text) to rag_admin;
