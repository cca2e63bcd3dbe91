-- Changes what is said about a document, not its text.
create or replace function rag_internal.update_document(
    who         name,
    ticket      bytea,
    document_id uuid,
    title       text,
    tags        text[],
    metadata    jsonb,
    status      text,
    valid_from  timestamptz,
    valid_until timestamptz
) returns rag.ingested
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _old rag_internal.document := rag_internal.owned_document(
        _identity, update_document.document_id, false, or_write => true);
    _new rag_internal.document := _old;
begin
    _new.title := coalesce(update_document.title, _old.title);
    _new.tags := coalesce(update_document.tags, _old.tags);
    _new.metadata := coalesce(update_document.metadata, _old.metadata);
    _new.status := coalesce(update_document.status, _old.status);
    _new.valid_from := coalesce(update_document.valid_from, _old.valid_from);
    _new.valid_until := coalesce(update_document.valid_until, _old.valid_until);
    perform rag_internal.check_document(_new);
    if _new = _old then
        return rag_internal.ingested(_old, 'unchanged', 0, null, _identity);
    end if;

    _new.updated_at := now();
    _new.attributes := rag_internal.attributes(_new);
    update rag_internal.document d
    set title = _new.title, tags = _new.tags, metadata = _new.metadata, status = _new.status,
        valid_from = _new.valid_from, valid_until = _new.valid_until, attributes = _new.attributes,
        updated_at = _new.updated_at
    where d.document_id = _new.document_id;
    return rag_internal.ingested(_new, 'updated', 0, null, _identity);
end
$$;

comment on function rag_internal.update_document(name, bytea, uuid, text, text[], jsonb, text,
    timestamptz, timestamptz) is
    'See rag.update_document.';
alter function rag_internal.update_document(name, bytea, uuid, text, text[], jsonb, text,
    timestamptz, timestamptz) owner to rag_owner;
revoke all on function rag_internal.update_document(name, bytea, uuid, text, text[], jsonb, text,
    timestamptz, timestamptz) from public;
grant execute on function rag_internal.update_document(name, bytea, uuid, text, text[], jsonb, text,
    timestamptz, timestamptz) to rag_writer;
