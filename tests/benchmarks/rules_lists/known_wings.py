"""What an airline and a lottery live by; written before they were run."""

from benchmarks.rules_lists.known import table

WINGS = {
    "airline": {
        "flights": table(
            """
ucc flight_id | key
equation flight_key flight_no | in it
equation flight_key flight_date | day in it
equation weekday flight_date | day of the week
fd flight_no origin | its route
fd flight_no destination | its route
fd origin destination flight_no | its route
fd flight_no distance_km | its route
equation distance_mi distance_km | miles
fd aircraft seats | fitted with
dc boarded seats | at most
equation load_pct boarded seats | per cent
equation flight_date planned_out | its day
dc planned_out planned_in | time
equation actual_out planned_out delay_min | minutes on
conditional status actual_out | when
conditional status boarded | nobody
conditional delayed delay_min | above 15
conditional delayed delay_code | when
conditional actual_out delay_min | both
conditional actual_out delayed | both
""",
            """
fd distance_km distance_mi | miles
fd seats aircraft | fitted with
conditional delay_code delay_min | above 15
conditional status delay_min | when
conditional status delayed | when
conditional delay_min delayed | both
fd flight_no distance_mi | its route
fd distance_km flight_no | its route
fd distance_km origin | its route
fd distance_km destination | its route
dc planned_out actual_out | time
fd origin destination distance_km | its route
conditional boarded status | nobody
ucc flight_key | each
dc flight_date planned_in | time
equation flight_key flight_no flight_date | put together
fd delay_min delayed | above 15
fd origin destination distance_mi | its route
""",
        ),
        "tickets": table(
            """
ucc ticket_no | key
ind flight_id | which
ucc record_locator | each
reference booked_at flights.flight_date | before
fd cabin cabin_name | its name
conditional pax_type seat | infants have none
dc fare adult_fare | at most
conditional pax_type fare adult_fare | part by age
conditional pax_type airport_tax | infants pay none
conditional pax_type bags | infants have none
conditional cabin bag_fee | business pays none
conditional cabin bag_fee bags | each
equation total fare airport_tax carrier_charge bag_fee | sum
conditional pax_type miles | infants have none
reference miles flights.distance_mi | as far
reference days_ahead booked_at flights.flight_date | days
dc booked_at refunded_at | time
conditional refunded_at refund_amount | both
equation refund_amount airport_tax | tax back
conditional form_of_payment card_brand | cards
""",
            """
fd cabin_name cabin | its name
conditional pax_type carrier_charge | infants pay none
fd pax_type airport_tax | infants pay none
fd pax_type carrier_charge | infants pay none
fd airport_tax carrier_charge | together
fd carrier_charge airport_tax | together
dc fare total | part
dc bag_fee total | part
conditional airport_tax seat | infants
conditional carrier_charge seat | infants
conditional cabin_name bag_fee | business pays none
conditional cabin_name bag_fee bags | each
dc refund_amount total | part
conditional cabin miles | twice
conditional airport_tax pax_type | infants pay none
conditional carrier_charge pax_type | infants pay none
reference booked_at flights.planned_out | before
conditional airport_tax carrier_charge | together
conditional bags bag_fee | none
""",
        ),
    },
    "lottery": {
        "draws": table(
            """
ucc draw_no | key
ucc draw_code | each
ucc drawn_on | one a day
equation draw_code drawn_on | year in it
equation day_name drawn_on | day of the week
dc n1 n2 | ascending
dc n2 n3 | ascending
dc n3 n4 | ascending
dc n4 n5 | ascending
dc n5 n6 | ascending
equation number_sum n1 n2 n3 n4 n5 n6 | sum
equation to_prizes sales | 45 per cent
dc carried_over jackpot | part
equation jackpot carried_over sales | 20 per cent on top
conditional winners per_winner | when
equation per_winner jackpot winners | each
conditional winners rolled_over | nobody won
""",
            """
conditional rolled_over per_winner | when
conditional per_winner winners | when
conditional rolled_over winners | nobody won
dc to_prizes sales | part
dc draw_no drawn_on | in order
dc n6 number_sum | part
fd winners rolled_over | nobody won
conditional day_name draw_code | letter
conditional winners jackpot per_winner | one gets all
dc per_winner jackpot | part
""",
        ),
        "slips": table(
            """
ucc slip_id | key
ind draw_no | which
equation slip_id draw_no | in it
reference draw_date draws.drawn_on | the same
dc sold_at draw_date | before
conditional channel shop_no | shops
equation row_stake rows | 1.20 each
conditional joker joker_stake | when
conditional channel handling | not in shops
equation paid row_stake joker_stake handling | sum
conditional best_hits prize_class | from three on
equation prize_class best_hits | seven less
fd best_hits prize | fixed
conditional prize_class prize | when
equation payout prize tax | difference
conditional tax prize | above a limit
equation expires_on draw_date | 90 days
dc draw_date claimed_on | time
dc claimed_on expires_on | time
conditional claimed_on prize | only who won
""",
            """
conditional handling shop_no | not in shops
fd prize_class prize | fixed
fd prize prize_class | fixed
fd prize tax | of it
fd best_hits tax | of it
fd best_hits payout | fixed
fd prize payout | of it
fd draw_no draw_date | the same
fd draw_date draw_no | the same
conditional best_hits prize | from three on
conditional claimed_on prize_class | only who won
conditional prize_class claimed_on | only who won
conditional best_hits claimed_on | only who won
dc row_stake paid | part
dc sold_at claimed_on | time
dc sold_at expires_on | time
dc payout prize | part
dc tax prize | part
conditional handling channel | not in shops
conditional joker_stake joker | when
conditional joker paid row_stake handling | sum
conditional channel paid row_stake joker_stake | sum
dc draw_date expires_on | time
conditional best_hits tax | above a limit
""",
        ),
    },
}
