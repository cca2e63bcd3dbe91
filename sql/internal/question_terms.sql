-- The words of a question that make it another one: codes, numbers and names, which vectors hardly
-- tell apart.
create or replace function rag_internal.question_terms(query text) returns bytea
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _question rag_internal.question := rag_internal.read_question(query);
begin
    if cardinality(_question.phrases || _question.excluded) > 0
       or _question.content <> btrim(regexp_replace(query, '\s+', ' ', 'g')) then
        return null;  -- signs say what words do not
    end if;
    return sha256(convert_to((
        select coalesce(string_agg(distinct w.word, ' ' order by w.word), '')
        from (select btrim(t, $s$.,;:!?()[]{}"'$s$) as word
              from regexp_split_to_table(query, '\s+') t) w
        where w.word ~ '[0-9_./\\@#:-]' or substr(w.word, 2) ~ '[[:upper:]]'
           or lower(w.word) in ('not', 'no', 'without', 'except', 'excluding', 'never', 'nor',
                                'none', 'cannot')
           or lower(w.word) ~ 'n[''\u2019]t$'), 'UTF8'));
end
$$;

comment on function rag_internal.question_terms(text) is
    'A hash of the words with digits, signs or capitals within, and of negations; null for a '
    'question with phrases, exclusions or prefixes.';
alter function rag_internal.question_terms(text) owner to rag_owner;
revoke all on function rag_internal.question_terms(text) from public;
