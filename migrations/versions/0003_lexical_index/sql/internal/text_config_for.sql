-- The configuration for a language as documents name theirs: a code of ISO 639, a tag with a region
-- or script (de-AT, pt_BR), or the name in English.
create or replace function rag_internal.text_config_for(language text, default_config text)
returns text
language sql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select coalesce(
        (select l.config
         from (values
             ('arabic', '{ar,ara}'::text[]), ('armenian', '{hy,arm,hye}'),
             ('basque', '{eu,baq,eus}'), ('catalan', '{ca,cat,valencian}'),
             ('danish', '{da,dan}'), ('dutch', '{nl,dut,nld,flemish}'), ('english', '{en,eng}'),
             ('estonian', '{et,est}'), ('finnish', '{fi,fin}'), ('french', '{fr,fre,fra}'),
             ('german', '{de,ger,deu}'), ('greek', '{el,gre,ell}'), ('hindi', '{hi,hin}'),
             ('hungarian', '{hu,hun}'), ('indonesian', '{id,ind}'), ('irish', '{ga,gle}'),
             ('italian', '{it,ita}'), ('lithuanian', '{lt,lit}'), ('nepali', '{ne,nep}'),
             ('norwegian', '{no,nb,nn,nor,nob,nno,bokmal,nynorsk}'), ('portuguese', '{pt,por}'),
             ('romanian', '{ro,rum,ron,moldavian}'), ('russian', '{ru,rus}'),
             ('serbian', '{sr,srp}'), ('spanish', '{es,spa,castilian}'), ('swedish', '{sv,swe}'),
             ('tamil', '{ta,tam}'), ('turkish', '{tr,tur}'), ('yiddish', '{yi,yid}')
         ) l (config, names)
         join pg_ts_config c on c.cfgname = l.config
                            and c.cfgnamespace = 'pg_catalog'::regnamespace
         where n.name = l.config or n.name = any (l.names)),
        default_config)
    from (select (regexp_match(lower(btrim(language) collate "C"),
                               '^([a-z]+)(?:[-_.@].*)?$'))[1] as name) n
$$;

comment on function rag_internal.text_config_for(text, text) is
    'The configuration of pg_catalog for a language code, tag or English name; the default where '
    'there is none.';
alter function rag_internal.text_config_for(text, text) owner to rag_owner;
revoke all on function rag_internal.text_config_for(text, text) from public;
