-- Words, and wholes after a gap that no phrase spans, as lexemes of a configuration. The positions
-- of the wholes only count them.
--
-- Folded, teh marbuta is heh, which the Arabic stemmer takes for the pronoun "his" and cuts off;
-- but not after an article, where no pronoun can stand. There it gets its teh marbuta back, so that
-- "school" and "the school" have one stem.
create or replace function rag_internal.lexemes_of(
    config text, words text, joined text, exact text) returns tsvector
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _gap constant tsvector := E'\x01:16';
    _words text := words;
begin
    if config = 'arabic' then
        _words := regexp_replace(_words, E'(?<![\\u0620-\\u064a])'
            '((?:[\\u0628\\u0641\\u0643\\u0648]?\\u0627\\u0644|\\u0644\\u0644)'
            '[\\u0621-\\u064a]{3,})'
            '\\u0647(?![\\u0620-\\u064a])', E'\\1\u0629', 'g');
    end if;
    if joined is null and exact is null then
        return to_tsvector(config::regconfig, _words);
    end if;
    return ts_delete(
        to_tsvector(config::regconfig, _words) || _gap || coalesce(exact, '')::tsvector
        || to_tsvector(config::regconfig, coalesce(joined, '')), E'\x01');
end
$$;

comment on function rag_internal.lexemes_of(text, text, text, text) is
    'Lexemes under a configuration by name, qualified where it is not in pg_catalog (42704 for an '
    'unknown one): of words, each at its place, of joined words, and of exact forms in the '
    'notation of a tsvector.';
alter function rag_internal.lexemes_of(text, text, text, text) owner to rag_owner;
revoke all on function rag_internal.lexemes_of(text, text, text, text) from public;
grant execute on function rag_internal.lexemes_of(text, text, text, text) to rag_reader;
