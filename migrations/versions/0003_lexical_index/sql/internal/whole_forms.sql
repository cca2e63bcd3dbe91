-- Compounds, identifiers and, for a document, single characters as lexemes. Their positions only
-- count them.
create or replace function rag_internal.whole_forms(config text, folded text, characters boolean)
returns tsvector
language plpgsql stable strict parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _text text := folded;
    _forms text[];
    _words text;
begin
    if octet_length(_text) > 100000 then
        _text := rag_internal.fitting_part(_text);
    end if;
    _forms := rag_internal.compound_forms(_text);
    _words := coalesce(_forms[1], '');
    if characters and octet_length(_text) > char_length(_text) then
        _words := concat_ws(' ', _words, rag_internal.single_characters(_text));
    end if;
    if _words = '' then
        return coalesce(_forms[2], '')::tsvector;
    end if;
    return to_tsvector(config::regconfig, _words) || coalesce(_forms[2], '')::tsvector;
end
$$;

comment on function rag_internal.whole_forms(text, text, boolean) is
    'The compound forms of a folded text, those joined parsed under the configuration; with its Han'
    'and Hangul characters one by one where characters is true.';
alter function rag_internal.whole_forms(text, text, boolean) owner to rag_owner;
revoke all on function rag_internal.whole_forms(text, text, boolean) from public;
grant execute on function rag_internal.whole_forms(text, text, boolean) to rag_reader;
