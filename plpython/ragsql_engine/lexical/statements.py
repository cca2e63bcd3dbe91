"""What the index is asked for by SQL, in the snapshot of the calling statement."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

Row = Mapping[str, Any]


class Rows(Protocol):
    """Runs a statement of which a plan is kept, and gives its rows."""

    def __call__(self, sql: str, types: Sequence[str], *values: Any) -> Sequence[Row]: ...


STATE = """
select coalesce((select sum(a.stamp) from rag_internal.access_change a), 0)::text as stamp,
       (select string_agg(int8send(t.entry_id), '' order by t.entry_id)
        from rag_internal.tombstone t) as dead,
       (extract(epoch from coalesce($1, statement_timestamp())) * 1000000)::bigint as now,
       array(select s.segment_id from rag_internal.segment s order by s.segment_id) as segments,
       array(select s.text_config from rag_internal.segment s order by s.segment_id) as configs,
       exists (select from rag_internal.pending) as is_pending,
       -- by its index: a search for any row could read the whole table
       (select min(d.collection_id) from rag_internal.document d where d.version <> '') is not null
           as has_versions
"""
SEGMENT = "select s.* from rag_internal.segment s where s.segment_id = $1"
PENDING = """
select p.text_config,
       string_agg(int8send(p.entry_id), '') as entry_ids,
       string_agg(uuid_send(p.document_id), '') as document_ids,
       string_agg(int8send(p.collection_id), '') as collection_ids,
       string_agg(int8send(p.acl_id), '') as acl_ids,
       string_agg(int4send(p.first_index), '') as first_indexes,
       string_agg(int8send(coalesce(rag_internal.microseconds(p.valid_from),
                                    -9223372036854775808)), '') as valid_from,
       string_agg(int8send(coalesce(rag_internal.microseconds(p.valid_until),
                                    9223372036854775807)), '') as valid_until,
       string_agg(int4send(p.passages), '') as passages,
       string_agg(p.lengths, '') as lengths,
       {terms}
from (select p.*, {bucket} as bucket from rag_internal.pending p) p
group by p.text_config, p.bucket
"""
PENDING_ENTRIES = """
select string_agg(int8send(p.entry_id) || int4send(p.first_index), '') as entries
from rag_internal.pending p
"""
# rows have at most 4,096 passages, so a bucket has at most 65,536
BUCKET = """sum(p.passages) over (partition by p.text_config
                                  order by p.entry_id, p.first_index) / 61440"""
TERMS = {
    "l": "string_agg(p.lexemes, '') as lexemes, string_agg(p.frequencies, '') as frequencies",
    "s": "string_agg(p.surfaces, '') as surfaces",
}
ACLS = """
select string_agg(int8send(v), '') as acls
from rag_internal.visible_acls(
         row('', $1, $2, false, $3, null, null, null, null)::rag_internal.identity) v
"""
# a frequent term has a block of its own: not worth reading for a neighbour that does not exist
BLOCKS = """
select w.segment_id, w.term, p.first_term, p.terms, p.counts, p.ordinals, p.frequencies
from unnest($1, $2) w (segment_id, term)
cross join lateral (
    select p.*
    from rag_internal.posting p
    where p.segment_id = w.segment_id and p.kind = $3
      and p.first_term <= w.term collate "C"
    order by p.first_term desc
    limit 1) p
where octet_length(p.counts) > 2 or p.first_term = w.term collate "C"
"""
BLOCKS_FROM = """
select p.segment_id, p.first_term, p.terms, p.counts, p.ordinals, p.frequencies
from unnest($1) w (segment_id)
cross join lateral (
    select p.*
    from rag_internal.posting p
    where p.segment_id = w.segment_id and p.kind = $2
      and p.first_term >= coalesce(
          (select max(b.first_term) from rag_internal.posting b
           where b.segment_id = w.segment_id and b.kind = $2 and b.first_term <= $3 collate "C"),
          $3 collate "C")
      and p.first_term < $4 collate "C") p
order by 1, 2
"""
LEXEMES = "select rag_internal.question_lexemes($1, $2) as lexemes"
