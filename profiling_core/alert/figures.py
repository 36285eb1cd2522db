"""Numbers as people read them, the same in messages, terminal and HTML."""

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_LEAST_PERCENT = 0.0001


def error_text(error: float) -> str:
    """An error as a percentage, or as a power of ten where that would be all zeros: ``0``, ``1.2 %``, ``8.4·10⁻⁸``."""
    if error == 0:
        return "0"
    if error >= _LEAST_PERCENT:
        return f"{error * 100:.3g} %"
    mantissa, _, exponent = f"{error:.1e}".partition("e")
    return f"{mantissa.removesuffix('.0')}·10{str(int(exponent)).translate(_SUPERSCRIPTS)}"


def counted(count: int, one: str, many: str = "") -> str:
    """``1 row``, ``1,234 rows``."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"
