"""What further made-up businesses live by; written before they were run, as known is."""

from benchmarks.rules_lists.known import Table, table

HOTEL = {
    "rooms": table(
        """
ucc room | key
fd type type_name | lookup
fd type beds | lookup
fd type max_guests | lookup
fd type rack_rate | price list
equation floor room | first digit
""",
        """
fd type_name type | same
fd rack_rate type | same
fd type_name rack_rate | same
dc beds max_guests | fits
fd rack_rate type_name | same
""",
    ),
    "stays": table(
        """
ucc booking_ref | key
ind room | where
dc booked_on arrival | time
dc arrival departure | time
equation nights arrival departure | between
equation guests adults children | sum
equation room_total nights rate | product
equation total room_total board_fee extras tourist_tax | sum
equation balance_due total deposit | difference
equation deposit total | a fifth
equation tourist_tax adults nights | 2.50 each
equation commission room_total commission_pct | per cent
reference rate rooms.rack_rate | no more
reference guests rooms.max_guests | fits
fd channel commission_pct | contract
dc checked_in checked_out | time
conditional checked_in checked_out | both
dc booked_on cancelled_on | time
dc cancelled_on arrival | before
conditional cancelled_on checked_in | one or other
""",
        """
conditional board board_fee | costs
equation balance_due total | 80 %
equation total deposit balance_due | sum
conditional no_show checked_in | none
equation booking_ref booked_on | begins
equation arrival checked_in | the day
equation arrival departure nights | days on
equation departure arrival nights | days on
equation departure checked_out | the day
conditional rating checked_in | only
conditional rating checked_out | only
conditional channel commission | free
conditional checked_in no_show | none
""",
    ),
}

FOOTBALL = {
    "matches": table(
        """
ucc match_id | key
dc ht_home ft_home | grows
dc ht_away ft_away | grows
dc ft_home sot_home | a goal is on target
dc ft_away sot_away | a goal is on target
dc sot_home shots_home | part
dc sot_away shots_away | part
conditional result ft_home ft_away | more goals
fd result pts_home | points
fd result pts_away | points
ucc season home round | once a round
""",
        """
fd pts_home pts_away | points
fd pts_away pts_home | points
fd pts_home result | points
fd pts_away result | points
conditional result ft_away ft_home | more
fd season round played_on | the day
fd played_on season | the season
fd played_on round | the round
ucc season round home | once
ucc season round away | once
ucc played_on home | once
ucc played_on away | once
ind season home | in the table
ind season away | in the table
fd season round played_on | a week
conditional pts_home ft_home ft_away | more
conditional pts_away ft_home ft_away | more
conditional result ft_home | none
conditional result ft_away | none
ind season home standings.team | table
""",
    ),
    "standings": table(
        """
ucc season team | key
ucc season position | one each
equation played won drawn lost | sum
equation goal_diff goals_for goals_against | difference
equation points won drawn | 3 and 1
conditional position status | by place
""",
        """
dc clean_sheets played | part
equation won played drawn lost | sum
equation lost played won drawn | sum
equation goals_for goals_against goal_diff | sum
conditional status position | by place
dc won points | part
""",
    ),
}

PARTS = {
    "parts": table(
        """
ucc part_no | key
fd family family_desc | lookup
equation family part_no | begins
equation margin_pct std_cost list_price | per cent
dc std_cost list_price | sold for more
dc net_weight_g weight_g | less
conditional make_buy supplier_id | bought
conditional make_buy min_order | bought
dc released_on obsolete_on | time
ind replaced_by | a part
conditional obsolete_on replaced_by | both
dc pack_size min_order | at least one
""",
        """
conditional supplier_id min_order | both
fd family_desc family | same
ucc part_name | named
equation family_desc part_name | begins
""",
    ),
    "bom": table(
        """
ucc assembly line | key
ind assembly | what
ind component | of what
ucc assembly component | once
reference uom parts.uom | the part's
reference unit_cost parts.std_cost | the part's
equation ext_cost qty unit_cost | product
equation qty_gross qty scrap_pct | with scrap
dc qty qty_gross | more
dc valid_from valid_to | time
reference valid_from parts.released_on | after
reference valid_to parts.released_on | after
""",
        """
fd component uom | the part's
fd component unit_cost | the part's
reference assembly parts.make_buy | made
reference make_buy | made
dc unit_cost ext_cost | part
""",
    ),
}

WEBSHOP = {
    "customers": table(
        """
ucc customer_no | key
ucc email | own
fd loyalty_tier discount_pct | by tier
conditional loyalty_tier loyalty_points | both
""",
        """
conditional loyalty_tier discount_pct | by tier
conditional loyalty_points discount_pct | none
fd discount_pct loyalty_tier | same
        """,
    ),
    "products": table(
        """
ucc sku | key
equation category sku | begins
fd category tax_class | by law
fd tax_class tax_rate | rate
dc cost list_price | sold for more
equation margin_pct cost list_price | per cent
equation available stock reserved | difference
dc reserved stock | part
dc launched discontinued | time
ind variant_of | a product
""",
        """
ucc title | named
fd tax_rate tax_class | same
fd category tax_rate | rate
equation stock reserved available | sum
        """,
    ),
    "orders": table(
        """
ucc order_no | key
ind customer_no | who
dc placed_at confirmed_at | time
dc confirmed_at packed_at | time
dc packed_at shipped_at | time
dc shipped_at delivered_at | time
dc confirmed_at cancelled_at | time
conditional status cancelled_at | cancelled
conditional status delivered_at | delivered
conditional status cancel_reason | why
reference items_count | count
reference units order_items.qty | sum
reference subtotal order_items.line_total | sum
conditional coupon coupon_value | both
equation total subtotal loyalty_discount shipping tax | sum
conditional shipping subtotal | free from 50
conditional refunded refund_at | both
conditional payment_method card_brand | card
conditional shipped_at tracking_no | both
reference ship_country customers.country | home
reference placed_at customers.signup_on | after
""",
        """
equation total coupon_value loyalty_discount shipping subtotal tax | sum
conditional status packed_at | shipped
conditional status shipped_at | shipped
conditional status tracking_no | shipped
conditional packed_at tracking_no | both
conditional packed_at shipped_at | both
dc items_count units | no more
ucc tracking_no | own
dc cancelled_at refund_at | time
dc delivered_at refund_at | time
conditional gift_message gift_wrap | gift
conditional gift_wrap gift_message | gift
conditional cancelled_at cancel_reason | both
reference items_count order_items.line_no | last
reference tax order_items.line_total | part
fd coupon coupon_value | worth
equation order_no placed_at | in it
""",
    ),
    "order_items": table(
        """
ucc order_no line_no | key
ucc order_no sku | once
ind order_no | of which
ind sku | what
equation line_total qty unit_price | product
dc unit_price list_price | no more
reference list_price products.list_price | copied
reference tax_rate products.tax_rate | copied
dc returned_qty qty | no more
conditional return_reason returned_qty | why
equation line_discount list_price unit_price qty | off
""",
        """
fd sku list_price | copied
fd sku tax_rate | copied
reference unit_price products.list_price | no more
equation line_discount line_total list_price qty | off
conditional line_discount list_price unit_price | none
""",
    ),
}

COURTS = {
    "cases": table(
        """
ucc case_no | key
fd court_code court_name | named
equation court_code case_no | begins
equation year filed_on | year
dc filed_on first_hearing | time
dc first_hearing last_hearing | time
dc last_hearing decided_on | time
dc decided_on appealed_on | time
conditional appealed_on appeal_case_no | both
dc awarded claim_amount | no more
equation total_awarded awarded costs interest | sum
equation interest awarded | 4 %
equation lawyers lawyers_p lawyers_d | sum
conditional outcome awarded | won
conditional status decided_on | decided
conditional status settled_on | settled
equation duration_days filed_on closed_on | between
ind joined_to | a case
conditional hearing_count first_hearing | none
""",
        """
equation case_no filed_on | the year in it
fd court_name court_code | same
conditional first_hearing last_hearing | both
conditional decided_on outcome | both
conditional status outcome | decided
conditional status closed_on | over
conditional hearing_count last_hearing | none
dc filed_on settled_on | time
dc last_hearing settled_on | time
dc filed_on decided_on | time
equation type case_no | in it
dc last_hearing closed_on | time
dc filed_on closed_on | time
conditional outcome total_awarded | won
equation year case_no | in it
conditional outcome costs | won
conditional hearing_count first_hearing last_hearing | one
conditional status duration_days | over
ucc appeal_case_no | own
conditional status closed_on decided_on | then
""",
    )
}

UNSEEN: dict[str, dict[str, Table]] = {
    "hotel": HOTEL,
    "football": FOOTBALL,
    "parts": PARTS,
    "webshop": WEBSHOP,
    "courts": COURTS,
}
