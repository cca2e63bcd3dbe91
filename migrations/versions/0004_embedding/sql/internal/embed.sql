-- Embeds texts for a caller.
create or replace function rag_internal.embed(
    who    name,
    ticket bytea,
    texts  text[],
    model  text,
    kind   text
) returns @extschema:vector@.vector[]
language plpgsql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
begin
    if embed.kind is null or embed.kind not in ('query', 'passage') then
        raise exception using
            errcode = '22023',
            message = format('unknown kind "%s"', embed.kind),
            hint    = 'Texts are embedded as query or as passage.';
    end if;
    if array_ndims(embed.texts) > 1 then
        raise exception using
            errcode = '22023',
            message = 'texts has more than one dimension',
            hint    = 'Give a plain list: array[''one'', ''two''].';
    end if;
    return rag_internal.embed_texts(embed.texts, embed.kind,
                                    rag_internal.find_model(embed.model, _identity));
end
$$;

comment on function rag_internal.embed(name, bytea, text[], text, text) is 'See rag.embed.';
alter function rag_internal.embed(name, bytea, text[], text, text) owner to rag_owner;
revoke all on function rag_internal.embed(name, bytea, text[], text, text) from public;
grant execute on function rag_internal.embed(name, bytea, text[], text, text) to rag_reader;
