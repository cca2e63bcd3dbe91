-- Refuses a grant that does not say of what, or to whom.
create or replace function rag_internal.check_grant(
    collection   text,
    document_ids uuid[],
    readers      text[]
) returns void
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    if (check_grant.collection is null) = (coalesce(cardinality(document_ids), 0) = 0) then
        raise exception using
            errcode = '22023',
            message = 'give either a collection or a document_id',
            hint    = 'For example: rag.grant_read(''docs'', ''role:alice''), or '
                      'rag.grant_read(document_id => ''...'', reader => ''role:alice'').';
    elsif cardinality(readers) = 0 then
        raise exception using
            errcode = '22023',
            message = 'give a reader',
            hint    = 'A reader is role:NAME, NAME of a role, user:NAME, group:NAME or public.';
    end if;
end
$$;

comment on function rag_internal.check_grant(text, uuid[], text[]) is
    '22023 for both or neither of collection and documents, and for no reader.';
alter function rag_internal.check_grant(text, uuid[], text[]) owner to rag_owner;
revoke all on function rag_internal.check_grant(text, uuid[], text[]) from public;
