"""Passages that explain something count more than boilerplate, in any language."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsql_engine.chunking.assessment import boilerplate
from ragsql_engine.chunking.assessment.value import predict_chunk_value

KINDS = ["prose", "heading", "list", "table", "code", "quote", "html", "front_matter", "data"]

EXPLAINING = {
    "instruction": "To rotate the signing key, open the settings page, choose Keys, and press "
    "Rotate. The old key stays valid for one hour, so running clients are not cut off.",
    "definition": "A posting list is the list of documents that contain a term, together with how "
    "often the term occurs in each of them.",
    "one sentence": "The reactor must be vented before the hatch is opened.",
    "several lines": "The pump is started by hand after a power failure,\nbecause the controller "
    "loses its state. Hold the green button\nfor three seconds until the lamp goes out.",
    "discussed licence": "The library is MIT licensed, so you may ship it in closed products",
    "discussed copyleft": "The driver is licensed under the GPL, so you must publish the changes "
    "that you make to it when you distribute the program.",
    "discussed cookies": "The session is kept in a cookie that is only sent over TLS. If you accept "
    "requests from other sites, set SameSite to None, otherwise browsers drop it.",
    "discussed copyright": "Copyright in a photograph belongs to the photographer, not to the "
    "person in it. If you want to print it, you need a licence from the photographer.",
    "cited study": "The transcriptome is periodic: 80 % of the genes peak once in 48 hours "
    "(Bozdech et al. 2003; Le Roch et al. 2003). This suggests that few transcription factors "
    "are needed to control it.",
    "numbers": "Revenue rose by 12 % to 4.2 million in 2023, since the new plant is running. "
    "Costs rose less, by 3 %, so the margin is 31 % now.",
    "question and answer": "Why is my search slow? The index is probably missing; you can check "
    "with rag.doctor(), which names what to do.",
    "fixing": "If the valve sticks, it can be fixed by flushing the line with warm water twice.",
    "navigation explained": "The menu at the top lets you search all documents. Next to it you "
    "can sign in, and the support page tells whom to call when you are locked out.",
    "speech": "My administration announced we’re cutting credit card late fees from $32 to $8. "
    "The banks and credit card companies don’t like it.",
    "Chinese": "倉庫の鍵は青い箱にあります。箱は入口の右側の棚に置いてあり、夜間は警備員が管理しています。",
    "Mandarin": "启动水泵之前，必须先打开进水阀，并检查压力表。如果压力低于两巴，请勿启动水泵。",
    "Arabic": "قبل تشغيل المضخة يجب فتح صمام الماء والتحقق من مقياس الضغط. هل الضغط أقل من "
    "بارين؟ لا تشغل المضخة واتصل بالمهندس.",
    "Hindi": "पंप चालू करने से पहले पानी का वाल्व खोलें और दबाव की जाँच करें। यदि दबाव कम है तो पंप चालू न करें।",
    "Thai": "ก่อนเปิดปั๊มน้ำต้องเปิดวาล์วน้ำเข้าและตรวจสอบเกจวัดความดันหากความดันต่ำกว่าสองบาร์ห้ามเปิดปั๊มน้ำเด็ดขาด",
    "German": "Vor dem Einschalten der Pumpe ist das Ventil zu öffnen und der Druck zu prüfen. "
    "Liegt er unter zwei Bar, darf die Pumpe nicht eingeschaltet werden.",
    "Russian": "Перед включением насоса откройте впускной клапан и проверьте давление. Если оно "
    "ниже двух бар, насос включать нельзя.",
}

BOILERPLATE = {
    "MIT": "Permission is hereby granted, free of charge, to any person obtaining a copy of this "
    "software and associated documentation files, to deal in the Software without restriction. "
    "The above copyright notice shall be included in all copies of the Software.",
    "Apache": "Licensed under the Apache License, Version 2.0. You may not use this file except "
    "in compliance with the License. Unless required by applicable law, software is distributed "
    "on an “AS IS” BASIS, WITHOUT WARRANTIES of any kind, either express or implied.",
    "short licence": "Licensed under the Apache License, Version 2.0.",
    "copyright": "Copyright © 2019-2024 Quarry Works Ltd. All rights reserved.",
    "copyright sign": "© 2021 Example Corp.",
    "breadcrumb": "Home > Products > Pumps > P-200",
    "menu": "Home | About | Contact | Privacy Policy",
    "menu in lines": "Home\nProducts\nPricing\nDocs\nBlog\nSign in",
    "skip": "Skip to content\nMenu\nSearch",
    "turning pages": "Previous: Installation | Next: Configuration",
    "German menu": "Startseite | Produkte | Kontakt | Impressum",
    "cookies": "We use cookies to improve your browsing experience. By continuing to use this "
    "site you consent to our use of them. Accept all Reject all Cookie settings",
    "dotted leaders": "1 Introduction ........ 3\n2 Safety ............. 7\n2.1 Valves .......... 9",
    "spaced leaders": "Introduction . . . . . . . 3\nSafety . . . . . . . . . 7",
    "page numbers": "1. Introduction 3\n2. Safety 7\n2.1 Valves 9\n3. Operation 12",
    "links only": "- [Install](install.md)\n- [Configure](configure.md)\n- [Upgrade](upgrade.md)",
    "addresses": "https://docs.quarry.example/a\nhttps://docs.quarry.example/b",
    "reference": "[1] Smith, J. and Doe, A. (2019). Deep pumps. Journal of Pumping, 12(3), "
    "45–67. doi:10.1000/182",
    "references": "[1] Y. Tanaka et al. Valves at sea. In: Proc. of PUMP, pp. 12-19, 2004.\n"
    "[2] R. Lee et al. Seals. Journal of Wear, vol. 3, 2011.\n[3] K. Roy. Rotors. MIT Press, 1999.",
    "changelog": "## [1.2.0] - 2024-05-01\n- Fixed a crash on start\n- Added dark mode\n",
    "commits": "- fix: typo in readme (#12)\n- add: retry on timeout (#15)\n- update lockfile (#18)",
    "past changes": "* Added support for tables\n* Fixed the sorting of lists\n* Removed old flags",
    "fragment": "Pump station",
    "page number": "Page 12 of 90",
    "numbers only": "12 34 56 78 90\n11 22 33 44 55\n3.14 2.72 1.41",
    "symbols": "=========================\n*************************\n",
    "encoded": "QUJDRAvcnVtYmxlc3RhcnRlcgzZGZhc2Rm" * 10,
    "blank": " \n\t",
    "nothing": "",
}


@pytest.mark.parametrize("name", EXPLAINING)
def test_an_explanation_counts(name: str) -> None:
    least = 0.6 if name == "discussed licence" else 0.7
    assert predict_chunk_value(EXPLAINING[name]) >= least


@pytest.mark.parametrize("name", BOILERPLATE)
def test_boilerplate_counts_little(name: str) -> None:
    assert predict_chunk_value(BOILERPLATE[name]) <= 0.3


SENTENCE = "Tightening torques of all flanges and the order in which their bolts are tightened."


@pytest.mark.parametrize(
    ("heading", "content"),
    [
        (["Manual", "Appendix B: Torques"], SENTENCE),
        (["Annex 2"], SENTENCE),
        (["License"], "MIT"),
        (["7. References"], "Doe, A., Valves at sea, Quarry Press, 2004."),
        (["Changelog", "2.1.0"], "- Fix the crash on start\n- Rename the flag"),
        (["1.4.2"], "- Fix the crash on start"),
        (["[2.1] - 2024-05-01"], "- Fix the crash on start"),
        (["Table of Contents"], "Introduction\nSafety\nOperation"),
        (["Imprint"], "Quarry Works Ltd, 1 Pit Lane, Stonebridge"),
    ],
)
def test_a_heading_tells(heading: list[str], content: str) -> None:
    assert predict_chunk_value(content, heading) <= 0.3
    assert predict_chunk_value(content) > predict_chunk_value(content, heading)


@pytest.mark.parametrize(
    "heading", [["Licensing models"], ["History"], ["Changes of state"], ["Reference temperature"]]
)
def test_a_heading_alone_is_no_proof(heading: list[str]) -> None:
    assert predict_chunk_value(EXPLAINING["instruction"], heading) >= 0.7


def test_instructions_to_change_something_are_no_changelog() -> None:
    steps = "2.1 Oil\n- Change the oil when the lamp is red.\n- Add two litres.\n- Remove the cap."
    assert predict_chunk_value(steps, ["2.1 Oil change"], "list") >= 0.6


def test_code_without_words_counts_half_at_most() -> None:
    bare = "def area(r):\n    result = 3.14159 * r * r\n    if result > limit:\n" * 4
    told = '"""The area of a disc, in the unit of its radius, squared."""\n' + bare
    assert predict_chunk_value(bare, (), "code") <= 0.5
    assert predict_chunk_value("x = 1", (), "code") < predict_chunk_value(bare, (), "code")
    assert predict_chunk_value(told, (), "code") > 0.5
    notice = f"// {BOILERPLATE['Apache']}"
    assert predict_chunk_value(notice, (), "code") <= 0.15


def test_other_kinds() -> None:
    steps = "1. Open valve 3.\n2. Wait until the lamp goes out.\n3. Close it, then drain the tank."
    assert predict_chunk_value(steps, (), "list") >= 0.65
    table = "| Part | Bar |\n|---|---|\n| P1 | 12 |\n| P2 | 14 |"
    assert 0.3 < predict_chunk_value(table, (), "table") <= 0.7
    member = '"pump-7": {"bar": 12, "site": "north", "on": true}'
    assert 0.2 < predict_chunk_value(member, (), "data") <= 0.6
    assert predict_chunk_value("# Operation", ["Operation"], "heading") <= 0.2
    front = "---\ntitle: Pump notes\nowner: ops\n---"
    assert predict_chunk_value(front, (), "front_matter") <= 0.1


def test_every_limit_is_low() -> None:
    assert max(boilerplate.LIMITS.values()) <= 0.3


@given(st.text(), st.lists(st.text()), st.sampled_from(KINDS) | st.text())
def test_any_text_has_a_value(content: str, heading: list[str], kind: str) -> None:
    value = predict_chunk_value(content, heading, kind)
    assert 0 <= value <= 1
    assert value == round(value, 2)


PIECES = st.sampled_from(
    [
        "[1] ",
        "(c) 2020 ",
        "....",
        "- fix ",
        "](",
        "http://a ",
        "licen",
        "cookie",
        "\n",
        " | ",
        "doi ",
    ]
)


@given(st.lists(PIECES | st.text(max_size=5)).map("".join), st.sampled_from(KINDS))
def test_signs_in_any_order_have_a_value(content: str, kind: str) -> None:
    assert 0 <= predict_chunk_value(content, (), kind) <= 1


@given(st.integers(1, 20))
def test_more_sentences_count_no_less(count: int) -> None:
    sentence = "The valve is opened by hand when the lamp is green."
    fewer = " ".join([sentence] * count)
    assert predict_chunk_value(fewer) <= predict_chunk_value(f"{fewer} {sentence}")


@given(st.integers(0, 60))
def test_more_of_a_fragment_counts_no_less(length: int) -> None:
    text = "valve pump seal rotor motor alarm quarry north tank water pressure"
    assert predict_chunk_value(text[:length]) <= predict_chunk_value(text[: length + 1]) + 0.05


def test_long_text_is_sampled() -> None:
    text = EXPLAINING["instruction"] + " "
    assert predict_chunk_value(text * 10_000) == predict_chunk_value((text * 20)[:2000])


def test_a_licence_above_code_does_not_count() -> None:
    notice = "/* Licensed under the Apache License, Version 2.0. All rights reserved. */\n"
    code = "class Account {\n    int total(int a) {\n        return a + 1;\n    }\n}\n" * 4
    bare = predict_chunk_value(code, kind="code")
    assert predict_chunk_value(notice + code, kind="code") == bare > 0.3
    assert predict_chunk_value(notice, kind="code") <= 0.3
