"""What a race, a weighbridge, a garage, subscriptions and a machine shop live by; written before they were run."""

from benchmarks.rules_lists.known import table

RACE = {
    "races": table(
        """
ucc race_id | key
dc late_from raced_on | before
fd distance_code distance_km | lookup
fd distance_code entry_fee | price list
""",
        """
equation late_from raced_on | thirty days
ucc distance_code raced_on | once a year
ucc distance_km raced_on | once a year
fd distance_code time_limit_h | lookup
fd distance_km entry_fee | same
fd distance_km distance_code | same
fd entry_fee distance_code | same
fd distance_km time_limit_h | lookup
equation race_id distance_code raced_on | put together
equation distance_code race_id | cut
ucc raced_on entry_fee | once a year
""",
    ),
    "entries": table(
        """
ucc entry_no | key
ucc race_id bib | one bib each
ind race_id | which race
fd club club_town | where it is
dc entered_on cancelled_on | time
conditional status cancelled_on | cancelled has a day
equation amount_paid fee late_fee shirt_price | sum, a shirt or none
conditional shirt_size shirt_price | both
reference fee races.entry_fee | its fee
reference entered_on races.raced_on | before
reference cancelled_on races.raced_on | before
conditional age_group age | bands
fd race_id fee | price
""",
        """
ucc bib race_id | one
conditional shirt_size shirt_price amount_paid | x
fd age_group sex | first letter
fd sex age age_group | bands
equation sex age_group | first letter
conditional cancelled_on status | both
conditional shirt_price shirt_size | both
reference late_fee races.late_fee | no more
reference late_fee races.late_from entered_on | late
reference race_id entry_no birth_year age races.raced_on | age
conditional age_group birth_year | bands
conditional age_group sex | letter
conditional sex age_group | letter
dc late_fee fee | small
fd fee race_id | x
conditional shirt_size amount_paid | price
ind entry_no results.entry_no | x
equation fee late_fee amount_paid | no shirt
conditional club club_town | both
""",
    ),
    "results": table(
        """
ucc entry_no | key
ucc race_id bib | one
ucc race_id rank | place
ucc race_id sex rank_sex | place
ind entry_no | who
equation second_half_s net_s half_s | rest
equation gun_s net_s start_delay_s | sum
equation net_time net_s | as a clock
dc rank_sex rank | no more
conditional outcome net_s | finished has a time
conditional outcome rank | finished has a place
reference bib entries.bib | same
reference sex entries.sex | same
reference race_id entries.race_id | same
""",
        """
ind race_id races.race_id | which
dc half_s second_half_s | slower
conditional rank net_s | both
conditional net_s rank | both
conditional outcome gun_s | has
conditional outcome rank_sex | has
conditional outcome second_half_s | has
conditional outcome pace_s_per_km | has
conditional outcome net_time | has
dc net_s gun_s | no less
ind race_id bib entries.race_id | same
ind bib race_id entries.race_id | same
conditional net_s outcome | has
ucc race_id gun_s rank | x
""",
    ),
}

WEIGHBRIDGE = {
    "materials": table(
        """
ucc material_no | key
ucc waste_code | code
ucc name | names
""",
        """
fd price_per_t hazardous | by price
conditional hazardous price_per_t | from 80 on
conditional hazardous min_charge | x
conditional min_charge price_per_t | from 50 on
conditional price_per_t min_charge | from 50 on
dc min_charge price_per_t | x
""",
    ),
    "customers": table(
        """
ucc customer_no | key
ucc name | names
conditional account credit_limit | credit only
conditional account payment_days | none
conditional account discount_pct | none
conditional account vat_id | has one
ucc vat_id | one each
""",
        """
fd payment_days account | x
conditional credit_limit payment_days | x
conditional payment_days credit_limit | both
conditional payment_days account | both
""",
    ),
    "tickets": table(
        """
ucc ticket_no | key
equation ticket_no weighed_on | the day in it
equation weighed_on first_at | the day
ind customer_no | who
ind material_no | what
dc first_at second_at | time
equation gross_kg tare_kg net_kg | sum
equation net_t net_kg | tonnes
equation amount net_t price_per_t | price
dc amount charged | minimum charge
equation rebate charged rebate_pct | per cent
equation net_amount charged rebate overload_fee | sum, a fee or none
equation vat net_amount | 19 %
equation total net_amount vat | sum
conditional overload_fee net_kg | from 24 t on
reference price_per_t materials.price_per_t | its price
reference rebate_pct customers.discount_pct | its discount
reference charged materials.min_charge | at least
dc weighed_on due_on | later
fd material_no price_per_t | price
fd customer_no rebate_pct | discount
""",
        """
equation amount net_kg price_per_t | price
equation weighed_on second_at | the day
conditional net_kg overload_fee | from 24 t on
conditional overload_fee net_t | from 24 t on
equation ticket_no first_at | the day
conditional payment due_on weighed_on | at once
conditional rebate_pct due_on weighed_on | x
conditional payment rebate_pct | none
conditional payment rebate | none
dc rebate charged | part
dc tare_kg gross_kg | part
fd customer_no payment | account
conditional rebate_pct payment | invoice
conditional payment weighed_on due_on | at once
dc vat net_amount | part
conditional rebate_pct rebate | nothing
equation net_amount charged rebate | no fee
equation total net_amount | with tax
equation second_at weighed_on | day
fd material_no price_per_t | price
reference price_per_t materials.min_charge | x
""",
    ),
}

GARAGE = {
    "vehicles": table(
        """
ucc vin | key
ucc plate | plate
fd model make | lookup
conditional fuel displacement_cc | electric has none
""",
        """
equation model_year first_registered | x
""",
    ),
    "jobs": table(
        """
ucc job_no | key
equation job_no came_on | the year in it
ind vin | which
dc came_on ready_on | time
dc ready_on collected_on | time
dc collected_on paid_on | time
equation small_material labour | two per cent
equation vat net | 19 %
equation gross net vat | sum
equation over_estimate labour parts estimate | how far off
conditional warranty net | nothing
conditional state paid_on | paid
conditional paid_on paid_by | both
conditional state collected_on | open
reference plate vehicles.plate | its plate
reference came_on vehicles.first_registered | later
reference km vehicles.km_last_seen | no more
fd vin plate | its plate
""",
        """
fd plate vin | its plate
reference plate job_lines.value | x
conditional state paid_by | paid
conditional state warranty | free
conditional state net | free
conditional paid_by paid_on | both
conditional warranty vat | nothing
conditional warranty gross | nothing
ucc vin km | grows
ucc plate km | grows
ucc km vin | grows
ind plate vehicles.plate | which
dc labour net | part
conditional warranty state | free
conditional net paid_on | x
conditional warranty paid_on | free
conditional warranty paid_by | free
conditional state gross | free
dc came_on collected_on | time
dc small_material labour | part
""",
    ),
    "job_lines": table(
        """
ucc job_no pos | key
ind job_no | job
conditional kind part_no | parts only
equation value quantity unit_price | product
fd part_no description | lookup
fd part_no unit_price | price
conditional kind unit_price | 98 an hour
""",
        """
fd description kind | x
fd part_no description | lookup
conditional part_no kind | both
conditional kind description | labour
fd description part_no | x
fd description unit_price | price
conditional kind quantity | steps
""",
    ),
}

SUBSCRIPTIONS = {
    "plans": table(
        "ucc plan | key\nucc level | order", "ucc price_per_seat | x\nucc max_seats | x\nucc storage_gb | x"
    ),
    "accounts": table(
        """
ucc account_id | key
ucc domain | one each
ucc admin_email | login
equation admin_email domain | behind the at
equation domain country | its end
fd country currency | lookup
ind plan | which
dc active_users seats | part
equation arr mrr | twelve months
equation trial_ends_on created_at | fourteen days
dc created_at subscribed_on | time
dc subscribed_on cancelled_on | time
conditional status cancelled_on | churned
conditional cancelled_on churn_reason | both
conditional plan subscribed_on | not free
conditional plan interval | not free
reference seats plans.max_seats | no more
""",
        """
conditional plan mrr | free
conditional status churn_reason | churned
conditional status plan | free
conditional plan status | free
conditional interval subscribed_on | both
conditional status subscribed_on | not free
conditional status interval | not free
conditional status mrr | free
conditional status arr | free
conditional interval status | free
dc trial_ends_on subscribed_on | same
equation trial_ends_on subscribed_on | same
fd plan seats mrr | price
conditional churn_reason cancelled_on | both
conditional country currency | x
equation country domain | its end
reference mrr plans.price_per_seat | at least
conditional plan arr | free
equation account_id domain | x
""",
    ),
    "invoices": table(
        """
ucc invoice_no | key
equation invoice_no issued_on | year and month
ind account_id | who
equation issued_on period_start | same
dc period_start period_end | time
equation due_on issued_on | fourteen days
dc issued_on paid_on | time
equation list_amount seats unit_price months | product
equation net list_amount discount credit | sum, a credit or none
equation tax net tax_rate | per cent
equation total net tax | sum
equation days_to_pay paid_on issued_on | between
conditional state paid_on | paid
conditional state reminders | none
conditional months discount | yearly only
reference currency accounts.currency | its currency
reference seats accounts.seats | its seats
reference period_start accounts.subscribed_on | later
ucc account_id issued_on | once
""",
        """
ucc account_id period_start | once
ucc account_id period_end | once
equation due_on period_start | fourteen days
equation days_to_pay paid_on period_start | between
equation invoice_no period_start | year and month
conditional paid_on reminders | none
conditional state days_to_pay | paid
conditional months discount list_amount | 15 %
equation discount list_amount | 15 %
fd account_id seats | one
fd account_id unit_price | one
fd account_id tax_rate | one
fd account_id currency | one
fd tax_rate currency | x
dc paid_on due_on | in time
reference issued_on accounts.created_at | later
reference issued_on accounts.trial_ends_on | later
reference issued_on accounts.subscribed_on | later
reference issued_on accounts.cancelled_on | before
reference period_start accounts.cancelled_on | before
reference period_start accounts.trial_ends_on | later
reference period_start accounts.created_at | later
reference due_on accounts.subscribed_on | later
reference account_id period_start issued_on accounts.subscribed_on | first
reference list_amount accounts.mrr | x
reference list_amount accounts.arr | x
dc discount list_amount | part
equation list_amount seats unit_price | monthly
conditional months list_amount | x
fd account_id months | one
equation period_end period_start | x
conditional months period_start period_end | x
reference subscribed_on period_start | x
conditional tax_rate tax | none
equation net list_amount discount | no credit
reference paid_on accounts.subscribed_on | later
reference paid_on accounts.created_at | later
""",
    ),
}

QUALITY = {
    "features": table(
        """
ucc drawing feature | key
equation lower_mm nominal_mm tolerance_mm | difference
equation upper_mm nominal_mm tolerance_mm | sum
fd tolerance_mm gauge | by fineness
""",
        """
ucc nominal_mm | x
conditional gauge tolerance_mm | by fineness
equation upper_mm lower_mm tolerance_mm | twice
equation nominal_mm lower_mm upper_mm | mean
dc lower_mm nominal_mm | below
""",
    ),
    "lots": table(
        """
ucc lot | key
equation lot made_on | year and week in it
equation year made_on | year
equation week made_on | week
fd size sample_size | sampling plan
equation good size scrapped | rest
equation yield_pct good size | per cent
conditional decision bad_values | none
conditional decision sorted_by | who
dc made_on released_on | time
dc reworked bad_values | part
dc sample_size size | part
ind drawing | of which
""",
        """
fd sample_size size | same
equation yield_pct scrapped size | per cent
conditional bad_values sorted_by | who
conditional decision released_on | released
conditional decision scrapped | none
conditional decision reworked | none
conditional decision yield_pct | full
conditional sorted_by bad_values | none
conditional sorted_by decision | none
equation lot year week | in it
equation lot year | in it
equation lot week | in it
dc scrapped size | part
reference made_on checks.measured_at | before
reference lot made_on checks.measured_at | the day before
conditional bad_values decision | none
""",
    ),
    "checks": table(
        """
ucc lot piece feature | key
ind lot | which
equation deviation_mm measured_mm nominal_mm | difference
equation abs_deviation_mm measured_mm nominal_mm | how far
equation used_pct abs_deviation_mm tolerance_mm | per cent
conditional verdict used_pct | to 100
conditional verdict abs_deviation_mm tolerance_mm | within
reference measured_at lots.made_on | later
fd nominal_mm tolerance_mm | drawing
""",
        """
equation abs_deviation_mm deviation_mm | how far
ind nominal_mm features.nominal_mm | drawing
ind tolerance_mm features.tolerance_mm | drawing
ind feature features.feature | drawing
ind feature nominal_mm features.nominal_mm | drawing
ind nominal_mm tolerance_mm features.nominal_mm | drawing
fd nominal_mm feature | x
fd tolerance_mm instrument | by fineness
fd instrument tolerance_mm | x
fd lot feature nominal_mm | drawing
fd lot feature tolerance_mm | drawing
dc measured_mm nominal_mm | x
equation used_pct deviation_mm tolerance_mm | per cent
conditional verdict deviation_mm tolerance_mm | within
fd lot nominal_mm feature | x
reference nominal_mm features.nominal_mm | drawing
reference tolerance_mm features.tolerance_mm | drawing
ucc lot piece nominal_mm | key
""",
    ),
}

YARDS = {
    "race": RACE,
    "weighbridge": WEIGHBRIDGE,
    "garage": GARAGE,
    "subscriptions": SUBSCRIPTIONS,
    "quality": QUALITY,
}
