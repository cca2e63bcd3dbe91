-- Makes a collection that belongs to the caller.
create or replace function rag_internal.create_collection(
    identity        rag_internal.identity,
    name            text,
    description     text,
    readers         text[],
    strategy        text,
    chunk_size      integer,
    overlap         integer,
    min_chunk_size  integer,
    model           text,
    text_config     text,
    search_defaults jsonb,
    min_value       real,
    title_weight    integer,
    heading_weight  integer,
    security_level  integer default null,
    tenant          text    default null
) returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _owner_id bigint := rag_internal.owner_for(identity);
    _tenant text := coalesce(create_collection.tenant, (identity).tenant);
    _model rag_internal.model;
    _acl_id bigint;
    _strategy text;
begin
    perform rag_internal.check_name(create_collection.name);
    perform rag_internal.check_security_level(create_collection.security_level);
    if _tenant <> (identity).tenant and not (identity).sees_everything then
        raise exception using
            errcode = '42501',
            message = format('you are not of tenant "%s"', _tenant),
            hint    = 'Leave tenant out for your own; only rag_admin makes collections of others.';
    end if;
    if create_collection.model is distinct from 'none' then
        _model := rag_internal.usable_model(create_collection.model);
    end if;
    _strategy := rag_internal.check_chunking(
        create_collection.strategy, create_collection.chunk_size, create_collection.overlap,
        create_collection.min_chunk_size, _model.model_id is not null, create_collection.min_value);
    perform rag_internal.check_search_defaults(create_collection.search_defaults);
    perform rag_internal.check_text_weights(create_collection.title_weight,
                                            create_collection.heading_weight);

    insert into rag_internal.acl (tenant, security_level)
    values (_tenant, coalesce(create_collection.security_level, 0))
    returning acl_id into _acl_id;
    insert into rag_internal.acl_reader (principal_id, acl_id)
    select distinct p.principal_id, _acl_id
    from (select _owner_id
          union
          select rag_internal.principal_for(r, _tenant) from unnest(readers) r) p (principal_id);
    insert into rag_internal.collection (name, tenant, owner_id, acl_id, description, strategy,
                                         chunk_size, overlap, min_chunk_size, model_id, text_config,
                                         search_defaults, min_value, title_weight,
                                         heading_weight, analyzed_as)
    values (create_collection.name, _tenant, _owner_id, _acl_id, create_collection.description,
            _strategy, create_collection.chunk_size, create_collection.overlap,
            create_collection.min_chunk_size, _model.model_id,
            rag_internal.canonical_text_config(create_collection.text_config),
            create_collection.search_defaults, create_collection.min_value,
            coalesce(create_collection.title_weight, 2),
            coalesce(create_collection.heading_weight, 1),
            rag_internal.analyzer_stamp(create_collection.text_config));
exception when unique_violation then
    raise exception using
        errcode = '42710',
        message = format('the collection name "%s" is taken', create_collection.name),
        hint    = 'You own a collection of this name: choose another one.';
end
$$;

comment on function rag_internal.create_collection(rag_internal.identity, text, text, text[], text,
    integer, integer, integer, text, text, jsonb, real, integer, integer, integer, text) is
    'See rag.create_collection; 42710 where its owner has one of this name.';
alter function rag_internal.create_collection(rag_internal.identity, text, text, text[], text,
    integer, integer, integer, text, text, jsonb, real, integer, integer, integer,
    text) owner to rag_owner;
revoke all on function rag_internal.create_collection(rag_internal.identity, text, text, text[],
    text, integer, integer, integer, text, text, jsonb, real, integer, integer, integer,
    text) from public;
