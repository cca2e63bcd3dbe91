-- The lexemes of a passage, with those of its document's title and of its headings as often as they
-- weigh. A gap between them is wider than any phrase that could span it.
create or replace function rag_internal.index_text(
    title text, heading text[], content text, config text,
    title_weight integer default 1, heading_weight integer default 1) returns tsvector
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _most constant integer := 2000;
    _gap constant tsvector := E'\x01:16';
    _title tsvector := '';
    _heading tsvector := '';
    _all tsvector := '';
    _content tsvector;
begin
    if title_weight > 0 and title <> '' then
        _title := setweight(
            rag_internal.analyze_folded(config, left(rag_internal.fold_text(title), _most)), 'A')
            || _gap;
        for _ in 1 .. least(title_weight, 16) loop
            _all := _all || _title;
        end loop;
    end if;
    if heading_weight > 0 and cardinality(heading) > 0 then
        _heading := setweight(
            rag_internal.analyze_folded(
                config, left(rag_internal.fold_text(array_to_string(heading, ' . ')), _most)), 'B')
            || _gap;
        for _ in 1 .. least(heading_weight, 16) loop
            _all := _all || _heading;
        end loop;
    end if;
    _content := rag_internal.analyze_folded(config, rag_internal.fold_text(content));
    if _all = '' then
        return _content;
    end if;
    return ts_delete(_all || _content, E'\x01');
end
$$;

comment on function rag_internal.index_text(text, text[], text, text, integer, integer) is
    'Lexemes of a passage: title (weight A) and headings (weight B), as often as they weigh, '
    'up to 16 (0 leaves it out; 2,000 characters count), then content (weight D).';
alter function rag_internal.index_text(text, text[], text, text, integer, integer)
    owner to rag_owner;
revoke all on function rag_internal.index_text(text, text[], text, text, integer, integer)
    from public;
