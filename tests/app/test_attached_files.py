"""A file is attached in two ways, `-f` and `@`, and read in one."""

from __future__ import annotations

import os
from importlib.util import find_spec

import pytest

from cococat.app.input import first_message
from cococat.errors import UsageError
from cococat.ui.prompt.attach import attachments
from tests.scripted import says

GOOD = {
    "UTF-8": "grün\n".encode(),
    "UTF-8 with a mark": b"\xef\xbb\xbfgr\xc3\xbcn\n",
    "UTF-16, little end first": b"\xff\xfe" + "grün\n".encode("utf-16-le"),
    "UTF-16, big end first": b"\xfe\xff" + "grün\n".encode("utf-16-be"),
}


@pytest.mark.parametrize("data", GOOD.values(), ids=GOOD)
def test_what_one_way_can_read_the_other_can(tmp_path, data):
    """Files of other systems are text, too."""
    (tmp_path / "a.txt").write_bytes(data)

    named = first_message(["x"], [tmp_path / "a.txt"], None).attachments
    mentioned, problems = attachments("@a.txt", tmp_path)

    assert ["grün\n", "grün\n"] == [one.text for one in (*named, *mentioned)]
    assert () == problems


def test_both_ways_take_a_mebibyte(tmp_path):
    """And not one byte more."""
    (tmp_path / "most.txt").write_bytes(b"x" * (1 << 20))
    (tmp_path / "more.txt").write_bytes(b"x" * ((1 << 20) + 1))

    assert 1 << 20 == len(first_message(["x"], [tmp_path / "most.txt"], None).attachments[0].text)
    assert 1 << 20 == len(attachments("@most.txt", tmp_path)[0][0].text)
    with pytest.raises(UsageError, match="it has 1,025 KiB, at most 1 MiB can be attached") as refused:
        first_message(["x"], [tmp_path / "more.txt"], None)
    assert [f"@more.txt is not attached: {refused.value.message.partition(': ')[2]}; {refused.value.hint}"] == list(
        attachments("@more.txt", tmp_path)[1]
    )


@pytest.mark.skipif(os.name == "nt", reason="no named pipes in folders")
@pytest.mark.parametrize("kind", ["binary", "pipe", "folder", "UTF-16 cut short"])
def test_what_one_way_refuses_the_other_refuses_in_the_same_words(tmp_path, kind):
    """A pipe is not waited for, and zeros are no text."""
    path = tmp_path / "a.bin"
    make = {"pipe": os.mkfifo, "folder": os.mkdir}.get(kind)
    make(path) if make else path.write_bytes(b"a\0b" if kind == "binary" else b"\xff\xfea")

    with pytest.raises(UsageError) as refused:
        first_message(["x"], [path], None)

    _, (problem,) = attachments("@a.bin", tmp_path)
    assert f"cannot attach {path}: {problem.partition(': ')[2]}" == f"{refused.value.message}; {refused.value.hint}"


def pdf(*texts: str, broken: bool = False) -> bytes:
    """A PDF with a page for each text, and no table of its objects, which readers make anew."""
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(len(texts)))
    bodies = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(texts)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for at, text in enumerate(texts):
        font = "/Resources << /Font << /F 3 0 R >> >>"
        bodies.append(f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] {font} /Contents {5 + 2 * at} 0 R >>")
        shown = f"BT /F 9 Tf 9 9 Td ({text}) Tj ET"
        bodies.append(f"<< /Length {len(shown)} >>\nstream\n{shown}\nendstream")
    data, places = b"%PDF-1.4\n", []
    for number, body in enumerate(bodies, 1):
        places.append(len(data))
        data += f"{number} 0 obj\n{body}\nendobj\n".encode()
    rows = "".join(f"{place:010} 00000 n \n" for place in places)
    size, start = len(bodies) + 1, len(data)
    end = f"xref\n0 {size}\n0000000000 65535 f \n{rows}trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    return data[:99] if broken else data + end.encode()


PAGES = "--- page 1 of 2 ---\nFirst page\n\n--- page 2 of 2 ---\nSecond"
reads_pdf = pytest.mark.skipif(find_spec("pypdf") is None, reason="needs the extra `docs`")


@reads_pdf
def test_a_pdf_is_the_text_of_its_pages_by_every_way(ask, scripted, tmp_path):
    """`-f`, `@` and a pipe have one door, and go by the first bytes, not by a name."""
    (tmp_path / "paper").write_bytes(pdf("First page", "Second"))
    server = scripted(says("a"), says("b"))

    ask(server, "-f", "paper", "what is this?")
    ask(server, "what is this?", stdin=pdf("First page", "Second"))
    mentioned, problems = attachments("@paper", tmp_path)

    assert [True, True] == [PAGES in request["messages"][-1]["content"] for request in server.requests]
    assert (PAGES, ()) == (mentioned[0].text.strip(), problems)


@reads_pdf
@pytest.mark.parametrize(
    ("data", "why"),
    [
        (pdf("x", broken=True), "it cannot be read"),
        (pdf(""), "it has no text"),
        (pdf(*["x"] * 501), "it has 501 pages"),
    ],
    ids=["broken", "empty", "long"],
)
def test_a_pdf_without_text_that_can_be_read_is_refused(ask, scripted, data, why):
    """Exit 2 with the reason, and no request."""
    ran = ask(scripted(), "what is this?", stdin=data)

    assert (2, True, True) == (ran.code, f"it is a PDF; {why}" in ran.stderr, "pdftotext" in ran.stderr)


@pytest.mark.skipif(find_spec("pypdf") is not None, reason="the extra `docs` is installed")
def test_without_the_extra_a_pdf_is_refused_with_what_to_install(ask, scripted):
    """Exit 2, and no request."""
    ran = ask(scripted(), "what is this?", stdin=pdf("x"))

    assert (2, True) == (ran.code, "pip install 'cococat[docs]'" in ran.stderr)


@pytest.mark.parametrize(
    ("start", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
        (b"PK\x03\x04", "a ZIP archive"),
        (b"SQLite format 3\0", "an SQLite database"),
    ],
)
def test_what_is_neither_text_nor_pdf_is_named(tmp_path, start, kind):
    """With what to do about it."""
    (tmp_path / "a").write_bytes(start + b"\0\0")

    with pytest.raises(UsageError, match=kind) as refused:
        first_message(["x"], [tmp_path / "a"], None)

    assert refused.value.hint
