-- A model by name; null means the default. With an identity: one that it may know.
create or replace function rag_internal.find_model(
    name     text,
    identity rag_internal.identity default null
) returns rag_internal.model
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _model rag_internal.model;
begin
    select m.* into _model
    from rag_internal.model m
    where m.kind = 'embedding'
      and (m.name = find_model.name or (find_model.name is null and m.is_default))
      and ((identity).who is null or m.is_default
           or pg_has_role((identity).who, 'rag_writer', 'usage')
           or m.model_id in (select k.model_id
                             from rag_internal.visible_collections(identity, null) k));
    if not found then
        raise exception using
            errcode = case when find_model.name is null then '55000' else 'P0002' end,
            message = case when find_model.name is null then 'no embedding model is registered'
                           else format('no embedding model is named "%s"', find_model.name) end,
            hint    = 'Registered models are in rag.model; `ragsql up` or rag.add_model(...) '
                      'registers one.';
    end if;
    return _model;
end
$$;

comment on function rag_internal.find_model(text, rag_internal.identity) is
    'The embedding model of that name, the default for null; P0002 or 55000 where there is none.';
alter function rag_internal.find_model(text, rag_internal.identity) owner to rag_owner;
revoke all on function rag_internal.find_model(text, rag_internal.identity) from public;
