-- The texts in a JSON value: all of it, then keys, strings and numbers at any depth, one by one.
create or replace function rag_internal.json_texts(value jsonb) returns text[]
language sql immutable parallel safe
begin atomic
    select array[value::text] || array(
        select v #>> '{}'
        from jsonb_path_query(
            value, 'strict $.** ? (@.type() == "string" || @.type() == "number")') v
        union all
        select k
        from jsonb_path_query(value, 'strict $.** ? (@.type() == "object")') o,
             lateral jsonb_object_keys(o) k);
end;

comment on function rag_internal.json_texts(jsonb) is
    'The value as text, its keys, strings and numbers.';
alter function rag_internal.json_texts(jsonb) owner to rag_owner;
revoke all on function rag_internal.json_texts(jsonb) from public;
