-- Compounds and identifiers of a folded text as wholes; their parts are in word_stream. Two kinds:
--
-- joined, since others write them as one word: zk-7310 and zk7310, retry_policy_max and
--   retryPolicyMax, e-mail and email, o'neil and oneil, u.s.a and usa, node.js and nodejs. They are
--   parsed as words are, so that e-mails meets email.
-- exact, with their signs: 2.14.0 (and v2.14.0), 2024-11-30, loader.py, settings.local.json,
--   quarry.example, ops.desk@quarry.example and its two sides, c++, c#, .net.
--
-- Every whole costs space, so there is none of what nobody asks for whole: compounds of three and
-- more words (state-of-the-art) or of two long ones (boundary-layer), contractions (don't),
-- elisions (l'avion), paths and addresses beyond the names between their slashes.
create or replace function rag_internal.compound_forms(folded text) returns text[]
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _longest constant integer := 128;
    _joined text;
    _exact text;
    _named text;
begin
    select string_agg(
               case when strpos(c.form, '@') > 0 then null
                    when strpos(c.form, '.') > 0 then
                        case when c.form ~ '^[a-z](?:\.[a-z])+$|^[a-z]+\.js$'
                             then translate(c.form, '.', '')
                             when c.form ~ '[-_]'
                             then (select string_agg(translate(s.part, '-_', ''), ' ')
                                   from string_to_table(c.form, '.') s (part)
                                   where s.part ~ '[-_]' and s.part ~ '[^-0-9]') end
                    when strpos(c.form, '''') > 0 then
                        case when c.form !~ '^(?:[cdjlmnst]|qu|[a-z]*ll|un)''|''(?:[dmst]|ll|re|ve)$'
                             then translate(c.form, '''', '') end
                    when c.form ~ ('^(?:[^-]{1,5}-[^-]+|[^-]+-[^-]{1,5})$|[0-9].*[^-0-9]|'
                                   '[^-0-9].*[0-9]|_') and c.form ~ '[^-0-9]'
                    then translate(c.form, '-_', '') end, ' '),
           string_agg(
               case when strpos(c.form, '@') > 0 then
                        (select string_agg('''' || s.side || ''':' || c.place, ' ')
                         from (select c.form as side
                               union all
                               select string_to_table(c.form, '@')) s
                         where s.side ~ '[@.]')
                    when strpos(c.form, '''') > 0 or c.form ~ '^[a-z](?:\.[a-z])+$' then null
                    when strpos(c.form, '.') > 0 then
                        '''' || regexp_replace(c.form, '^v(?=[0-9])', '') || ''':' || c.place
                        || case when c.form ~ '^v?[0-9]+(?:\.[0-9]+)+-|-v?[0-9]+(?:\.[0-9]+)+$'
                                then ' ''' || substring(c.form, '([0-9]+(?:\.[0-9]+)+)')
                                     || ''':' || c.place
                                else '' end
                    when c.form !~ '[^-0-9]' then '''' || c.form || ''':' || c.place end, ' ')
    into _joined, _exact
    from (select m.form[1] as form, m.place
          from regexp_matches(folded,
              '[a-z0-9\u0080-\u0dff\u0f00-\u0fff\u1e00-\u1fff]+'
              '(?:(?:[-.@'']|_+)[a-z0-9\u0080-\u0dff\u0f00-\u0fff\u1e00-\u1fff]+)+', 'g')
              with ordinality m (form, place)) c
    where length(c.form) <= _longest;

    if folded ~ '[a-z](?:\+\+|#)|(?:^|[\s"''`(/,=])\.[a-z]' then
        select string_agg('''' || c.form || ''':' || c.place, ' ')
        into _named
        from (select coalesce(m.form[1], m.form[2]) as form, m.place
              from regexp_matches(folded,
                  '([a-z]+(?:\+\+|#)(?![a-z#]))|(?:^|[\s"''`(/,=])(\.[a-z][a-z0-9]*)', 'g')
                  with ordinality m (form, place)) c
        where length(c.form) <= _longest and (length(c.form) = 2 or c.form !~ '#');
        _exact := concat_ws(' ', _exact, _named);
    end if;
    return array[_joined, _exact];
end
$$;

comment on function rag_internal.compound_forms(text) is
    'Two texts: compounds joined to words; identifiers with their signs in the notation of a tsvector,'
    'a position for each occurrence. Null where there are none; no form is longer than 128 characters.';
alter function rag_internal.compound_forms(text) owner to rag_owner;
revoke all on function rag_internal.compound_forms(text) from public;
grant execute on function rag_internal.compound_forms(text) to rag_reader;
