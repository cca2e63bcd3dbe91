-- How a model's vectors are stored, ranked and indexed: the one place that says so, because an
-- index serves only the very expression that it was made on.
create or replace function rag_internal.vector_form(
    model          rag_internal.model,
    out stored_in  text,
    out ranked     text,
    out ranked_by  text,
    out indexed    text,
    out indexed_by text,
    out operators  text
)
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _of_metric text := case (model).metric when 'cosine' then 'cosine' when 'l2' then 'l2'
                                           else 'ip' end;
    _dimensions integer := (model).dimensions;
begin
    stored_in := case (model).storage when 'vector' then 'full_v' else 'v' end;
    ranked := format('(%%s::@extschema:vector@.%s(%s))', (model).storage, _dimensions);
    ranked_by := format(
        'operator(@extschema:vector@.%s)',
        case (model).metric when 'cosine' then '<=>' when 'l2' then '<->' else '<#>' end);
    indexed_by := ranked_by;
    if (model).quantization = 'binary' then
        indexed := format('(@extschema:vector@.binary_quantize(%s)::bit(%s))', ranked, _dimensions);
        indexed_by := 'operator(@extschema:vector@.<~>)';
        operators := '@extschema:vector@.bit_hamming_ops';
    elsif (model).storage = 'vector' and _dimensions <= 2000 then
        indexed := ranked;
        operators := format('@extschema:vector@.vector_%s_ops', _of_metric);
    elsif _dimensions <= 4000 then
        indexed := format('(%%s::@extschema:vector@.halfvec(%s))', _dimensions);
        operators := format('@extschema:vector@.halfvec_%s_ops', _of_metric);
    end if;
end
$$;

comment on function rag_internal.vector_form(rag_internal.model) is
    'Column of rag_internal.embedding, the expression of a vector that passages are ranked by and '
    'the one that is indexed (%s stands for the vector; null: too many dimensions), with their '
    'operators and the operator class.';
alter function rag_internal.vector_form(rag_internal.model) owner to rag_owner;
revoke all on function rag_internal.vector_form(rag_internal.model) from public;
