-- Refuses an argument without one visible character.
create or replace function rag_internal.require_visible_text(argument text, content text)
returns void
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    if rag_internal.is_blank(content) then
        raise exception using
            errcode = '22023',
            message = case argument
                          when 'content' then 'content too small to chunk'
                          else format('%s has no visible character', argument) end,
            hint    = format('Give %s at least one visible character.', argument);
    end if;
end
$$;

comment on function rag_internal.require_visible_text(text, text) is
    '22023 where content is null or made of white space, control and zero-width characters alone.';
alter function rag_internal.require_visible_text(text, text) owner to rag_owner;
revoke all on function rag_internal.require_visible_text(text, text) from public;
