-- How far the models of a collection are, for its owner.
create or replace function rag_internal.show_model_progress(
    who        name,
    ticket     bytea,
    collection text,
    model      text
) returns setof rag.model_progress
language plpgsql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _collection rag_internal.collection := rag_internal.own_collection(
        rag_internal.authenticate(who, ticket), show_model_progress.collection, null);
    _model rag_internal.model;
begin
    if show_model_progress.model is not null then
        _model := rag_internal.find_model(show_model_progress.model);
    end if;
    return query select p.* from rag_internal.model_progress(_collection, _model.model_id) p;
end
$$;

comment on function rag_internal.show_model_progress(name, bytea, text, text) is
    'See rag.model_progress.';
alter function rag_internal.show_model_progress(name, bytea, text, text) owner to rag_owner;
revoke all on function rag_internal.show_model_progress(name, bytea, text, text) from public;
grant execute on function rag_internal.show_model_progress(name, bytea, text, text) to rag_writer;
