-- Back to roles as the only identities. What guards text today and would not tomorrow is not taken
-- away in passing: it has to be given up first.
do $$
declare
    _what text;
    _hint text;
begin
    if exists (select from rag_internal.redaction_rule) then
        _what := 'collections have redaction rules';
        _hint := 'rag.drop_redaction_rule for each, or rag.drop_collection; then downgrade.';
    elsif exists (select from rag_internal.role_rule) then
        _what := 'roles have rules: '
              || (select string_agg(r.name, ', ' order by r.name) from rag_internal.role_rule r);
        _hint := 'rag.configure_role(role, token_required => false, clearance => 0, '
                 'tenant => '''') for each; then downgrade.';
    elsif exists (select from rag_internal.restricted_tenant) then
        _what := 'tenants are restricted to the sources they are allowed';
        _hint := 'rag.allow_all_sources(tenant) for each; then downgrade.';
    elsif exists (select from rag_internal.document d
                  join rag_internal.acl a using (acl_id) where a.grants_id is not null) then
        _what := 'documents have levels of their own, and the readers of their collection';
        _hint := 'rag.set_readers(document_ids => ...) brings them back under their collection; '
                 'then downgrade.';
    elsif exists (select from rag_internal.collection k
                  group by k.tenant, k.name having count(*) > 1) then
        _what := 'collections of several owners have the same name';
        _hint := 'rag.rename_collection all but one of each name; then downgrade.';
    end if;
    if _what is not null then
        raise exception using
            errcode = '55000',
            message = 'this downgrade would end what guards documents: ' || _what,
            hint    = _hint;
    end if;
end
$$;

-- views stay, for the sake of those that others have made over them, without what they read
do $$
declare
    _name text;
begin
    foreach _name in array array['document', 'chunk'] loop
        execute format(
            'create or replace view rag.%I with (security_invoker = true) as select %s where false',
            _name,
            (select string_agg(format('null::%s as %I', a.atttypid::regtype, a.attname), ', '
                               order by a.attnum)
             from pg_catalog.pg_attribute a
             where a.attrelid = format('rag.%I', _name)::regclass and a.attnum > 0));
    end loop;
end
$$;

drop policy read_job on rag_internal.job;
drop policy read_ingest_log on rag_internal.ingest_log;
drop function rag.add_identity_key(text, text, text, text, text, text, timestamptz, timestamptz);
drop function rag.add_redaction_rule(text, text, text, text, text);
drop function rag.allow_all_sources(text);
drop function rag.allow_source(text, text, boolean, boolean);
drop function rag.bm25_search(text, text[], integer, jsonb, jsonpath, jsonb, integer, text);
drop function rag.get_chunks(uuid, text);
drop function rag.configure_role(text, boolean, integer, text);
drop function rag.configure_search_log(text, integer);
drop function rag.correct_query(text, text[], text);
drop function rag.create_collection(text, text, text[], text, integer, integer, integer, text,
    text, jsonb, real, integer, integer, integer, text);
drop function rag.delete_document(uuid);
drop function rag.delete_source(text, text);
drop function rag.disallow_source(text, text);
drop function rag.get_document(uuid, text);
drop function rag.drop_identity_key(text);
drop function rag.drop_redaction_rule(text, text);
drop function rag.erase_content(text, text, text[], boolean);
drop function rag.explain_bm25(text, uuid, integer, text[], text);
drop function rag.explain_search(text, text[], integer, text, jsonb, jsonpath, jsonb, jsonb,
    integer, integer, boolean, @extschema:vector@.vector, text);
drop function rag.fuzzy_search(text, text[], integer, jsonb, jsonpath, jsonb, integer, text);
drop function rag.grant_read(text, text, uuid, text[], uuid[]);
drop function rag.grant_unredacted(text, text);
drop function rag.grant_write(text, text, text[]);
drop function rag.ingest(text, text, text, text, text[], jsonb, text[], text, text, text,
    timestamptz, timestamptz, text, integer, integer, integer, text, integer);
drop function rag.ingest_chunks(text, jsonb, text, text, text, text[], jsonb, text[], text, text,
    text, timestamptz, timestamptz, text, integer);
drop function rag.list_identity_keys();
drop function rag.list_readers(text, uuid);
drop function rag.list_redaction_rules(text);
drop function rag.list_sources();
drop function rag.prune_search_log(interval);
drop function rag.revoke_read(text, text, uuid, text[], uuid[]);
drop function rag.revoke_unredacted(text, text);
drop function rag.revoke_write(text, text, text[]);
drop procedure rag.scrub(interval);
drop function rag.scrub_step(text, timestamptz);
drop function rag.search(text, text[], integer, text, jsonb, jsonpath, jsonb, jsonb, integer,
    integer, boolean, @extschema:vector@.vector, text);
drop view rag.search_log;
drop function rag.semantic_search(text, text[], integer, jsonb, jsonpath, jsonb, integer,
    @extschema:vector@.vector, text);
drop function rag.set_identity(text);
drop function rag.set_readers(text, text[], uuid, integer, uuid[]);
drop function rag.set_user(text, text[], text, integer);
drop function rag.whoami(text);
drop function rag_internal.add_identity_key(name, bytea, text, text, text, text, text, text,
    timestamptz, timestamptz);
drop function rag_internal.add_redaction_rule(name, bytea, text, text, text, text, text);
drop function rag_internal.allow_source(name, bytea, text, text, boolean, boolean);
drop function rag_internal.any_matches(text[], text, text);
drop function rag_internal.authenticate(name, bytea, text);
drop function rag_internal.change_readers(name, bytea, text, text[], uuid[], boolean);
drop function rag_internal.change_unredacted(name, bytea, text, text, boolean);
drop function rag_internal.change_writers(name, bytea, text, text[], boolean);
drop function rag_internal.check_erasure_pattern(text, text);
drop function rag_internal.check_grant(text, uuid[], text[]);
drop function rag_internal.check_pattern(text);
drop function rag_internal.check_redaction_rule(rag_internal.redaction_rule);
drop function rag_internal.check_search(text, @extschema:vector@.vector, text, integer, integer);
drop function rag_internal.check_security_level(integer);
drop function rag_internal.check_sources(rag_internal.identity, text[], text, boolean);
drop function rag_internal.configure_role(name, bytea, text, boolean, integer, text);
drop function rag_internal.configure_search_log(name, bytea, text, integer);
drop function rag_internal.correct_query(name, bytea, text, text[], text);
drop function rag_internal.create_collection(rag_internal.identity, text, text, text[], text,
    integer, integer, integer, text, text, jsonb, real, integer, integer, integer, text);
drop function rag_internal.cut_spans(text, rag_internal.redacted_span[]);
drop function rag_internal.delete_document(name, bytea, uuid);
drop function rag_internal.delete_documents(rag_internal.identity, uuid[]);
drop function rag_internal.delete_source(name, bytea, text, text);
drop function rag_internal.detector_pattern(text);
drop function rag_internal.disallow_source(name, bytea, text, text, boolean);
drop function rag_internal.document_acl(rag_internal.collection, text[], integer, rag_internal.acl);
drop function rag_internal.draft_document(rag_internal.collection, text, text, text, text[], jsonb,
    text[], text, text, text, timestamptz, timestamptz, integer);
drop function rag_internal.drop_identity_key(name, bytea, text);
drop function rag_internal.drop_redaction_rule(name, bytea, text, text);
drop function rag_internal.embed_query(text, rag_internal.model, text);
drop function rag_internal.erasable_collections(rag_internal.identity, text[]);
drop function rag_internal.erase_content(name, bytea, text, text, text[], boolean);
drop function rag_internal.erase_entries(uuid[]);
drop function rag_internal.erase_errors(rag_internal.identity, bigint[], text, text);
drop function rag_internal.erase_logs(rag_internal.identity, uuid[], rag.removal[], text, text,
    boolean);
drop function rag_internal.explain_bm25(name, bytea, text, uuid, integer, text[], text);
drop function rag_internal.explain_search(name, bytea, text, text, text[], integer, text, jsonb,
    jsonpath, jsonb, jsonb, integer, integer, boolean, @extschema:vector@.vector);
drop function rag_internal.forget_searches(interval);
drop function rag_internal.grantees(text[], text, boolean);
drop function rag_internal.has_rule(name, text);
drop function rag_internal.identity_names(rag_internal.identity);
drop function rag_internal.ingest(name, bytea, text, text, text, text, text[], jsonb, text[], text,
    text, text, timestamptz, timestamptz, text, integer, integer, integer, text, integer);
drop function rag_internal.ingest_chunks(name, bytea, text, jsonb, text, text, text, text[], jsonb,
    text[], text, text, text, timestamptz, timestamptz, text, integer);
drop function rag_internal.ingested(rag_internal.document, text, integer, bigint,
    rag_internal.identity);
drop function rag_internal.intern_readers(bigint[], text, smallint);
drop function rag_internal.is_kept_by_snapshot();
drop function rag_internal.is_own_name(rag_internal.identity, rag_internal.collection);
drop function rag_internal.is_own_work(name, bytea, name, oid, text, text);
drop function rag_internal.is_session_role(name);
drop function rag_internal.json_texts(jsonb);
drop function rag_internal.keyed_hash(bytea);
drop function rag_internal.known_collections(rag_internal.identity, rag_internal.collection[],
    boolean);
drop function rag_internal.letters_of(text);
drop function rag_internal.level_acl(rag_internal.collection, smallint);
drop function rag_internal.list_identity_keys(name, bytea);
drop function rag_internal.list_readers(name, bytea, text, uuid);
drop function rag_internal.list_redaction_rules(name, bytea, text);
drop function rag_internal.list_sources(name, bytea);
drop function rag_internal.lock_collections(rag_internal.identity, uuid[]);
drop function rag_internal.log_search(rag_internal.retrieval, text, text[]);
drop function rag_internal.make_collection(name, bytea, text, text, text[], text, integer, integer,
    integer, text, text, jsonb, real, integer, integer, integer, text);
drop function rag_internal.matches_pattern(text, text, text);
drop function rag_internal.matching_documents(rag_internal.identity, bigint[], text, text, uuid[]);
drop function rag_internal.nobody(name, text);
drop function rag_internal.own_collection(rag_internal.identity, text, boolean, boolean);
drop function rag_internal.owned_document(rag_internal.identity, uuid, boolean, boolean);
drop function rag_internal.owner_for(rag_internal.identity);
drop function rag_internal.owner_name(rag_internal.principal);
drop function rag_internal.owns_collection(rag_internal.identity, rag_internal.collection);
drop function rag_internal.owns_job(rag_internal.job, rag_internal.identity);
drop function rag_internal.owns_work(name, oid, text, text, rag_internal.identity);
drop function rag_internal.plain_identity(name);
drop function rag_internal.principal_for(text, text);
drop function rag_internal.principal_key(text, text);
drop function rag_internal.principals_named(text, text);
drop function rag_internal.prune_search_log(name, bytea, interval);
drop function rag_internal.prune_words();
drop function rag_internal.purge_segment();
drop function rag_internal.qualified_names(text, rag_internal.principal, text);
drop function rag_internal.queue_embeddings(rag_internal.collection, uuid, integer,
    rag_internal.identity);
drop function rag_internal.readable_chunks(name, bytea, uuid, text);
drop function rag_internal.readable_documents(name, bytea, uuid, text);
drop function rag_internal.readable_search_log(name, bytea);
drop function rag_internal.reader_name(rag_internal.principal);
drop function rag_internal.redact(rag_internal.redaction_rule[], text);
drop function rag_internal.redact_chunk(rag_internal.chunk, rag_internal.redaction);
drop function rag_internal.redact_document(rag_internal.document);
drop function rag_internal.redact_hit(rag.hit, rag_internal.redaction, bytea);
drop function rag_internal.redact_hits(rag_internal.identity, rag.hit[], bigint[]);
drop function rag_internal.redact_json(rag_internal.redaction, jsonb);
drop function rag_internal.redact_label(rag_internal.redaction, text, boolean);
drop function rag_internal.redact_labels(rag_internal.redaction, text[], boolean);
drop function rag_internal.redact_passage(rag_internal.redaction, text, integer);
drop function rag_internal.redact_text(bigint[], text);
drop function rag_internal.redacted_collections(rag_internal.identity);
drop function rag_internal.redacted_spans(rag_internal.redaction_rule[], text);
drop function rag_internal.redaction_of(rag_internal.document, rag_internal.redaction_rule[]);
drop function rag_internal.redaction_rules(bigint[]);
drop function rag_internal.removals(uuid[]);
drop function rag_internal.repetitions(text);
drop function rag_internal.replace_document(rag_internal.document, rag_internal.collection,
    rag_internal.prepared_chunk[], text, rag_internal.identity);
drop function rag_internal.require_admin(rag_internal.identity, text);
drop function rag_internal.retrieve(rag_internal.identity, text, text[], integer, text, jsonb,
    jsonpath, jsonb, jsonb, integer, integer, boolean, @extschema:vector@.vector);
drop function rag_internal.rewrite_table(name);
drop function rag_internal.role_identity(name);
drop function rag_internal.scrub_step(name, bytea, text, timestamptz, text);
drop function rag_internal.search(name, bytea, text, text, text[], integer, text, jsonb, jsonpath,
    jsonb, jsonb, integer, integer, boolean, @extschema:vector@.vector);
drop function rag_internal.search_collections(rag_internal.identity, text[]);
drop function rag_internal.search_step(text, text, text, bigint, timestamptz);
drop function rag_internal.seen_acls(rag_internal.scope);
drop function rag_internal.seen_leg_hits(text, rag_internal.scope, @extschema:vector@.vector);
drop function rag_internal.seen_models(rag_internal.scope);
drop function rag_internal.sees_waiting(rag_internal.scope);
drop function rag_internal.semantic_leg(@extschema:vector@.vector, rag_internal.model,
    rag_internal.scope, rag_internal.text_condition[], bigint, text);
drop function rag_internal.semantic_legs(text, @extschema:vector@.vector, rag_internal.scope,
    bigint, boolean);
drop function rag_internal.semantic_models(rag_internal.scope, bigint[], boolean,
    @extschema:vector@.vector);
drop function rag_internal.semantic_statements(rag_internal.model, bigint, bigint, bigint, text,
    text, text);
drop function rag_internal.service_identity(name, text, text, text);
drop function rag_internal.set_collection_readers(rag_internal.collection, text[], integer);
drop function rag_internal.set_identity(name, bytea, text);
drop function rag_internal.set_readers(name, bytea, text, text[], uuid[], integer);
drop function rag_internal.set_user(name, bytea, text, text[], text, integer);
drop function rag_internal.shown_name(rag_internal.principal);
drop function rag_internal.sight(rag_internal.scope);
drop function rag_internal.store_document(rag_internal.document, rag_internal.collection,
    rag_internal.prepared_chunk[], text, rag_internal.identity);
drop function rag_internal.stored_identity_key(text, text);
drop function rag_internal.token_identity(name, jsonb);
drop function rag_internal.touch_collection(bigint);
drop function rag_internal.user_principals(text, text[], text);
drop function rag_internal.verified_claims(text);
drop function rag_internal.warn_of_statistics();
drop function rag_internal.whoami(name, bytea, text);
drop function rag_internal.withhold(rag_internal.redaction_rule[], text);
drop function rag_internal.write_chunks(rag_internal.document, rag_internal.collection,
    rag_internal.prepared_chunk[], rag_internal.identity);
drop function rag_internal.writes_collection(rag_internal.identity, rag_internal.collection);

drop type rag.identity_key;
drop type rag.reader_grant;
drop type rag.redaction_rule;
drop type rag.removal;
drop type rag.source_rule;
drop type rag_internal.redaction;
drop type rag_internal.redacted_span;
drop type rag_internal.retrieval;
drop type rag.search_step;
drop table rag_internal.allowed_source, rag_internal.collection_writer, rag_internal.identity_key,
    rag_internal.redaction_rule, rag_internal.restricted_tenant, rag_internal.role_rule,
    rag_internal.scrub_probe, rag_internal.search_log, rag_internal.search_log_setting,
    rag_internal.unredacted_reader;

drop index rag_internal.collection_name;
alter table rag_internal.collection
    drop constraint collection_name_key,
    add constraint collection_name_key unique (tenant, name);
alter table rag_internal.acl
    drop constraint acl_readers_are_its_own_or_granted,
    drop constraint acl_level_key,
    drop column grants_id;
comment on table rag_internal.acl is
    'A sharing class. Where reader_set is null it is the mutable class of one collection; else an '
    'immutable set of readers, interned by the SHA-256 of its sorted principals.';
comment on table rag_internal.principal is
    'Somebody who can be granted reading: a database role (by name and oid) or everybody.';
alter table rag_internal.job drop column reader, drop column tenant;
alter table rag_internal.ingest_log drop column reader, drop column tenant;

-- planner statistics of texts, as they were
do $$
declare
    _column record;
begin
    for _column in
        select c.oid::regclass as relation, c.relkind, a.attname, a.attnum
        from pg_class c
        join pg_attribute a on a.attrelid = c.oid
        where c.relnamespace = 'rag_internal'::regnamespace
          and c.relkind in ('r', 'p', 'i') and a.attnum > 0 and not a.attisdropped
          and a.attstattarget = 0
    loop
        if _column.relkind = 'i' then
            execute format('alter index %s alter column %s set statistics -1',
                           _column.relation, _column.attnum);
        else
            execute format('alter table only %s alter column %I set statistics -1',
                           _column.relation, _column.attname);
        end if;
    end loop;
end
$$;

alter type rag.collection_info drop attribute tenant cascade;
alter type rag.collection_info drop attribute security_level cascade;
alter type rag.collection_info drop attribute writers cascade;
alter type rag_internal.identity drop attribute source cascade;
alter type rag_internal.identity drop attribute reader cascade;
alter type rag_internal.identity drop attribute why cascade;
alter type rag_internal.identity drop attribute groups cascade;
comment on type rag_internal.identity is null;
