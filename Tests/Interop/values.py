"""Values that a characteristic must accept, and values that it must refuse, derived from its metadata in `/accessories`."""

import base64
from decimal import Decimal

from aiohomekit.model.characteristics import CharacteristicsTypes

INTEGERS = {
    "uint8": (0, 2**8 - 1),
    "uint16": (0, 2**16 - 1),
    "uint32": (0, 2**32 - 1),
    "uint64": (0, 2**64 - 1),
    "int": (-(2**31), 2**31 - 1),
}


def good(c):
    """Returns at least one value to accept. If there are two, they differ."""
    kind = c["format"]
    if kind == "bool":
        # ID.4: Identify accepts only true.
        return [True] if c["type"].upper() == CharacteristicsTypes.IDENTIFY else [False, True]
    if kind in INTEGERS:
        if "valid-values" in c:
            return c["valid-values"][:2]
        low, high = bounds(c)
        step = c.get("minStep", 1)
        return [low, low + (high - low) // step * step]
    if kind == "float":
        low, high = c.get("minValue", 0), c.get("maxValue", 100)
        # As in decimal text: 0 + 0.1, without binary rounding.
        step = Decimal(str(c.get("minStep", 1)))
        return [low, high, float(Decimal(str(low)) + 3 * step)]
    if kind == "string":
        return ["a", "ä" * (c.get("maxLen", 64) // 2)]
    return [base64.b64encode(value).decode() for value in (b"\x01\x01\x00", b"\x02\x00")]  # one TLV item


def held(c, value):
    """Returns the value of a characteristic after a write of `value`. It is the same value, except for the characteristics of functions that hapsim does
    not have. These contain the answer (docs/reference/behaviours.md)."""
    kind = c["type"].upper()
    if kind == CharacteristicsTypes.SETUP_ENDPOINTS:
        # Status (2): error (2), after the session identifier (1) of the request, if it has one.
        request = base64.b64decode(value)
        session = request[: 2 + request[1]] if request[0] == 1 else b""
        return base64.b64encode(session + b"\x02\x01\x02").decode()
    if kind == CharacteristicsTypes.SETUP_DATA_STREAM_TRANSPORT:
        return base64.b64encode(b"\x01\x01\x01").decode()  # Status (1): generic error (1)
    return value


def bounds(c):
    low, high = INTEGERS[c["format"]]
    least, most = c.get("valid-values-range", (low, high))
    return max(low, least, c.get("minValue", low)), min(high, most, c.get("maxValue", high))


def bad(c):
    """Returns values to refuse with -70410."""
    kind = c["format"]
    if kind == "bool":
        return [2, -1, "true", "", 1.5]
    if kind in INTEGERS:
        low, high = bounds(c)
        values = ["1", "", 1.5, low + 0.5]
        least, most = INTEGERS[kind]
        if low > least:
            values.append(low - 1)
        if high < most:
            values.append(high + 1)
        if c.get("minStep", 1) > 1:
            values.append(low + 1)
        if "valid-values" in c:
            values += [v for v in range(low, high + 1) if v not in c["valid-values"]][:3]
        return values
    if kind == "float":
        values = ["1", ""]
        if "minValue" in c:
            values.append(c["minValue"] - 1)
        if "maxValue" in c:
            values.append(c["maxValue"] + 1)
        if c.get("minStep", 0) >= 0.1:
            values.append(c.get("minValue", 0) + c["minStep"] / 2)
        return values
    if kind == "string":
        return [1, True, "x" * (c.get("maxLen", 64) + 1)]
    # The default limit is larger than a request may be.
    beyond = [base64.b64encode(bytes(c["maxDataLen"] + 1)).decode()] if c.get("maxDataLen", 1 << 20) < 8192 else []
    return ["no base64!", 1, True, *beyond]


def outside_the_format(c):
    """Returns integers that the format cannot hold. They are refused with -70410, or the whole request is refused with 400 (CH.4)."""
    if c["format"] not in INTEGERS:
        return []
    least, most = INTEGERS[c["format"]]
    return [v for v in (least - 1, most + 1, 2**63, 2**64, -(2**63) - 1, 10**30) if not least <= v <= most]


def characteristics(accessories):
    """Yields every characteristic with its `(aid, iid)`."""
    for accessory in accessories:
        for service in accessory["services"]:
            for c in service["characteristics"]:
                yield (accessory["aid"], c["iid"]), c
