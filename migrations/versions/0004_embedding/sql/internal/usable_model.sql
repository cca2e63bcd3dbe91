-- A model that a collection may be given: a search over it would fail while the model is missing.
create or replace function rag_internal.usable_model(name text) returns rag_internal.model
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _model rag_internal.model := rag_internal.find_model(usable_model.name);
begin
    if not (rag_internal.model_status(_model) ->> 'present')::boolean then
        raise exception using
            errcode = '55000',
            message = format(case _model.provider
                                 when 'fastembed' then 'model "%s" is not on the server'
                                 else 'model "%s" cannot be reached' end, _model.name),
            hint    = 'rag.doctor() tells rag_admin what it needs; model => ''none'' makes a '
                      'collection without vectors.';
    end if;
    return _model;
end
$$;

comment on function rag_internal.usable_model(text) is
    'rag_internal.find_model, and 55000 where the model cannot be used: no files, or no way to it.';
alter function rag_internal.usable_model(text) owner to rag_owner;
revoke all on function rag_internal.usable_model(text) from public;
