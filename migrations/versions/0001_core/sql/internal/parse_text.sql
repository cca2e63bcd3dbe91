-- Parses folded text under a configuration given by name.
create or replace function rag_internal.parse_text(config text, folded text) returns tsvector
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _config regconfig;
begin
    begin
        _config := config::regconfig;
    exception when undefined_object or invalid_text_representation or invalid_name then
        raise exception using
            errcode = '22023',
            message = format('text search configuration "%s" does not exist', config),
            hint    = 'Names are in pg_ts_config, for example: simple, english, german.';
    end;
    return to_tsvector(_config, folded);
end
$$;

comment on function rag_internal.parse_text(text, text) is
    'to_tsvector under a configuration by name; an unknown one is 22023.';
alter function rag_internal.parse_text(text, text) owner to rag_owner;
revoke all on function rag_internal.parse_text(text, text) from public;
grant execute on function rag_internal.parse_text(text, text) to rag_reader;
