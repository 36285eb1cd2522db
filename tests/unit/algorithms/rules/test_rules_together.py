"""Columns that have their values together: two of three rules say it, and the third follows."""

import random

from helpers.found import found, texts


def test_what_one_state_has_is_there_together_whatever_states_there_will_be():
    rng = random.Random(2)
    state = [rng.choice(["open", "sent", "cancelled"]) for _ in range(400)]
    orders = {
        "order_id": [f"O{i:05}" for i in range(400)],
        "state": state,
        "reason": [rng.choice(["late", "broken"]) if s == "cancelled" else None for s in state],
        "fee": [rng.randrange(900) if s == "cancelled" else None for s in state],
    }
    table = found(orders=orders)["orders"]
    told = {text for text in texts(table) if "⇔" in text}
    together = {
        "state = cancelled ⇔ fee is there",
        "state = cancelled ⇔ reason is there",
        "reason is there ⇔ fee is there",
    }
    assert len(told) == 2
    assert together > told
