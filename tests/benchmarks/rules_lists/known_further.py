"""What three further made-up businesses live by; written before they were run, as known is."""

from benchmarks.rules_lists.known import Table, table

FURTHER: dict[str, dict[str, Table]] = {
    "gym": {
        "tariffs": table("ucc tariff_code | the key", "ucc tariff_name | named apart\nucc monthly_fee_cents | few"),
        "members": table(
            """
            ucc member_no | the key
            ucc card_no | a card each
            ucc email | people log in by it
            ind recruited_by | by whom
            dc born_on joined_at | time
            dc joined_at left_on | time
            conditional leave_reason left_on | who has left has a reason
            """,
        ),
        "contracts": table(
            """
            ucc contract_id | the key
            ind member_no | whose
            ind tariff_code | which
            dc starts_on ends_on | time
            equation pays_cents monthly_fee_cents discount_cents | the difference
            reference monthly_fee_cents tariffs.monthly_fee_cents | the tariff's
            reference starts_on members.joined_at | after joining
            """,
            """
            ucc member_no | one each
            fd tariff_code monthly_fee_cents | the tariff's
            """,
        ),
        "fees": table(
            """
            ucc contract_id month_no | the key
            ind contract_id | of
            dc due_on paid_on | time
            reference amount_cents contracts.pays_cents | as agreed
            reference due_on contracts.starts_on | from the first day on
            """,
            """
            ucc contract_id due_on | the same
            fd contract_id amount_cents | as agreed
            reference contracts.starts_on due_on | the first one
            reference starts_on fees.due_on | the first one
            reference paid_on contracts.starts_on | time
            conditional paid_on method | both or neither
            conditional paid_on failed_reason | either one
            """,
        ),
        "visits": table(
            """
            ucc visit_id | the key
            ind member_no | who
            dc came_at left_at | time
            equation minutes left_at came_at | how long
            reference came_at members.joined_at | members come
            """,
            "reference left_at members.joined_at | time",
        ),
    },
    "pharmacy": {
        "drugs": table(
            """
            ucc pzn | the key
            fd atc_code field | a class is of one field
            equation price price_net tax | the sum
            equation tax price_net | 19 %
            """,
            "ucc product | named apart\nequation price price_net | 19 % on top",
        ),
        "batches": table(
            """
            ucc pzn batch | the key
            ind pzn | of what
            dc received_on best_before | time
            equation left_packs received_packs sold_packs | what is left
            fd pzn shelf | a drug has its shelf
            """,
            "dc left_packs received_packs | a part\ndc sold_packs received_packs | a part",
        ),
        "scripts": table(
            """
            ucc script_no | the key
            equation valid_until issued_on | four weeks
            dc issued_on redeemed_at | time
            conditional status redeemed_at | redeemed at a time
            """,
            "dc redeemed_at valid_until | in time",
        ),
        "script_items": table(
            """
            ucc script_no position | the key
            ind script_no | of
            ind pzn | what
            equation total packs unit_price | the product
            equation total insured_share copay | the sum
            reference unit_price drugs.price | the price
            """,
            """
            ucc script_no pzn | once
            fd pzn unit_price | the price
            dc copay total | a part
            """,
        ),
    },
    "vineyard": {
        "plots": table(
            """
            ucc plot | the key
            fd slope village | a slope lies in one village
            equation vines area_ha | so many on a hectare
            """,
            "fd village slope | the same\nequation slope plot | its letter",
        ),
        "pickings": table(
            """
            ind plot | where
            equation picked_on begun_at | its day
            dc begun_at ended_at | time
            equation kg crates kg_per_crate | the product
            reference grape plots.grape | what grows there
            fd oechsle quality | sugar tells it
            """,
            """
            ucc plot begun_at | once
            ucc plot ended_at | once
            fd plot grape | what grows there
            conditional quality oechsle | sugar tells it
            """,
        ),
        "wines": table(
            """
            ucc wine_id | the key
            ucc vintage grape | one a year
            equation label vintage grape | put together
            equation litres bottles | three quarters of a litre
            dc bottled_on released_on | time
            dc released_on sold_out_on | time
            conditional sold_out sold_out_on | since when
            """,
            "ucc label | named apart\ndc bottled_on sold_out_on | time",
        ),
    },
}
