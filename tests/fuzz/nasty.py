"""Values and names that no export ought to hold."""

from __future__ import annotations

TEXTS: tuple[bytes, ...] = tuple(
    text if isinstance(text, bytes) else text.encode()
    for text in (
        "",
        " ",
        "void foo<int>[with T = bool]",
        "[CUDA memcpy HtoD]",
        "[bold red]x[/]",
        "[/]",
        "[link=http://example.invalid]y[/link]",
        "[@click=app.quit]press[/]",
        b"caf\xe9 \xff\xfe",
        b"\xc3",
        b"\xed\xa0\x80 surrogate",
        'say "hi", a\tb, c\nd\r\ne',
        "a\r\n\r\nb",
        "\x1b[31mred\x1b[0m",
        "\x1b]0;title\x07\x1b]52;c;aGk=\x07",
        "\x9b31m\x85next",
        b"\x9b31m",
        "nul\x00in the middle",
        "k<float, 4>(int, float*)",
        "=HYPERLINK(A1)",
        "+1",
        "@SUM(1)",
        "-5",
        "-2+3",
        "\t=1",
        "\r=1",
        "核心 カーネル 커널",
        "👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇪 e\u0301\u0301\u0301",
        "\u202egnirts\u202c \u2066x\u2069 \u200b\u200d\ufeff",
        "\u2028line\u2029paragraph",
        "k" * 10_000,
        "T<" * 3000 + ">" * 3000,
        "核" * 4000,
        "a" * 100_000,
        "\n" * 50,
        "%s %n {0} {x} ${y} $(z) `w`",
        "'; DROP TABLE StringIds; --",
        "../../etc/passwd",
        "step 1",
        "step (1",
        "(((((",
        "ncclDevKernel_AllReduce",
        "\U000e0041\U000e007f",
        "\ufdfd\u0bcc",
    )
)
"""Names: markup, escapes, bad UTF-8, quoting, formulas, widths, directions, lengths."""

NUMBERS: tuple[object, ...] = (
    0, 1, -1, 7, 59, 60, 67, 75, 127, 128, 255, 256, 32767, -32768, 2**23, -(2**23) - 1, 2**31 - 1, 2**31,
    -(2**31), 2**32, 2**47, -(2**47) - 1, 2**53, 2**53 + 1, 2**61, 2**62 - 1, 2**62, 2**62 + 1, -(2**62),
    -(2**62) - 1, 2**63 - 1, -(2**63), -(2**63) + 1, None, None, None, b"text", b"12", b"", b"\xff\xfe",
    0.0, 1.5, -1e300, 1e19, float("inf"),
)  # fmt: skip
"""What a number of the file is replaced by; bytes here mean text, :data:`BLOB` stands for a blob."""

BLOB = b"\x00\x01\xff"
