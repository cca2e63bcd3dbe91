-- All lexemes of a folded text: the words at their places and, after a gap that no phrase spans,
-- compounds and identifiers whole. The positions of those only count them.
create or replace function rag_internal.analyze_folded(
    config text, folded text, characters boolean default true) returns tsvector
language plpgsql stable strict parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _gap constant tsvector := E'\x01:16';
    _text text := folded;
    _forms text[];
    _joined text;
    _words tsvector;
begin
    if octet_length(_text) > 100000 then
        _text := rag_internal.fitting_part(_text);
    end if;
    _forms := rag_internal.compound_forms(_text);
    _joined := _forms[1];
    if characters and octet_length(_text) > char_length(_text) then
        _joined := nullif(concat_ws(' ', _joined, rag_internal.single_characters(_text)), '');
    end if;
    _words := to_tsvector(config::regconfig, rag_internal.parsable_words(config, _text));
    if _joined is null and _forms[2] is null then
        return _words;
    end if;
    return ts_delete(
        _words || _gap || coalesce(_forms[2], '')::tsvector
        || to_tsvector(config::regconfig, coalesce(_joined, '')), E'\x01');
end
$$;

comment on function rag_internal.analyze_folded(text, text, boolean) is
    'Lexemes of a folded text under a configuration by name: of its words, its compound forms and, '
    'where characters is true, of its Han and Hangul characters one by one.';
alter function rag_internal.analyze_folded(text, text, boolean) owner to rag_owner;
revoke all on function rag_internal.analyze_folded(text, text, boolean) from public;
grant execute on function rag_internal.analyze_folded(text, text, boolean) to rag_reader;
