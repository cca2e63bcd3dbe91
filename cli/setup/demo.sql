-- Asks one question and prints its hits with their citations.
-- Variables: question, collection, hits (how many).
\pset format unaligned
\pset tuples_only on
\pset recordsep '\n\n'
select '? ' || :'question';
select format(
    E'%s. %s, lines %s to %s%s   (score %s)\n   %s\n   cite as: %s',
    hit.rank,
    hit.source,
    hit.start_line,
    hit.end_line,
    case when cardinality(hit.heading) > 0 then ': ' || array_to_string(hit.heading, ' > ') else '' end,
    round(hit.score::numeric, 4),
    regexp_replace(regexp_replace(btrim(hit.content), '\s+', ' ', 'g'), '^(.{240}).+$', '\1 ...'),
    hit.citation
)
from rag.search(:'question', collections => array[:'collection'], top_k => :hits) as hit
order by hit.rank;
