"""A picture that is large, or from a camera, is made anew in another process where the extra `images` is installed."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
import zlib
from io import BytesIO

import pytest

from cococat.system.picture import look_at
from tests.scripted import says
from tests.scripted.pictures import images_of, png

Image = pytest.importorskip("PIL.Image", reason="needs the extra `images`")
ExifTags = pytest.importorskip("PIL.ExifTags")
PngImagePlugin = pytest.importorskip("PIL.PngImagePlugin")
TURNED = 6  # by a quarter, as a camera writes it that was held upright
MAKER = "Somebody's camera"


def photo(width, height, kind="JPEG", **options):
    """A picture with noise in it, as a camera gives it: with who made it, and lying on its side."""
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation], exif[ExifTags.Base.Make] = TURNED, MAKER
    made = BytesIO()
    Image.effect_noise((width, height), 90).convert("RGB").save(made, kind, exif=exif, comment=MAKER, **options)
    return made.getvalue()


def header(width, height):
    """A PNG of a few bytes that says it has so many pixels."""
    head, body = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0), zlib.compress(bytes(99))
    return (
        png(1, 1)[:8]
        + b"".join(
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
            for kind, data in ((b"IHDR", head), (b"IDAT", body), (b"IEND", b""))
        )
    )  # fmt: skip


def sent(server):
    """The one picture of the last request."""
    ((media_type, data),) = images_of(server.requests[-1])
    return media_type, *look_at(data)[1:], len(data), data


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (photo(3000, 2400, quality=98), "image/jpeg"),
        (png(2400, 3000), "image/png"),
        (photo(3000, 2400, "WEBP"), "image/jpeg"),
        (photo(2400, 1800, "PNG"), "image/jpeg"),
    ],
    ids=["a photo", "a PNG", "a WebP", "a PNG of more than 5 MB"],
)
def test_a_large_picture_is_sent_smaller_and_the_screen_says_so(ask, scripted, tmp_path, data, kind):
    """2,048 pixels and 5 MB at the most; the log and what it costs know the one that was sent."""
    (tmp_path / "a.bin").write_bytes(data)
    server = scripted(says("noise"))

    ran = ask(server, "-f", "a.bin", "what is this?")

    media_type, width, height, size, _ = sent(server)
    assert (0, "noise\n", kind) == (ran.code, ran.stdout, media_type), ran.stderr
    assert (2048, True) == (max(width, height), size < 5_000_000)
    before = "×".join(map(str, look_at(data)[1:]))  # noqa: RUF001 - as sizes are written
    assert f"cococat: [image a.bin · {width}×{height} · " in ran.stderr  # noqa: RUF001
    assert f", was {before}, {-(-len(data) // 1000):,} kB]" in ran.stderr


def test_one_of_many_bytes_and_few_pixels_is_made_anew_by_a_pipe_too(ask, scripted, home):
    """What is kept beside the session is what was sent."""
    server = scripted(says("black"))

    ran = ask(server, "what is this?", stdin=png(12, 8, padding=6_000_000))

    _, width, height, size, data = sent(server)
    (kept,) = home.glob("sessions/*.files/*")
    assert (0, 12, 8, True) == (ran.code, width, height, size < 1000), ran.stderr
    assert data == kept.read_bytes()
    assert "was 12×8, 6,001 kB" in ran.stderr  # noqa: RUF001


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_what_a_camera_wrote_into_a_picture_does_not_travel(ask, scripted, tmp_path, kind):
    """Of a small one neither; it stands upright as the camera was held."""
    (tmp_path / "a").write_bytes(photo(300, 200, kind))
    server = scripted(says("ok"))

    ask(server, "-f", "a", "what is this?")

    *_, data = sent(server)
    picture = Image.open(BytesIO(data))
    assert ((200, 300), {}) == (picture.size, dict(picture.getexif()))
    assert MAKER.encode() not in data


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_what_a_program_wrote_beside_the_pixels_does_not_travel(ask, scripted, tmp_path, kind):
    """XMP has the place as well, also where there is no EXIF."""
    text = PngImagePlugin.PngInfo()
    text.add_itxt("XML:com.adobe.xmp", MAKER)
    Image.new("RGB", (30, 20)).save(tmp_path / "a", kind, xmp=MAKER.encode(), pnginfo=text)
    server = scripted(says("ok"))

    ask(server, "-f", "a", "what is this?")

    assert (30, 20) == sent(server)[1:3]
    assert MAKER.encode() in (tmp_path / "a").read_bytes()
    assert MAKER.encode() not in sent(server)[-1]


def test_a_wrong_checksum_beside_the_pixels_is_no_reason_to_refuse(ask, scripted, tmp_path):
    """A colour profile has one in pictures that people use; every program shows them."""
    data = png(12, 8, padding=5_100_000)
    profile = struct.pack(">I", 4) + b"iCCP" + b"a\0\0x" + b"\0\0\0\0"
    (tmp_path / "a").write_bytes(data[:33] + profile + data[33:])  # behind the header
    server = scripted(says("ok"))

    assert (0, (12, 8)) == (ask(server, "-f", "a", "what is this?").code, sent(server)[1:3])


def test_a_small_picture_is_sent_byte_for_byte(ask, scripted, tmp_path):
    """No process is started for it, and nothing is said."""
    (tmp_path / "a.png").write_bytes(png(2048, 10))
    server = scripted(says("ok"))

    ran = ask(server, "-f", "a.png", "what is this?")

    assert (png(2048, 10), False) == (sent(server)[-1], "[image" in ran.stderr)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (header(40_000, 40_000), "DecompressionBombError: Image size (1600000000 pixels)"),
        (header(10_000, 10_000), "DecompressionBombWarning: Image size (100000000 pixels)"),
        (header(3000, 3000), "it cannot be read"),
        (photo(3000, 3000)[:90_000], "image file is truncated"),
    ],
    ids=["a bomb", "a smaller bomb", "no pixels", "cut"],
)
def test_what_cannot_be_made_smaller_is_refused_in_a_sentence(ask, scripted, tmp_path, data, why):
    """Exit 2, no traceback, no request."""
    (tmp_path / "a").write_bytes(data)

    ran = ask(scripted(), "-f", "a", "what is this?")

    assert (2, "") == (ran.code, ran.stdout)
    assert (True, True) == (
        ran.stderr.startswith("cococat: error: cannot attach a: it is a picture of "),
        why in ran.stderr,
    )
    assert "Traceback" not in ran.stderr


def without_pillow(*words):
    """Run the command where Python finds no such library."""
    code = "import sys; sys.modules['PIL'] = None; from cococat.cli.main import main; sys.exit(main(sys.argv[1:]))"
    return subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, input="", check=False)


def test_without_the_extra_one_of_more_than_5_mb_is_refused_and_others_go_as_they_are(scripted, tmp_path):
    """Exit 2 with the size and what to install."""
    camera, large = photo(2100, 300), png(1, 1, padding=5_000_100)
    server = scripted(says("ok"))
    rest = ("what is this?", "--base-url", server.base_url, "-m", "scripted")
    for name, data in (("camera", camera), ("large", large)):
        (tmp_path / name).write_bytes(data)

    taken = without_pillow("ask", "-f", str(tmp_path / "camera"), *rest)
    refused = without_pillow("ask", "-f", str(tmp_path / "large"), *rest)

    assert (0, camera) == (taken.returncode, sent(server)[-1]), taken.stderr
    assert (2, 1) == (refused.returncode, len(server.requests))
    assert "it has 5.1 MB, at most 5 MB of a picture can be sent" in refused.stderr
    assert "pip install 'cococat[images]'" in refused.stderr


def test_doctor_names_the_extras_with_the_command_that_installs_what_is_missing(scripted):
    """That is no warning: nobody has to have them."""
    words = ("doctor", "--json", "--base-url", scripted(models=({"id": "scripted"},)).base_url, "-m", "scripted")

    (row,) = [check for check in json.loads(without_pillow(*words).stdout)["checks"] if check["name"] == "extras"]

    assert ("ok", "pip install 'cococat[images]'") == (row["state"], row["hint"])
    assert row["detail"].endswith("; not installed: images")
