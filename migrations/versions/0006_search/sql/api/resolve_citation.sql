-- The passage that a citation stands for, after its document was ingested again, too.
create or replace function rag.resolve_citation(
    citation text,
    token    text default null
) returns rag.resolved_citation
language sql stable parallel unsafe
begin atomic
    select rag_internal.resolve_citation(c.who, c.ticket, resolve_citation.citation,
                                         resolve_citation.token)
    from rag_internal.caller c;
end;

comment on function rag.resolve_citation(text, text) is
    'status: current, where the cited text stands where it stood; moved, elsewhere in its '
    'document; changed, it is gone, and this is what stands in its place. A document that is '
    'missing and one that is hidden are the same P0002; what is no citation is 22023. Where '
    'redaction rules hold for the caller, texts are redacted (offsets stay those of the '
    'original), and a citation that was made for somebody who reads the originals counts as '
    'changed.';
alter function rag.resolve_citation(text, text) owner to rag_owner;
revoke all on function rag.resolve_citation(text, text) from public;
grant execute on function rag.resolve_citation(text, text) to rag_reader;
