-- What a distance of pgvector is as a similarity: the score of the semantic leg.
create or replace function rag.similarity(distance double precision, metric text)
returns double precision
language plpgsql immutable strict parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    if metric not in ('cosine', 'l2', 'inner_product') then
        raise exception using
            errcode = '22023',
            message = format('unknown metric "%s"', metric),
            hint    = 'Known metrics: cosine, l2, inner_product.';
    end if;
    return case metric when 'cosine' then 1 - distance
                       when 'l2' then 1 / (1 + greatest(distance, 0))
                       else 0 - distance end;
end
$$;

comment on function rag.similarity(double precision, text) is
    'A distance as a similarity, the higher the nearer: cosine 1 - d, l2 1 / (1 + d), '
    'inner_product -d (pgvector''s <#> is negative).';
alter function rag.similarity(double precision, text) owner to rag_owner;
revoke all on function rag.similarity(double precision, text) from public;
grant execute on function rag.similarity(double precision, text) to rag_reader;
