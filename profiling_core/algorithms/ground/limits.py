"""How many violations an error allows."""


def greatest_count(max_error: float, pairs: int, *, each: int = 1) -> int:
    """The greatest n with each·n / pairs ≤ ``max_error``, by the same division as the error itself; 0 of no pairs.

    Args:
        max_error: the greatest share of violating pairs (g1).
        pairs: the ordered pairs of rows.
        each: how many of them one of n stands for: 2 where unordered pairs are counted.
    """
    if not pairs:
        return 0
    found = int(max_error * pairs / each)
    while each * found < pairs and each * (found + 1) / pairs <= max_error:
        found += 1
    while found > 0 and each * found / pairs > max_error:
        found -= 1
    return found
