-- One lexical leg of a search, by name.
create or replace function rag_internal.run_leg(
    leg          text,
    query        text,
    scope        rag_internal.scope,
    depth        bigint,
    max_distance integer
) returns rag_internal.leg_hit[]
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
begin
    scope.acl_ids := null;  -- the engine keeps its own
    if leg = 'bm25' then
        return array(select h from rag_internal.bm25_leg(run_leg.query, scope, depth) h);
    end if;
    return array(select h from rag_internal.fuzzy_leg(run_leg.query, scope, depth, max_distance) h);
end
$$;

comment on function rag_internal.run_leg(text, text, rag_internal.scope, bigint, integer) is
    'The best passages of a lexical leg (bm25, fuzzy), at most depth of them, ranked from 1.';
alter function rag_internal.run_leg(text, text, rag_internal.scope, bigint, integer) owner to
    rag_owner;
revoke all on function rag_internal.run_leg(text, text, rag_internal.scope, bigint, integer) from
    public;
