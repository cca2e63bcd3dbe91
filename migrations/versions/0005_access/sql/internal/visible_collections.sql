-- The collections an identity knows of, by name or all: what does not exist and
-- what is hidden look alike. A name means the identity's own collection of that name, else one it
-- has a part in owning, else the only other one that it sees.
create or replace function rag_internal.visible_collections(
    identity rag_internal.identity,
    names    text[]
) returns setof rag_internal.collection
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
declare
    _is_qualified boolean := array_to_string(names, ' ') ~ ':.*/';
    _principal_ids bigint[] := (identity).principal_ids;
    _sees_everything boolean := (identity).sees_everything;
    _name text;
    _collection rag_internal.collection;
    _meant bigint[];
    _others text;
    _candidates rag_internal.collection[];
begin
    _candidates := case
        when names is null then array(
            select k from rag_internal.collection k order by k.name, k.collection_id)
        when not _is_qualified then array(
            select k from rag_internal.collection k where k.name = any (names)
            order by k.name, k.collection_id)
        else array(
            select k
            from rag_internal.collection k
            join rag_internal.principal o on o.principal_id = k.owner_id
            where k.name = any (names)
               or rag_internal.qualified_names(k.name, o, k.tenant) && names
            order by k.name, k.collection_id) end;
    if not _sees_everything then
        _candidates := rag_internal.known_collections(identity, _candidates, names is not null);
    end if;
    if names is null then
        return query select c.* from unnest(_candidates) c;
        return;
    end if;

    for _name in select distinct n from unnest(names) n loop
        select array_agg(m.collection_id),
               string_agg((rag_internal.qualified_names(m.name, m.owner, m.tenant))[
                              case when _sees_everything then 2 else 1 end], ', '
                          order by m.tenant, m.name)
        into _meant, _others
        from (select c.collection_id, c.name, c.tenant, o as owner,
                     rank() over (order by c.name = _name,
                                           c.tenant <> (identity).tenant,
                                           rag_internal.reader_name(o)
                                               is distinct from (identity).reader,
                                           c.owner_id <> all (_principal_ids)) as place
              from unnest(_candidates) c
              join rag_internal.principal o on o.principal_id = c.owner_id
              where c.name = _name
                 or (_is_qualified
                     and _name = any (rag_internal.qualified_names(c.name, o, c.tenant)))) m
        where m.place = 1;
        if _meant is null then
            raise exception using
                errcode = 'P0002',
                message = format('collection "%s" does not exist or is not visible to you',
                                 coalesce(_name, 'null')),
                hint    = 'select name from rag.list_collections() shows those that are.';
        elsif cardinality(_meant) > 1 then
            raise exception using
                errcode = '42P09',
                message = format('several collections are named "%s"', _name),
                hint    = format('Name one with its owner: %s.', _others);
        end if;
        return query select c.* from unnest(_candidates) c where c.collection_id = _meant[1];
    end loop;
end
$$;

comment on function rag_internal.visible_collections(rag_internal.identity, text[]) is
    'Collections of those names (null: all) that the identity may know of, a name being plain or '
    'OWNER/NAME; P0002, in the same words for a missing and for a hidden one, 42P09 where a name '
    'may mean several.';
alter function rag_internal.visible_collections(rag_internal.identity, text[]) owner to rag_owner;
revoke all on function rag_internal.visible_collections(rag_internal.identity, text[]) from public;
