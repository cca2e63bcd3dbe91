-- Whether a text has nothing to see: white space, control and zero-width characters alone.
create or replace function rag_internal.is_blank(content text) returns boolean
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select coalesce(content ~ '^[\s\u0001-\u001f\u007f-\u00a0\u00ad\u200b-\u200f\u2028-\u202f'
                              '\u2060-\u2064\u3000\ufeff]*$', true)
$$;

comment on function rag_internal.is_blank(text) is
    'True for null and for a text without one visible character.';
alter function rag_internal.is_blank(text) owner to rag_owner;
revoke all on function rag_internal.is_blank(text) from public;
