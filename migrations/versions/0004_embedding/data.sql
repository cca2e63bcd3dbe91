-- On the way up: rag.model has left the function that it read before, which could not go earlier.
do $$
begin
    if to_regprocedure('rag_internal.known_models(name, bytea)') is not null then
        drop function if exists rag_internal.readable_models(name, bytea);
    end if;
end
$$;
