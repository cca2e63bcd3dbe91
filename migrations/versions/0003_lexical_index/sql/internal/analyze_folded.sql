-- All lexemes of a folded text: words at their places, then, after a gap that no phrase spans,
-- wholes.
create or replace function rag_internal.analyze_folded(
    config text, folded text, characters boolean default true) returns tsvector
language plpgsql stable strict parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _gap constant tsvector := E'\x01:16';
    _wholes tsvector := rag_internal.whole_forms(config, folded, characters);
begin
    if _wholes = '' then
        return rag_internal.parse_text(config, folded);
    end if;
    return ts_delete(rag_internal.parse_text(config, folded) || _gap || _wholes, E'\x01');
end
$$;

comment on function rag_internal.analyze_folded(text, text, boolean) is
    'Lexemes of folded text under a configuration by name: those of parse_text and of whole_forms.';
alter function rag_internal.analyze_folded(text, text, boolean) owner to rag_owner;
revoke all on function rag_internal.analyze_folded(text, text, boolean) from public;
grant execute on function rag_internal.analyze_folded(text, text, boolean) to rag_reader;
