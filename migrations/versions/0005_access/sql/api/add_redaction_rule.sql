-- Hides what matches in the texts of a collection from most of its readers.
create or replace function rag.add_redaction_rule(
    collection  text,
    name        text,
    pattern     text default null,
    detector    text default null,
    replacement text default '[redacted]'
) returns boolean
language sql volatile parallel unsafe
begin atomic
    select rag_internal.add_redaction_rule(
               c.who, c.ticket, add_redaction_rule.collection, add_redaction_rule.name,
               add_redaction_rule.pattern, add_redaction_rule.detector,
               add_redaction_rule.replacement)
    from rag_internal.caller c;
end;

comment on function rag.add_redaction_rule(text, text, text, text, text) is
    'Adds a rule to a collection, or changes the one of that name; whether that changed something. '
    'What matches the pattern (a regular expression of PostgreSQL) or the detector (email, phone, '
    'credit_card, iban, us_ssn, ipv4, ipv6, jwt, aws_access_key, private_key, url_password) is '
    'shown as the replacement, a literal text, to all but the owner and those of '
    'rag.grant_unredacted. 22023 for a pattern that is invalid, empty, longer than 1,000 '
    'characters, matches the empty string or has back-references, and for a replacement that a '
    'rule of the collection matches.';
alter function rag.add_redaction_rule(text, text, text, text, text) owner to rag_owner;
revoke all on function rag.add_redaction_rule(text, text, text, text, text) from public;
grant execute on function rag.add_redaction_rule(text, text, text, text, text) to rag_writer;
