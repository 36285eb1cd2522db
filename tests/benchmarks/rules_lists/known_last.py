"""What the last three made-up businesses live by; written before they were run, as known is."""

from benchmarks.rules_lists.known import Table, table

LAST: dict[str, dict[str, Table]] = {
    "rentals": {
        "vehicles": table("""
            ucc plate | the key
            fd model category | a model is of one kind
            fd model doors | and built so
            equation weekly_rate daily_rate | six days' rate
            equation deposit daily_rate | three days and a half, in whole money
            dc bought sold | time
            """),
        "contracts": table(
            """
            ucc contract_no | the key
            ind plate | which car
            ind extends | an earlier contract
            dc picked_up due_back | time
            dc picked_up returned_at | time
            dc returned_at due_back | nobody is late
            equation km_in km_out km_driven | the sum
            equation free_km days | 200 a day
            equation rental days rate_per_day | the product
            equation extra_charge extra_km | a quarter for each
            reference rate_per_day vehicles.daily_rate | the car's
            reference picked_up vehicles.bought | once it is bought
            conditional damage damage_cost | both or neither
            conditional voucher_code voucher_value | both or neither
            conditional returned_at km_in | both or neither
            """,
            """
            equation days picked_up due_back | how many there are
            dc km_out km_in | counts up
            dc extra_km km_driven | a part
            dc rate_per_day rental | a part
            conditional returned_at fuel_in | both or neither
            conditional returned_at extra_km | both or neither
            conditional returned_at km_driven | both or neither
            conditional returned_at extra_charge | both or neither
            fd plate rate_per_day | its rate
            """,
        ),
    },
    "loans": {
        "loans": table(
            """
            ucc loan_no | the key
            fd term_months product | named by the term
            dc start_date end_date | time
            dc start_date closed_on | time
            dc closed_on end_date | not after
            conditional guarantor_id guarantee_amount | both or neither
            equation guarantee_amount principal | half, to hundreds
            conditional status closed_on | closed on a day
            """,
            "fd product term_months | the same\nequation loan_no start_date | the year in it",
        ),
        "instalments": table(
            """
            ucc loan_no instalment_no | numbered
            ucc loan_no due_date | one a month
            ind loan_no | of which loan
            equation instalment interest principal_part | the sum
            equation closing opening principal_part | what is left
            fd loan_no principal_part | even parts
            reference due_date loans.start_date | after it
            reference opening loans.principal | no more than it
            """,
            """
            reference due_date loans.end_date | within the term
            reference closing loans.principal | less
            reference instalment loans.principal | less
            reference principal_part loans.principal | less
            dc interest instalment | a part
            dc closing opening | goes down
            """,
        ),
    },
    "nursery": {
        "plants": table(
            """
            ucc plant_code | the key
            equation latin_name genus species | put together
            dc height_min_cm height_max_cm | the least and the most
            equation price_10 price | 15 % off
            ind parent_code | a plant
            """,
            "dc price_10 price | less",
        ),
        "orders": table(
            """
            ucc order_ref | the key
            dc placed picked_from | time
            dc picked_from picked_to | time
            dc picked_to packed | time
            dc packed dispatched | time
            equation total goods pallet_fee vat | the sum
            equation vat goods pallet_fee | 10 %
            reference trays order_lines.trays | the sum
            reference plants order_lines.qty | the sum
            reference goods order_lines.line_total | the sum
            conditional dispatched carrier | both or neither
            conditional gift_note gift_from | both or neither
            conditional paid_by cheque_no | by cheque
            """,
            """
            equation total goods pallet_fee | 10 % on top
            equation vat total | its share
            conditional pallet_fee trays | above six
            dc trays plants | no more
            """,
        ),
        "order_lines": table(
            """
            ucc order_ref line | numbered
            ucc order_ref plant_code | once each
            ind order_ref | of which order
            ind plant_code | what
            ind substitute_for | instead of what
            equation line_total qty unit_price | the product
            fd qty trays | six to a tray
            """,
            """
            dc trays qty | no more
            reference unit_price plants.price | no more
            reference unit_price plants.price_10 | no less
            """,
        ),
    },
}
