-- The cosine of two vectors, without the NaN that pgvector gives for a vector of length zero.
create or replace function rag.cosine_similarity(
    a @extschema:vector@.vector,
    b @extschema:vector@.vector
) returns double precision
language plpgsql immutable strict parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _longer double precision := greatest(@extschema:vector@.vector_norm(a),
                                         @extschema:vector@.vector_norm(b));
    _shorter double precision := least(@extschema:vector@.vector_norm(a),
                                       @extschema:vector@.vector_norm(b));
begin
    if @extschema:vector@.vector_dims(a) <> @extschema:vector@.vector_dims(b) then
        raise exception using
            errcode = '22023',
            message = format('the vectors have %s and %s dimensions',
                             @extschema:vector@.vector_dims(a), @extschema:vector@.vector_dims(b)),
            hint    = 'Compare vectors of one model.';
    end if;
    if _shorter = 0 then
        return 0;
    elsif _shorter < 1e-15 or _longer > 1e15 then
        -- squares would leave the range of a float
        a := @extschema:vector@.l2_normalize(a);
        b := @extschema:vector@.l2_normalize(b);
    end if;
    return greatest(-1, least(1, 1 - (a operator(@extschema:vector@.<=>) b)));
end
$$;

comment on function rag.cosine_similarity(@extschema:vector@.vector, @extschema:vector@.vector) is
    'Cosine of the angle between two vectors, -1 to 1; 0 where one has length zero. Different '
    'dimensions are 22023.';
alter function rag.cosine_similarity(@extschema:vector@.vector,
    @extschema:vector@.vector) owner to rag_owner;
revoke all on function rag.cosine_similarity(@extschema:vector@.vector,
    @extschema:vector@.vector) from public;
grant execute on function rag.cosine_similarity(@extschema:vector@.vector,
    @extschema:vector@.vector) to rag_reader;
