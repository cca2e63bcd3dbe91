-- What is left of a text without white space and markup: a heading is found by it in its document.
create or replace function rag_internal.letters_of(input text) returns text
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    return regexp_replace(input collate "default", '[^[:alnum:]]+', '', 'g');
end
$$;

comment on function rag_internal.letters_of(text) is 'Its letters and digits alone.';
alter function rag_internal.letters_of(text) owner to rag_owner;
revoke all on function rag_internal.letters_of(text) from public;
