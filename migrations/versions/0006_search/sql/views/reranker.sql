-- The rerankers that a search can name.
create or replace view rag.reranker with (security_invoker = true) as
select r.*
from rag_internal.caller c, lateral rag_internal.known_rerankers(c.who, c.ticket) r;

comment on view rag.reranker is
    'Registered rerankers. max_tokens: the window of question and passage together (null: the '
    'tokenizer says). endpoints: for rag_admin alone.';
alter view rag.reranker owner to rag_owner;
revoke all on rag.reranker from public;
grant select on rag.reranker to rag_reader;
