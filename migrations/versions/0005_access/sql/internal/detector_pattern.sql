-- What the named detectors look for. Rather too much than too little: no detector asks for the
-- beginning or end of a word, for what follows a secret directly may be anything, and none has an
-- upper limit where a longer match would leave a rest.
create or replace function rag_internal.detector_pattern(name text) returns text
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    -- what parts groups of digits: space, tab, no-break and thin spaces, dashes
    _gap constant text := '[ \t\u00a0\u2000-\u200a\u202f\u2010-\u2015\u2212-]{0,3}';
    _phone_gap constant text :=
        '[ \t\u00a0\u2000-\u200a\u202f\u2010-\u2015\u2212().\/-]{0,3}';
    _word constant text := '[^[:space:]@<>()\[\]{},;:"]+';
    _octets constant text := '[0-9]{1,3}(?:\.[0-9]{1,3}){3}';
    _key constant text := '[A-Z0-9 ]*?PRIVATE KEY[A-Z0-9 ]*?';
    _pattern constant text := case name
        when 'email' then _word || '@' || _word
        when 'phone' then '[+(]*[0-9](?:' || _phone_gap || '[0-9]){6,}'
        when 'credit_card' then '[0-9](?:' || _gap || '[0-9]){12,}'
        -- as it is printed, or in groups as it is typed
        when 'iban' then
            '[A-Z]{2}' || _gap || '[0-9]' || _gap || '[0-9](?:' || _gap || '[A-Z0-9]){11,}'
            || '|[A-Za-z]{2}[0-9]{2}(?:' || _gap || '[A-Za-z0-9]{4}){2,}'
            || '(?:' || _gap || '[A-Za-z0-9]{1,3})?'
        when 'us_ssn' then
            '[0-9]{3}(?:' || _gap || '|\.)[0-9]{2}(?:' || _gap || '|\.)[0-9]{4}'
        when 'ipv4' then _octets
        when 'ipv6' then
            '(?:[0-9A-Fa-f]{1,4}:){6}(?:[0-9A-Fa-f]{1,4}:[0-9A-Fa-f]{1,4}|' || _octets || ')'
            || '|(?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4}){0,6})?::'
            || '(?:(?:[0-9A-Fa-f]{1,4}:){0,6}(?:' || _octets || '|[0-9A-Fa-f]{1,4}))?'
        -- base64url of {" or of { and white space, and more
        when 'jwt' then 'e(?:y[ABIJ]|w[01klop])[A-Za-z0-9_=-]{7,}(?:\.[A-Za-z0-9_=-]*)+'
        when 'aws_access_key' then
            '(?:A3T[A-Z0-9]|A[BCGIKNRS][A-Z]A)[A-Z0-9]{16,}'
            || '|[Ss][Ee][Cc][Rr][Ee][Tt][_ -]?[Aa][Cc][Cc][Ee][Ss][Ss][_ -]?'
            || '[Kk][Ee][Yy][^A-Za-z0-9+/]{0,20}[A-Za-z0-9+/=]{30,}'
        -- to the end of the text, where the block does not end before
        when 'private_key' then
            '-{4,5} ?BEGIN' || _key || '-{4,5}.*?(?:-{4,5} ?END' || _key || '-{4,5}|$)'
        when 'url_password' then
            '[A-Za-z][A-Za-z0-9+.-]*:\/\/'
            || '(?:[^[:space:]/?#:]*:[^[:space:]]*|[^[:space:]/?#]*)@' end;
begin
    if _pattern is null then
        raise exception using
            errcode = '22023',
            message = format('there is no detector "%s"',
                             coalesce(left(detector_pattern.name, 100), 'null')),
            hint    = 'Known are email, phone, credit_card, iban, us_ssn, ipv4, ipv6, jwt, '
                      'aws_access_key, private_key and url_password.';
    end if;
    return _pattern;
end
$$;

comment on function rag_internal.detector_pattern(text) is
    'The regular expression of a detector; 22023 for an unknown one.';
alter function rag_internal.detector_pattern(text) owner to rag_owner;
revoke all on function rag_internal.detector_pattern(text) from public;
