"""What made-up businesses that come as files live by; written before they were run, as known is."""

from benchmarks.rules_lists.known import Table, table

FILES: dict[str, dict[str, Table]] = {
    "ledger": {
        "accounts": table(
            """
            ucc account | key
            equation class account | first digit
            fd class class_name | named
            fd class normal_side | side
            dc opened closed | time
            """,
            """
            fd class_name class | same
            fd class_name normal_side | side
            ucc title | no
            """,
        ),
        "entries": table(
            """
            ucc voucher | key
            equation fiscal_year booked_on | year
            equation period booked_on | month
            equation voucher fiscal_year | begins with it
            reference lines | count
            reference total postings.debit | sum
            reference total postings.credit | sum
            ind reverses | an entry
            conditional approved_by total | large ones
            """,
            """
            equation voucher booked_on | begins with it
            equation fiscal_year voucher | begins with it
            """,
        ),
        "postings": table(
            """
            ucc voucher pos | key
            ind voucher | of which
            ind account | which
            conditional debit credit | one or the other
            fd tax_code tax_rate | rate
            equation tax debit tax_rate | per cent
            conditional debit tax_code | both
            """,
            """
            conditional credit debit | one or other
            conditional debit tax_rate | both
            conditional debit tax | both
            conditional credit tax_code | none
            conditional credit tax | none
            conditional credit tax_rate | none
            fd tax_rate tax_code | same
            reference credit entries.total | the sum
            conditional tax_code debit | both
            conditional tax_code credit | one
            dc tax debit | part
            """,
        ),
    },
    "stalls": {
        "applications": table(
            """
            ucc application | key
            ucc stand_no | one each
            ucc invoice_no | one each
            equation contact_initials contact_first contact_last | initials
            dc applied_on decided_on | time
            dc decided_on invoiced_on | time
            dc invoiced_on paid_on | time
            dc moved_in moved_out | time
            equation area_m2 width_m depth_m | product
            equation rent area_m2 price_per_m2 | product
            fd hall price_per_m2 | by hall
            equation power_fee power_kw | 25 each
            conditional water water_fee | costs
            equation passes_total passes_free passes_extra | sum
            equation passes_fee passes_extra | 18 each
            equation vat net | 20 %
            equation gross net vat | sum
            conditional decision why_not | why
            equation visitors_all visitors_mon visitors_tue | sum
            conditional decision hall | where
            """,
            """
            equation gross net | 1.2
            equation gross vat | 1.2
            equation stand_no hall aisle place | put together
            equation hall stand_no | in it
            equation place stand_no | in it
            equation area_m2 rent price_per_m2 | product
            conditional decision stand_no | where
            conditional decision invoice_no | billed
            conditional decision rent | billed
            conditional decision invoiced_on | billed
            fd water water_fee | costs
            fd water_fee water | same
            fd price_per_m2 hall | same
            conditional early_bird discount | costs less
            conditional best_day visitors_mon visitors_tue | more
            conditional best_day visitors_tue visitors_mon | more
            ucc hall aisle place | one each
            equation passes_free area_m2 | one for 4
            equation email contact_first contact_last | no
            ucc email | one each
            ucc company | one each
            """,
        ),
    },
    "freight": {
        "trucks": table(
            """
            ucc truck_id | key
            ucc plate | one each
            fd axles toll_class | by axles
            equation gross_kg payload_kg tare_kg | sum
            equation next_inspection inspected_on | a year
            """,
            """

            """,
        ),
        "trips": table(
            """
            ucc trip | key
            ind truck | which
            dc left_at back_at | time
            equation km odo_start odo_end | difference
            equation fuel_cost fuel_l fuel_price | product
            equation l_per_100 fuel_l km | rate
            dc toll_km km | part
            conditional breakdown breakdown_min | both
            conditional status back_at | running
            reference stops | count
            reference load_kg trucks.payload_kg | no more
            """,
            """
            dc odo_start odo_end | counts up
            conditional status km | running
            conditional status odo_end | running
            conditional status fuel_l | running
            conditional status toll | running
            conditional status toll_km | running
            conditional status fuel_cost | running
            conditional back_at km | both
            conditional back_at odo_end | both
            reference left_at stops.planned_at | before
            reference left_at stops.arrived_at | before
            """,
        ),
        "stops": table(
            """
            ucc trip seq | key
            ind trip | of which
            dc arrived_at left_at | time
            reference arrived_at trips.left_at | after
            reference left_at trips.back_at | before
            conditional refused_reason pallets_out | none unloaded
            """,
            """
            reference arrived_at trips.back_at | before
            reference planned_at trips.left_at | after
            reference seq trips.stops | no more
            """,
        ),
    },
    "boxes": {
        "countries": table(
            """
            ucc country | key
            """,
            """
            ucc country_name | named
            """,
        ),
        "subscriptions": table(
            """
            ucc subscription | key
            ind country | where
            ind referred_by | a subscription
            fd plan months | so long
            fd plan price_month | so much
            equation paid_total months price_month | product
            equation months boxes_sent boxes_left | sum
            dc paused_from paused_until | time
            dc started paused_from | time
            dc started ended | time
            conditional paused_from paused_until | both
            conditional ended end_reason | both
            conditional gift_from gift_text | both
            conditional next_box ended | one or the other
            """,
            """
            ucc mail | one each
            fd months plan | same
            fd price_month plan | same
            fd months price_month | same
            dc started next_box | time
            conditional ended boxes_left | all sent
            fd plan paid_total | follows
            conditional next_box boxes_left | not all
            """,
        ),
        "items": table(
            """
            ucc item | key
            ind bundle_of | an item
            equation margin price cost | difference
            equation margin_pct margin price | per cent
            equation stock_now stock_in stock_out | difference
            dc stock_out stock_in | no more
            conditional to_order stock_now reorder_at | below
            """,
            """
            dc cost price | sold for more
            equation stock_in stock_out stock_now | sum
            ucc title | named
            """,
        ),
        "boxes": table(
            """
            ucc box | key
            ind subscription | whose
            ucc subscription month | one a month
            dc packed_on sent_on | time
            dc sent_on returned_on | time
            equation value goods vat | sum
            equation refund value refund_pct | per cent
            conditional sent_on tracking | both
            conditional returned_on refund | both
            conditional returned_on credit_note | both
            reference packed_on subscriptions.started | after
            reference month subscriptions.months | no more
            """,
            """
            conditional returned_on refund_pct | both
            dc goods value | tax
            dc refund value | part
            ucc tracking | own
            ucc credit_note | own
            conditional refund credit_note | both
            reference sent_on subscriptions.started | after
            reference packed_on subscriptions.ended | before the end
            """,
        ),
    },
    "meters": {
        "meters": table(
            """
            ucc meter_no | key
            ucc serial | one each
            fd kind unit | measured in
            fd digits max_value | all nines
            dc fitted removed | time
            conditional removed removed_why | both
            equation address street house_no flat | put together
            ucc supply_point | one each
            """,
            """
            fd max_value digits | same
            conditional kind factor | only power
            reference fitted readings.previous_on | the first begins there
            """,
        ),
        "readings": table(
            """
            ucc reading_id | key
            ind meter_no | of which
            dc previous_on read_on | time
            equation days previous_on read_on | between
            equation units previous current | difference
            equation consumption units factor | product
            equation per_day consumption days | ratio
            reference factor meters.factor | the meter's
            reference previous_on meters.fitted | since
            conditional source reader_id | who read it
            conditional source estimated | flag
            ucc meter_no read_on | once a day
            """,
            """
            ucc meter_no previous_on | once a day
            dc previous current | counts up
            fd meter_no factor | follows
            fd source estimated | follows
            reference read_on meters.fitted | after
            dc units consumption | times
            """,
        ),
    },
}
