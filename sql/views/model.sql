-- The models that the caller may know of.
create or replace view rag.model with (security_invoker = true) as
select r.*
from rag_internal.caller c, lateral rag_internal.known_models(c.who, c.ticket) r;

comment on view rag.model is
    'Registered models: all for a writer, those of its collections for a reader. Dimensions and '
    'the window (max_tokens, special tokens included; null: unknown) belong to the model. '
    'endpoints: for rag_admin alone.';
alter view rag.model owner to rag_owner;
revoke all on rag.model from public;
grant select on rag.model to rag_reader;
