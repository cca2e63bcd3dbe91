-- The beginning of a word as the index would have it: names with signs stand there as one word,
-- versions without their v.
create or replace function rag_internal.prefix_form(prefix text) returns text
language sql stable strict parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select translate(regexp_replace(rag_internal.fold_text(prefix), '^v([0-9]+[.])', '\1'), '-_''',
                     '')
$$;

comment on function rag_internal.prefix_form(text) is
    'zk73 for ZK-73: what a word of the query before its * is looked up by.';
alter function rag_internal.prefix_form(text) owner to rag_owner;
revoke all on function rag_internal.prefix_form(text) from public;
