-- An answer that is kept, to this question or to one that means the same.
create or replace function rag_internal.cached_answer(
    key     bytea,
    request rag_internal.search_request,
    scope   rag_internal.scope,
    out answer rag_internal.cached_answer,
    out route  text
)
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _least constant double precision := ((request).cache ->> 'similarity')::double precision;
    _terms bytea;
    _vector @extschema:vector@.vector;
begin
    select a.* into answer
    from rag_internal.cached_answer a
    where a.key = cached_answer.key
      and a.question_hash = rag_internal.keyed_hash(convert_to((request).query, 'UTF8'))
      and a.expires_at > clock_timestamp()
    order by a.expires_at desc
    limit 1;
    if found then
        route := 'exact';
        return;
    end if;
    route := 'miss';
    if _least is null then
        return;
    end if;
    _terms := rag_internal.question_terms((request).query);
    _vector := rag_internal.question_vector(request, scope);
    if _terms is null or _vector is null then
        return;
    end if;
    select a.* into answer
    from rag_internal.cached_answer a
    where a.key = cached_answer.key and a.question_terms = _terms
      and a.expires_at > clock_timestamp()
      and 1 - (a.query_vector operator(@extschema:vector@.<=>) _vector) >= _least
    order by a.query_vector operator(@extschema:vector@.<=>) _vector
    limit 1;
    if found then
        route := 'similar';
    end if;
end
$$;

comment on function rag_internal.cached_answer(bytea, rag_internal.search_request,
    rag_internal.scope) is
    'The answer and the route to it: exact (the same question), similar (one whose vector is at '
    'least as near as the cache asks for, with the same codes, numbers and names), or miss.';
alter function rag_internal.cached_answer(bytea, rag_internal.search_request, rag_internal.scope)
    owner to rag_owner;
revoke all on function rag_internal.cached_answer(bytea, rag_internal.search_request,
    rag_internal.scope) from public;
