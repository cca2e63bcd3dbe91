-- Compounds and identifiers of a folded text as wholes; their parts are in word_stream. Two kinds:
--
-- joined, since others write them as one word: zk-7310 and zk7310, retry_policy_max and
--   retryPolicyMax, e-mail and email, o'neil and oneil, u.s.a and usa, node.js and nodejs. They are
--   parsed as words are, so that e-mails meets email.
-- exact, with their signs: 2.14.0, 2024-11-30, loader.py, settings.local.json, quarry.example,
--   ops.desk@quarry.example, c++, c#, .net.
--
-- Every whole costs space, so there is none of what nobody asks for whole: compounds of three and
-- more words (state-of-the-art) or of two long ones (boundary-layer), contractions (don't),
-- elisions (l'avion), paths and addresses beyond the names between their slashes.
create or replace function rag_internal.compound_forms(folded text) returns text[]
language plpgsql immutable strict parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _longest constant integer := 128;
    _joined text;
    _exact text;
    _more text;
begin
    if folded !~ (E'[a-z0-9\\u0080-\\u1fff][-._@''][a-z0-9_\\u0080-\\u1fff]|[a-z](?:\\+\\+|#)|'
                  '(?:^|[\\s"''`(/,=])\\.[a-z]') then
        return array[_joined, _exact];
    end if;
    select string_agg(translate(c.form, '-_', ''), ' ')
               filter (where c.form !~ '[.@]|^[-0-9]+$'
                         and c.form ~ ('^[^-]{1,5}-[^-]+$|^[^-]+-[^-]{1,4}$|_|'
                                       '[0-9].*[^-0-9]|[^-0-9].*[0-9]')),
           string_agg(c.form || ':' || c.place, ' ') filter (where c.form ~ '[.@]|^[-0-9]+$')
    into _joined, _exact
    from (select m.form[1] as form, m.place
          from regexp_matches(folded,
              E'[a-z0-9\\u0080-\\u0dff\\u0f00-\\u0fff\\u1e00-\\u1fff]+'
              '(?:(?:[-.@]|_+)[a-z0-9\\u0080-\\u0dff\\u0f00-\\u0fff\\u1e00-\\u1fff]+)+', 'g')
              with ordinality m (form, place)
          offset 0) c
    where octet_length(c.form) <= _longest;

    -- what the less simple of them are known by, too: the words in foo_bar.py, u.s.a. and node.js,
    -- both sides of a mail address, the version in v2.14.0 and libfoo-2.14.0
    if _exact ~ E'_|(?:^| )[a-z](?:\\.[a-z])+:|\\.js:' then
        select string_agg(translate(m.form[1], '._', ''), ' ')
        into _more
        from regexp_matches(
            _exact,
            E'[^ .@:_-]+(?:_+[^ .@:_-]+)+|\\m[a-z](?:\\.[a-z])+(?=:)|\\m[a-z]+\\.js(?=:)', 'g')
            m (form);
        _joined := nullif(concat_ws(' ', _joined, _more), '');
        _exact := regexp_replace(_exact, E'(^| )[a-z](?:\\.[a-z])+:[0-9]+', E'\\1', 'g');
    end if;
    if strpos(_exact, '@') > 0 then
        _exact := regexp_replace(_exact, '([^ @:]+)@([^ @:]+)(:[0-9]+)', E'\\1@\\2\\3 \\2\\3', 'g');
        _exact := regexp_replace(
            _exact, E'([^ @:]+\\.[^ @:]+)@([^ @:]+)(:[0-9]+)', E'\\1@\\2\\3 \\1\\3', 'g');
    end if;
    if _exact ~ '(?:^| )v[0-9]|[0-9]-|-v?[0-9]' then
        -- 2.14 has the words of v2.14.0, too
        select string_agg(m.form[1], ' ')
        into _more
        from regexp_matches(_exact, '(?:^| )v([0-9]+)[.]', 'g') m (form);
        _joined := nullif(concat_ws(' ', _joined, _more), '');
        _exact := regexp_replace(_exact, '(^| )v(?=[0-9])', E'\\1', 'g');
        _exact := regexp_replace(
            _exact, E'(?:(^| )|([^ @:]+-)v?)([0-9]+(?:\\.[0-9]+)+)((?:-[^ @:]+)?)(:[0-9]+)',
            E'\\1\\2\\3\\4\\5 \\3\\5', 'g');
    end if;

    -- a shorter rest is that of a contraction
    if strpos(folded, '''') > 0
       and folded ~ E'[a-z0-9\\u0080-\\u0dff]''[a-z\\u0080-\\u0dff]{3}' then
        select string_agg(m.form[1] || m.form[2], ' ')
        into _more
        from regexp_matches(
            folded, E'([a-z0-9\\u0080-\\u0dff]+)''([a-z\\u0080-\\u0dff]{3,})', 'g') m (form)
        where m.form[1] !~ '^(?:[cdjlmnst]|qu|[a-z]*ll|un)$'
          and octet_length(m.form[1]) + octet_length(m.form[2]) <= _longest;
        _joined := nullif(concat_ws(' ', _joined, _more), '');
    end if;
    if folded ~ E'[a-z](?:\\+\\+|#)|(?:^|[\\s"''`(/,=])\\.[a-z]' then
        select string_agg(c.form || ':' || c.place, ' ')
        into _more
        from (select coalesce(m.form[1], m.form[2]) as form, m.place
              from regexp_matches(folded,
                  E'([a-z]+(?:\\+\\+|#)(?![a-z#]))|(?:^|[\\s"''`(/,=])(\\.[a-z][a-z0-9]*)', 'g')
                  with ordinality m (form, place)) c
        where octet_length(c.form) <= _longest and (length(c.form) = 2 or c.form !~ '#');
        _exact := nullif(concat_ws(' ', _exact, _more), '');
    end if;
    return array[_joined, _exact];
end
$$;

comment on function rag_internal.compound_forms(text) is
    'Two texts: compounds joined to words; identifiers with their signs in the notation of a '
    'tsvector, a position for each occurrence. Null where there are none; no form is longer than '
    '128 bytes.';
alter function rag_internal.compound_forms(text) owner to rag_owner;
revoke all on function rag_internal.compound_forms(text) from public;
grant execute on function rag_internal.compound_forms(text) to rag_reader;
