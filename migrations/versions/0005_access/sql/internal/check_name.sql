-- Refuses a name of a collection that people could not read or tell from another.
create or replace function rag_internal.check_name(name text) returns void
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    perform rag_internal.require_visible_text('name', check_name.name);
    if length(check_name.name) > 200
       or check_name.name
          ~ '[\u0001-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]' then
        raise exception using
            errcode = '22023',
            message = 'the name of a collection has at most 200 characters, and none that controls '
                      'how text is shown',
            hint    = 'Use letters, digits, spaces and signs.';
    elsif check_name.name ~ '(^|/)(role|user|group):' then
        raise exception using
            errcode = '22023',
            message = 'the name of a collection may not begin like that of an owner',
            hint    = 'OWNER/NAME, such as role:alice/notes, tells collections of one name apart.';
    end if;
end
$$;

comment on function rag_internal.check_name(text) is
    '22023 for a blank or long name, for control, bidirectional and zero-width characters, and '
    'for role:, user: or group: at its beginning.';
alter function rag_internal.check_name(text) owner to rag_owner;
revoke all on function rag_internal.check_name(text) from public;
