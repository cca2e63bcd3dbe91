-- The one analyzer: what documents are indexed by and queries are asked in.
create or replace function rag.analyze(content text, config text default 'english') returns tsvector
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
    return to_tsvector(_config, rag_internal.fold_text(content));
end
$$;

comment on function rag.analyze(text, text) is
    'The lexemes of a text under a text search configuration, accents and compatibility forms folded. '
    'An unknown configuration is 22023.';
alter function rag.analyze(text, text) owner to rag_owner;
revoke all on function rag.analyze(text, text) from public;
grant execute on function rag.analyze(text, text) to rag_reader;
