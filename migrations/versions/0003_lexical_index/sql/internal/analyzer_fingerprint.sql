-- What an analysis depends on beyond our rules: stemmers, stop words and Unicode tables change
-- between versions of PostgreSQL, ICU and the system.
create or replace function rag_internal.analyzer_fingerprint(config text) returns text
language sql stable strict parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select md5(string_agg(
        rag_internal.analyze_folded(config, rag_internal.fold_text(p.probe))::text, E'\n'
        order by p.place))
    from unnest(array[
        'Generously running organizations were hoping the skies, dying and controlling; can''t',
        'Zürcher Straßen häufig aufeinanderfolgende Möglichkeiten für nicht dass',
        'les étudiantes continuellement travaillaient où être naïveté',
        'las canciones rápidamente corriendo más también niños',
        'continuando rapidamente le città perché nazionali não são coração',
        'fietsen mogelijkheden løbende børn människorna juoksemassa talossa',
        'быстрые машины сегодня ёлка чтобы новый домами читающий',
        'οι άνθρωποι τρέχουν γρήγορα δεν είναι',
        'المدرسة الكبيرة والطلاب يكتبون',
        'सुंदर लड़कियाँ பள்ளிகளில் काम किताबें',
        'çocuklarımızdan İstanbul gyerekeknek înțelegătoare',
        '倉庫の鍵は青い箱 서버가 ภาษาไทย ຄວາມ ភាសា မြန်မာ',
        'գրքերը մարդկանց etxeetara zuhaitzak cançons muntanyes membaca perpustakaan',
        'leabharlanna bhfear knygomis namuose किताबहरू मानिसहरूले књигама градовима ביכער',
        'ERR_5001 v2.14.0 C++ c# .net node.js ops.desk@quarry.example ﬁ Ⅷ ²'
    ]) with ordinality p (probe, place)
$$;

comment on function rag_internal.analyzer_fingerprint(text) is
    'A hash over the lexemes of probe texts under a configuration by name; where it differs from '
    'the one an index was built with, the index must be rebuilt.';
alter function rag_internal.analyzer_fingerprint(text) owner to rag_owner;
revoke all on function rag_internal.analyzer_fingerprint(text) from public;
