-- A JSON array of strings as text[]; null stays null.
create or replace function rag_internal.text_array(items jsonb) returns text[]
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    if items is null or items = 'null' then
        return null;
    elsif jsonb_typeof(items) <> 'array'
          or jsonb_path_exists(items, 'strict $[*] ? (@.type() != "string")') then
        raise exception using
            errcode = '22023',
            message = 'tags and readers are JSON arrays of strings';
    end if;
    return array(select jsonb_array_elements_text(items));
end
$$;

comment on function rag_internal.text_array(jsonb) is
    'text[] of a JSON array of strings; anything else is 22023.';
alter function rag_internal.text_array(jsonb) owner to rag_owner;
revoke all on function rag_internal.text_array(jsonb) from public;
