-- Replaces spans of a text. By bytes, since to count the characters up to each would take the
-- square of the time.
create or replace function rag_internal.cut_spans(
    input text,
    spans rag_internal.redacted_span[]
) returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _encoding constant name := getdatabaseencoding();
    _bytes bytea;
begin
    if spans = '{}' then
        return input;
    end if;
    _bytes := convert_to(input, _encoding);
    return (
        select string_agg(
                   convert_from(substring(_bytes from s.kept_from + 1
                                          for s.first_byte - s.kept_from), _encoding)
                   || s.replacement, '' order by s.first_byte)
               || convert_from(substring(_bytes from max(s.past_byte) + 1), _encoding)
        from (select p.first_byte, p.past_byte, p.replacement,
                     coalesce(lag(p.past_byte) over (order by p.first_byte), 0) as kept_from
              from unnest(spans) p) s);
end
$$;

comment on function rag_internal.cut_spans(text, rag_internal.redacted_span[]) is
    'The text with each of its spans replaced.';
alter function rag_internal.cut_spans(text, rag_internal.redacted_span[]) owner to rag_owner;
revoke all on function rag_internal.cut_spans(text, rag_internal.redacted_span[]) from public;
