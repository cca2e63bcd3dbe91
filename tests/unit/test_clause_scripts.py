"""Contracts in scripts that have their own words and numbers for clauses."""

from ragsql_engine.chunking import clauses
from ragsql_engine.chunking.nodes import Node
from unit.node_views import Reader, every

_READER = Reader(clauses.parse)
parse, paths = _READER.parse, _READER.paths


def clause(text: str, *path: str) -> Node:
    return next(node for node in every(parse(text)) if node.path == path)


ARABIC = """\
عقد توريد

المادة الأولى: التعريفات
يقصد بالكلمات الآتية المعاني المبينة أمامها:
أ- البضاعة: المواد المبينة في الملحق رقم (1).
ب- المورد: الطرف الأول.

المادة (2) مدة العقد
تكون مدة هذا العقد سنة واحدة وفقاً لما ورد في
المادة (1) أعلاه.

مادة ٣ - الثمن
١- يدفع المشتري الثمن خلال ثلاثين يوماً.
٢- لا يجوز تأخير الدفع.

المادة الرابعة
الإنهاء

يجوز لأي من الطرفين إنهاء العقد.

الملحق رقم (1)
قائمة البضاعة

حجر رمادي.
"""


def test_an_arabic_contract() -> None:
    assert paths(ARABIC) == [
        ("المادة الأولى التعريفات",),
        ("المادة (2) مدة العقد",),
        ("مادة ٣ الثمن",),
        ("مادة ٣ الثمن", "١"),
        ("مادة ٣ الثمن", "٢"),
        ("المادة الرابعة الإنهاء",),
        ("الملحق رقم (1) قائمة البضاعة",),
    ]
    terms = clause(ARABIC, "المادة الأولى التعريفات")
    assert len(terms.parts()) == 4
    assert terms.context == "يقصد بالكلمات الآتية المعاني المبينة أمامها:"


CHINESE = """\
采购合同

目录
第一章 总则 ...... 1
第二章 付款 ...... 2

第一章 总则

第一条　定义
本合同中：
（一）货物指附件一所列的货物；
（二）价款指第三条约定的金额。

第二条 生效
本合同自双方签字之日起生效。

第二章 付款

第三条 价款
买方应当支付价款。依照
第二条的规定执行。

第四条 争议
协商解决。

附件一 货物清单
一、花岗岩
二、大理石
"""


def test_a_chinese_contract() -> None:
    assert paths(CHINESE) == [
        ("第一章 总则",),
        ("第一章 总则", "第一条 定义"),
        ("第一章 总则", "第二条 生效"),
        ("第二章 付款",),
        ("第二章 付款", "第三条 价款"),
        ("第二章 付款", "第四条 争议"),
        ("附件一 货物清单",),
        ("附件一 货物清单", "一、花岗岩"),
        ("附件一 货物清单", "二、大理石"),
    ]
    assert len(clause(CHINESE, "第一章 总则", "第一条 定义").parts()) == 5
