"""What films by subscription, groceries, a school and cargo live by; written before they were run."""

from benchmarks.rules_lists.known import table

NEIGHBOURS = {
    "films": {
        "plans": table("ucc plan_code | key", "fd cycle months | of it\nfd months cycle | of it\nucc price | each"),
        "subscribers": table(
            """
ucc sub_id | key
ucc email_hash | each
ind plan_code | which
equation trial_ends signup_at | 14 days
dc trial_ends cancelled_on | time
conditional source referrer | when
conditional is_active cancelled_on | when
conditional cancelled_on cancel_reason | both
ind referrer | one of them
fd country currency | money
reference cycle plans.cycle | theirs
reference profiles plans.screens | at most
""",
            """
dc signup_at trial_ends | time
dc signup_at cancelled_on | time
conditional is_active cancel_reason | when
fd currency country | money
fd plan_code cycle | of it
reference currency invoices.currency | same
reference trial_ends invoices.period_start | first
""",
        ),
        "invoices": table(
            """
ucc invoice_id | key
ucc invoice_no | each
ind sub_id | whose
ucc sub_id period_start | a period
equation invoice_no invoice_id | in it
equation invoice_no period_start | day in it
dc period_start period_end | time
dc period_start paid_at | time
equation amount_due list_price discount tax | sum
conditional promo discount | when
conditional status paid_at | when
conditional paid_at card_last4 | both
conditional status amount_paid amount_due | all of it
conditional currency tax list_price discount | rates
reference currency subscribers.currency | theirs
reference list_price plans.price | theirs
reference period_start subscribers.trial_ends | later
conditional promo discount list_price | 20 per cent
""",
            """
ucc sub_id period_end | a period
conditional status card_last4 | when
conditional status amount_paid | when
conditional paid_at amount_paid | when
conditional status attempts | three
reference period_start subscribers.signup_at | later
conditional discount promo | when
dc tax amount_due | part
dc discount list_price | part
dc amount_paid amount_due | part
reference paid_at subscribers.signup_at | later
reference paid_at subscribers.trial_ends | later
""",
        ),
    },
    "groceries": {
        "products": table(
            """
ucc product_code | key
dc purchase_price sale_price | gain
fd aisle vat_pct | rate
fd aisle bottle_deposit | on bottles
conditional by_weight aisle | fruit
dc listed_on delisted_on | time
""",
            """
ucc title | each
fd aisle by_weight | fruit
conditional aisle by_weight | fruit
conditional aisle bottle_deposit | on bottles
conditional vat_pct aisle | rate
conditional aisle vat_pct | rate
conditional aisle min_age | beverages
conditional bottle_deposit aisle | on bottles
equation aisle title | in it
""",
        ),
        "baskets": table(
            """
ucc basket | key
dc placed_at slot_start | time
equation slot_end slot_start | two hours
equation week placed_at | week of it
equation grand_total goods_total bottle_deposit delivery_fee tip | sum
conditional delivery_fee goods_total | free from 50 on
conditional state driver | when
conditional state arrived_at | when
conditional arrived_at late | both
conditional late arrived_at slot_end | when
dc placed_at arrived_at | time
reference lines basket_items.basket | how many
reference units_short basket_items.short | sum
reference goods_total basket_items.line_total | sum
reference bottle_deposit basket_items.deposit | sum
""",
            """
conditional driver arrived_at | both
conditional driver late | both
conditional state late | when
conditional late arrived_at slot_start | when
dc goods_total grand_total | part
""",
        ),
        "basket_items": table(
            """
ucc basket product_code | key
ind basket | of what
ind product_code | which
equation wanted delivered short | sum
equation line_total delivered unit_price | product
reference unit_price products.sale_price | theirs
reference deposit delivered products.bottle_deposit | each
""",
            """
dc delivered wanted | part
conditional substituted short | only then
fd product_code unit_price | theirs
reference line_total baskets.goods_total | part
reference deposit baskets.bottle_deposit | part
reference short baskets.units_short | part
conditional substituted delivered wanted | only then
reference unit_price baskets.goods_total | part
reference line_total delivered products.sale_price | product
""",
        ),
    },
    "school": {
        "pupils": table(
            """
ucc admission_no | key
equation tutor_group form | in it
equation tutor_group house | in it
fd form key_stage | of it
conditional free_meals meal_rate | free
dc entered_on left_on | time
conditional left_on destination | both
""",
            """
equation tutor_group form house | put together
fd tutor_group house | of it
fd free_meals meal_rate | free
fd meal_rate free_meals | free
conditional key_stage form | of it
fd tutor_group form | of it
reference form results.form | same
""",
        ),
        "results": table(
            """
ucc result_id | key
ucc admission_no subject | once
ind admission_no | whose
equation mark paper_1 paper_2 | sum
equation weighted mark coursework | 80 to 20
equation resit_on sat_on | four weeks
equation result_id sat_on | year in it
equation result_id subject | in it
conditional attendance resit_on | when
conditional attendance mark | when
conditional grade mark | bands
conditional passed mark | from 50 on
reference form pupils.form | theirs
conditional term sat_on | month
""",
            """
fd sat_on term | of it
conditional attendance paper_1 | when
conditional attendance paper_2 | when
conditional attendance weighted | when
conditional attendance passed | when
conditional attendance marked_by | when
conditional attendance grade | X
conditional grade attendance | X
fd mark grade | bands
fd mark passed | of it
fd grade passed | of it
conditional grade passed | of it
conditional passed grade | of it
conditional grade resit_on | when
dc paper_1 mark | part
dc paper_2 mark | part
reference sat_on pupils.entered_on | later
""",
        ),
    },
    "cargo": {
        "waybills": table(
            """
ucc waybill | key
equation waybill country | in it
equation waybill booked_on | year in it
fd country zone | of it
dc booked_on picked_up_on | time
dc picked_up_on delivered_on | time
conditional service due_on picked_up_on | days by service
equation days_in_transit delivered_on picked_up_on | days
conditional on_time delivered_on due_on | when
equation gross_kg tare_kg net_kg | sum
fd zone rate_per_kg | rate
equation freight gross_kg rate_per_kg | product
equation fuel_surcharge freight | 12.5 per cent
conditional service service_surcharge freight | per cent
conditional insured_value insurance | when
equation net_total freight fuel_surcharge service_surcharge insurance customs_fee | sum
conditional country customs_fee | outside
conditional customs_no customs_fee | when
conditional state delivered_on | when
conditional state claim_no | when
""",
            """
equation insurance insured_value | one per cent, five at least
conditional country customs_no | outside
conditional state signed_by | when
conditional delivered_on signed_by | both
conditional delivered_on on_time | both
conditional state on_time | when
conditional state days_in_transit | when
conditional service service_surcharge | none
fd rate_per_kg zone | rate
dc picked_up_on due_on | time
dc freight net_total | part
dc tare_kg gross_kg | part
dc net_kg gross_kg | part
conditional zone freight gross_kg | rate
conditional country freight gross_kg | rate
dc insurance insured_value | part
fd country rate_per_kg | rate
fd country customs_fee | outside
""",
        ),
    },
}
