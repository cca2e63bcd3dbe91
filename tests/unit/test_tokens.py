"""A window without a tokenizer: its counts are seldom too small."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsql_engine.chunking import clusters
from ragsql_engine.errors import ModelMissing
from ragsql_engine.model import Model
from ragsql_engine.tokens import (
    EstimatedWindow,
    TokenWindow,
    find_window,
    load_window,
)

TEXTS = {
    "english": "The committee shall review each application within thirty days and notify the "
    "applicant of its decision in writing; a cautious administrator rotates keys regularly.",
    "manual": "Run `pg_basebackup -D /var/lib/postgresql/15/main -X stream -c fast` as the "
    "replication user; set max_wal_senders=10 and wal_level=replica, then reload.",
    "capitals": "THE LICENSEE SHALL NOT REDISTRIBUTE THE SOFTWARE. WARRANTIES ARE DISCLAIMED.",
    "chemistry": "2-(acetyloxy)benzoic acid, N-acetyl-p-aminophenol, phosphatidylinositol",
    "python": "def _shrink(self, text: str, start: int) -> tuple[int, int]:\n    while True:\n"
    "        encoding = self._encode(prefix + text[start:end])\n        return len(encoding)\n",
    "c": "static inline void xs_tmpbuf_free(struct xs_ctx *ctx)\n{\n\tif (!ctx || ctx->refcnt-- > 1)"
    "\n\t\treturn;\n\tfor (size_t i = 0; i < ARRAY_SIZE(ctx->bufs); i++)\n\t\tkfree(ctx);\n}\n",
    "json": '{"id": 48213, "price": 12.50, "uuid": "3f2b8c1e-9d47-4c6a-b1f0-7e5d2a9c8b34"}',
    "yaml": "services:\n  web:\n    image: nginx:1.25\n    ports:\n      - '8080:80'\n",
    "log": '2024-03-07T12:45:33.123Z 10.20.30.40 - - "GET /api/v1/items?id=98765" 200 5123 0x7ffe',
    "base64": "aGVsbG8gd29ybGQhIHRoaXMgaXMgYmFzZTY0IGVuY29kZWQgdGV4dCB3aXRob3V0IG1lYW5pbmc9PQKq8Zx",
    "table": "| Region | Q1 | Q2 |\n|--------|-----:|-----:|\n| North | 1,204 | 15,003 |\n",
    "german": "Die Datenschutz-Grundverordnung verpflichtet Verantwortliche, personenbezogene "
    "Daten nach Treu und Glauben zu verarbeiten; Aufbewahrungsfristen regelt das Gesetz.",
    "finnish": "Hallintotuomioistuin kumosi lautakunnan päätöksen ja palautti asian uudelleen.",
    "turkish": "Çalıştırılabilirliğinin değerlendirilmesi gerektiğinden yönetmelik güncellendi.",
    "vietnamese": "Người lao động có quyền đơn phương chấm dứt hợp đồng lao động.",
    "russian": "Настоящее положение определяет порядок хранения персональных данных.",
    "greek": "Το παρόν άρθρο καθορίζει τις υποχρεώσεις των εργαζομένων.",
    "arabic": "يلتزم الموظف بالمحافظة على سرية المعلومات وعدم إفشائها إلى أي طرف ثالث.",
    "hebrew": "העובד מתחייב לשמור על סודיות המידע ולא לגלותו לצד שלישי.",
    "hindi": "कर्मचारी को अनुबंध की अवधि के दौरान सूचना की गोपनीयता बनाए रखनी होगी।",
    "thai": "พนักงานจะต้องรักษาความลับของข้อมูลและไม่เปิดเผยต่อบุคคลที่สาม",
    "chinese": "员工应当对在合同期间获得的商业秘密予以保密,未经书面同意不得披露。",
    "japanese": "従業員は契約期間中および契約終了後も、秘密情報を第三者に開示してはならない。",
    "korean": "직원은 계약 기간 동안 알게 된 비밀 정보를 제삼자에게 공개하지 않아야 한다.",
    "symbols": "∀x∈ℝ: ∫₀^∞ e^{−x²}dx = √π⁄2 ≈ 0.8862 🎉🚀 👩‍💻 🇩🇪 ⚠️",
}


@pytest.fixture(scope="module")
def exact(models_folder: Path, real_model: dict[str, Any]) -> TokenWindow:
    model = Model.from_row(real_model)
    return load_window(model, models_folder / model.name.replace("/", "--"))


# What no tokenizer knows a word of; still nearly right.
DENSE = ("base64", "chemistry")


@pytest.mark.parametrize("name", TEXTS)
def test_an_estimate_is_not_below_a_real_tokenizer(name: str, exact: TokenWindow) -> None:
    share = 0.9 if name in DENSE else 1
    assert EstimatedWindow(256).count(TEXTS[name]) >= share * exact.count(TEXTS[name])


@pytest.mark.parametrize("name", ["english", "manual", "python", "c", "json", "log", "german"])
def test_an_estimate_is_of_use(name: str, exact: TokenWindow) -> None:
    assert EstimatedWindow(256).count(TEXTS[name]) <= 2.2 * exact.count(TEXTS[name])


@given(st.text(st.sampled_from("ab CD09_\n\té日😀\u0301"), max_size=200), st.integers(32, 60))
def test_windows_of_an_estimate_are_full_and_cover_the_text(text: str, most: int) -> None:
    window = EstimatedWindow(most)
    ends = [0]
    while ends[-1] < len(text):
        end, tokens = window.fit(text, ends[-1], len(text), clusters.floor)
        assert ends[-1] < end
        assert tokens == window.count(text[ends[-1] : end]) <= window.capacity == most - 2
        ends.append(end)
    for start, end in pairwise(ends[:-1]):
        longer = text[start : clusters.ceil(text, end + 1, len(text))]
        assert window.count(longer) > window.capacity


@given(st.text(max_size=100))
def test_counts_and_starts_of_an_estimate_agree(text: str) -> None:
    window = EstimatedWindow(None)
    starts = window.token_starts(text)
    assert len(starts) == window.count(text)
    assert starts == sorted(starts)
    assert window.count(text) >= len(text.split())


def test_a_window_that_nobody_knows() -> None:
    window = EstimatedWindow(None)
    assert not window.is_bounded and not window.is_exact
    text = "word " * 100_000
    assert window.fit(text, 0, len(text), clusters.floor) == (len(text), window.count(text))
    assert window.narrowed(40).capacity == 40


def test_the_tokenizer_counts_where_it_is(
    models_folder: Path, real_model: dict[str, Any], exact: TokenWindow, tmp_path: Path
) -> None:
    model = Model.from_row(real_model | {"provider": "openai", "max_tokens": 100})
    directory = models_folder / model.name.replace("/", "--")
    here = find_window(model, directory)
    assert here.is_exact and here.max_tokens == 100
    assert here.count(TEXTS["c"]) == exact.count(TEXTS["c"])
    for elsewhere in (None, tmp_path):
        window = find_window(model, elsewhere)
        assert not window.is_exact and window.max_tokens == 100
    (tmp_path / "tokenizer.json").write_text("{")
    with pytest.raises(ModelMissing, match="cannot be read"):
        find_window(model, tmp_path)
