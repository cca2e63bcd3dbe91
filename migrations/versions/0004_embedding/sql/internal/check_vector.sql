-- A vector that somebody gives, as it is stored: of the model's dimensions and of length one.
create or replace function rag_internal.check_vector(
    v     @extschema:vector@.vector,
    model rag_internal.model,
    what  text
) returns @extschema:vector@.vector
language plpgsql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
begin
    if @extschema:vector@.vector_dims(v) <> (model).dimensions then
        raise exception using
            errcode = '22023',
            message = format('%s has %s dimensions, but model "%s" has %s', what,
                             @extschema:vector@.vector_dims(v), (model).name, (model).dimensions),
            hint    = 'Was it made by another model? rag.model lists them with their dimensions.';
    elsif @extschema:vector@.vector_norm(v) < 1e-6 then
        raise exception using
            errcode = '22023',
            message = format('%s has length zero, and so no direction', what),
            hint    = 'Leave it null: a passage without a vector is found by its words.';
    end if;
    return @extschema:vector@.l2_normalize(v);
end
$$;

comment on function rag_internal.check_vector(@extschema:vector@.vector, rag_internal.model,
    text) is
    'The vector scaled to length 1; 22023 for other dimensions than the model''s (naming both) '
    'and for length zero. null stays null.';
alter function rag_internal.check_vector(@extschema:vector@.vector, rag_internal.model,
    text) owner to rag_owner;
revoke all on function rag_internal.check_vector(@extschema:vector@.vector, rag_internal.model,
    text) from public;
