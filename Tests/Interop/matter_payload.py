"""The texts of Matter's QR codes."""

DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-."


def discriminator(payload):
    """Returns the discriminator of the text of a QR code. Matter 1.4 §5.1.3."""
    text = payload.removeprefix("MT:")
    parts = (text[at : at + 5] for at in range(0, len(text), 5))
    data = b"".join(
        sum(DIGITS.index(digit) * 38**place for place, digit in enumerate(part)).to_bytes({5: 3, 4: 2, 2: 1}[len(part)], "little") for part in parts
    )
    return int.from_bytes(data, "little") >> 45 & 0xFFF
