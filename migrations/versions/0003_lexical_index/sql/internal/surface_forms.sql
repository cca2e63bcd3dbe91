-- The words of a text as they are written: what a typing error is compared with. Without a parser,
-- which would take twice the time.
create or replace function rag_internal.surface_forms(content text) returns tsvector
language plpgsql stable strict parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _text text := rag_internal.fold_text(content);
    _forms text[];
    _words tsvector;
begin
    if octet_length(_text) > 100000 then
        _text := rag_internal.fitting_part(_text);
    end if;
    _forms := rag_internal.compound_forms(_text);
    _words := array_to_tsvector(array_remove(string_to_array(
        concat_ws(' ', rag_internal.indexable_words(rag_internal.word_stream(_text)), _forms[1],
                  case when octet_length(_text) > char_length(_text)
                       then rag_internal.single_characters(_text) end), ' '), ''));
    if _forms[2] is null then
        return _words;
    end if;
    return _words || strip(_forms[2]::tsvector);
end
$$;

comment on function rag_internal.surface_forms(text) is
    'Distinct folded words, unstemmed, stop words among them, and the wholes of compounds.';
alter function rag_internal.surface_forms(text) owner to rag_owner;
revoke all on function rag_internal.surface_forms(text) from public;
