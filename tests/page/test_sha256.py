"""The page's own SHA-256 and HMAC against the standards' vectors, and against Python's."""

from __future__ import annotations

import hashlib
import hmac
import random
from typing import Final

from tests.page.nodes import VERIFY, asked

DIGESTS: Final = {  # FIPS 180-4's examples, and the empty message
    b"": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    b"abc": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq": (
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    b"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr"
    b"lmnopqrsmnopqrstnopqrstu": (
        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
    ),
    b"a" * 1_000_000: "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
}
CODES: Final = (  # RFC 4231, 4.2 to 4.8; the fifth shows 128 bits alone
    (b"\x0b" * 20, b"Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    (
        b"Jefe",
        b"what do ya want for nothing?",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    ),
    (
        b"\xaa" * 20,
        b"\xdd" * 50,
        "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
    ),
    (
        bytes(range(1, 26)),
        b"\xcd" * 50,
        "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
    ),
    (b"\x0c" * 20, b"Test With Truncation", "a3b6167473100ee06e0c796c2955552b"),
    (
        b"\xaa" * 131,
        b"Test Using Larger Than Block-Size Key - Hash Key First",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
    ),
    (
        b"\xaa" * 131,
        b"This is a test using a larger than block-size key and a larger than block-size data. "
        b"The key needs to be hashed before being used by the HMAC algorithm.",
        "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
    ),
)


def test_the_standards_digests() -> None:
    assert asked(VERIFY, "sha256", [[text.hex()] for text in DIGESTS]) == [*DIGESTS.values()]


def test_the_standards_codes() -> None:
    found = asked(VERIFY, "hmac", [[key.hex(), text.hex()] for key, text, _ in CODES])
    for code, (_, _, right) in zip(found, CODES, strict=True):
        assert code[: len(right)] == right


def test_every_length_around_a_block() -> None:
    rng = random.Random(1)
    texts = [rng.randbytes(length) for length in range(260)]
    found = asked(VERIFY, "sha256", [[text.hex()] for text in texts])
    assert found == [hashlib.sha256(text).hexdigest() for text in texts]
    keyed = [(rng.randbytes(length), rng.randbytes(length * 3 % 200)) for length in range(140)]
    found = asked(VERIFY, "hmac", [[key.hex(), text.hex()] for key, text in keyed])
    assert found == [hmac.digest(key, text, "sha256").hex() for key, text in keyed]
