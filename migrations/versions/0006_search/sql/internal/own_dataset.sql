-- A dataset of the identity's own. Others have no part in it: questions may say what is asked, and
-- judgments what there is.
create or replace function rag_internal.own_dataset(identity rag_internal.identity, name text)
returns rag_internal.dataset
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _found rag_internal.dataset[] := array(
        select d
        from rag_internal.dataset d
        where d.name = own_dataset.name
          and ((identity).sees_everything
               or (d.owner_id = any ((identity).principal_ids) and d.tenant = (identity).tenant))
        -- an administrator's own before those of others
        order by d.owner_id = any ((identity).principal_ids) desc);
begin
    if cardinality(_found) = 0 then
        raise exception using
            errcode = 'P0002',
            message = format('dataset "%s" does not exist or is not yours', own_dataset.name),
            hint    = 'select name from rag.list_datasets() shows yours; rag.add_dataset(...) '
                      'makes one.';
    elsif cardinality(_found) > 1
          and (_found[1]).owner_id = any ((identity).principal_ids) is not true then
        raise exception using
            errcode = '42P09',
            message = format('several datasets are named "%s"', own_dataset.name),
            hint    = 'Their owners can evaluate by them.';
    end if;
    return _found[1];
end
$$;

comment on function rag_internal.own_dataset(rag_internal.identity, text) is
    'The dataset of that name that the identity owns, for who sees everything anybody''s; P0002 '
    'where there is none, 42P09 where there are several of others.';
alter function rag_internal.own_dataset(rag_internal.identity, text) owner to rag_owner;
revoke all on function rag_internal.own_dataset(rag_internal.identity, text) from public;
