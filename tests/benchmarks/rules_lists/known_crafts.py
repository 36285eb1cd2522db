"""What a print shop, plumbers, fish, a ski school, a radio, articles and solar roofs live by; written before a run."""

from benchmarks.rules_lists.known import table

PRINTSHOP = {
    "papers": table(
        """
ucc paper_code | key
ucc paper gsm format | names
fd format width_mm | lookup
fd format height_mm | lookup
equation kg_per_1000 gsm width_mm height_mm | weight of area
""",
        """
fd width_mm format | same
fd height_mm format | same
fd width_mm height_mm | same
fd height_mm width_mm | same
dc width_mm height_mm | portrait
ucc paper gsm width_mm | names
ucc paper gsm height_mm | names
""",
    ),
    "jobs": table(
        """
ucc job_no | key
equation job_no ordered_on | year in it
ind paper_code | on what
fd customer_no customer | name
fd colours setup_fee | price list
equation sheets copies per_sheet | rounded up
equation sheets_total sheets waste | sum
reference paper_cost papers.price_per_1000 sheets_total | by the thousand
conditional finishing finishing_fee | costs something
equation net paper_cost setup_fee finishing_fee | sum of what there is
equation vat net | 19 %
equation gross net vat | sum
dc ordered_on approved_on | time
dc approved_on printed_on | time
dc printed_on shipped_on | time
conditional status approved_on | when
conditional status printed_on | when
conditional status shipped_on | when
""",
        """
fd customer customer_no | name
fd setup_fee colours | price list
equation gross net | with tax
equation gross vat | with tax
equation net gross | with tax
dc ordered_on printed_on | time
dc ordered_on shipped_on | time
dc approved_on shipped_on | time
dc paper_cost net | part
dc setup_fee net | part
dc finishing_fee net | part
dc sheets copies | several each
dc waste sheets_total | part
conditional finishing_fee finishing | costs
equation net paper_cost setup_fee | sum
conditional finishing_fee net paper_cost setup_fee | sum
conditional finishing net paper_cost setup_fee | sum
conditional approved_on status | when
conditional printed_on status | when
conditional shipped_on status | when
""",
    ),
}

PLUMBING = {
    "Engineers": table(
        """
ucc EngineerID | key
ucc Van | one each
fd Grade HourlyRate | pay scale
conditional Trade GasCardUntil | gas needs a card
dc HiredOn GasCardUntil | later
""",
        """
fd HourlyRate Grade | same
ucc Name | names
equation Van EngineerID | number
conditional GasCardUntil Trade | gas
""",
    ),
    "Calls": table(
        """
ucc CallNo | key
ind EngineerID | who went
ind WarrantyOf | an earlier call
reference CalledAt Calls.CalledAt | later than what it mends
fd Zip Zone | a zip lies in one zone
fd Zone TravelFee | price list
dc CalledAt ArrivedAt | time
dc ArrivedAt LeftAt | time
equation Minutes ArrivedAt LeftAt | between
equation Quarters Minutes | rounded up
reference HourlyRate Engineers.HourlyRate | theirs
equation Labour Quarters HourlyRate | a quarter each
conditional WarrantyOf Labour | mended for nothing
conditional Night NightFee | at night
equation Net TravelFee Labour Parts NightFee | sum of what there is
equation Vat Net VatRate | per cent
equation Total Net Vat | sum
dc LeftAt PaidOn | afterwards
conditional PaidOn PaidBy | both
""",
        """
fd TravelFee Zone | same
fd Zip TravelFee | price list
fd EngineerID HourlyRate | theirs
equation Quarters ArrivedAt LeftAt | rounded up
equation Total Net VatRate | with tax
dc CalledAt LeftAt | time
dc CalledAt PaidOn | time
dc ArrivedAt PaidOn | time
dc Quarters Minutes | fewer
conditional PaidBy PaidOn | both
conditional Labour WarrantyOf | mended for nothing
dc Labour Net | part
dc Parts Net | part
dc TravelFee Net | part
dc NightFee Net | part
dc Vat Net | part
reference CallNo Calls.CallNo | later
dc WarrantyOf CallNo | earlier
reference ArrivedAt Engineers.HiredOn | once there
reference CalledAt Engineers.HiredOn | once there
reference LeftAt Engineers.HiredOn | once there
reference ArrivedAt Calls.CalledAt | later
reference LeftAt Calls.CalledAt | later
conditional WarrantyOf Labour Quarters HourlyRate | charged
""",
    ),
}

FISHFARM = {
    "cages": table(
        """
ucc cage | key
equation cage site | the site in it
fd site site_name | names
equation volume_m3 diameter_m depth_m | a cylinder
dc stocked_on harvested_on | time
conditional harvested_on harvest_kg | both
reference samples samples.cage | how many
""",
        """
fd site_name site | names
fd site_name cage | names
reference stocked_on samples.sampled_on | before
reference harvested_on samples.sampled_on | after
reference smolts samples.alive | no more
reference samples samples.sample_no | how many
ind site | of which
conditional harvest_kg harvested_on | both
reference harvest_kg samples.biomass_kg | no more
fd diameter_m volume_m3 | x
""",
    ),
    "samples": table(
        """
ucc sample_no | key
ucc cage sampled_on | one a day
ind cage | of which
equation cage site | the site in it
equation week sampled_on | its week
reference days_at_sea cages.stocked_on sampled_on | since then
reference alive cages.smolts dead_total | what is left
dc dead dead_total | part
dc min_g mean_g | range
dc mean_g max_g | range
equation biomass_kg alive mean_g | product
reference density cages.volume_m3 biomass_kg | by volume
dc feed_kg biomass_kg | a part
equation lice_per_fish lice checked | ratio
conditional treated lice_per_fish | from a half on
conditional treated treatment | with what
reference sampled_on cages.stocked_on | later
reference sampled_on cages.harvested_on | earlier
""",
        """
ucc cage week | one a week
ucc cage days_at_sea | one a day
ucc cage dead_total | x
dc min_g max_g | range
reference site cages.site | the same
reference alive cages.smolts | no more
reference dead_total cages.smolts | no more
fd cage site | the site in it
conditional lice_per_fish treated | from a half on
conditional treatment treated | with what
conditional treatment lice_per_fish | from a half on
conditional lice_per_fish treatment | from a half on
conditional treated lice | from a half on
ind site cages.site | of which
dc days_at_sea sample_no | x
dc dead alive | x
dc dead_total alive | x
dc lice_per_fish lice | a ratio
""",
    ),
}

SKISCHOOL = {
    "courses": table(
        """
ucc code | key
ucc discipline level days | one each
equation price_per_day price days | ratio
fd discipline meeting_point | where
dc min_age max_age | range
""",
        """
fd meeting_point discipline | where
equation code discipline level days | put together
equation code days | the last figure
equation code discipline | begins
ucc meeting_point level days | one each
dc price_per_day price | part
""",
    ),
    "bookings": table(
        """
ucc booking | key
equation booking booked_on | the day in it
ind course | what
reference discipline courses.discipline | of the course
reference days courses.days | of the course
reference price courses.price | of the course
reference age courses.min_age | old enough
reference age courses.max_age | not too old
equation age born starts_on | full years
dc booked_on starts_on | time
equation ends_on starts_on days | days on
conditional helmet helmet_fee | only with one
equation helmet_fee days | 8 a day
equation lunch_fee lunches | 14.50 each
dc lunches days | one a day
equation total price sibling_discount helmet_fee lunch_fee | sum
equation deposit total | 30 %
equation open total paid | what is left
conditional cancelled_on refund | both
dc booked_on cancelled_on | time
dc cancelled_on starts_on | in time
""",
        """
fd course discipline | of the course
fd course days | of the course
fd course price | of the course
equation days ends_on starts_on | between
dc deposit paid | at least
dc paid total | no more
dc starts_on ends_on | time
dc booked_on ends_on | time
dc cancelled_on ends_on | in time
dc born booked_on | time
dc refund deposit | no more
dc deposit total | part
dc price total | part
dc helmet_fee total | part
dc lunch_fee total | part
dc sibling_discount price | a tenth
conditional refund cancelled_on | both
conditional helmet_fee helmet | only with one
conditional helmet helmet_fee days | 8 a day
conditional lunches lunch_fee | none
conditional lunch_fee lunches | none
equation booking starts_on | x
conditional cancelled_on deposit paid | the deposit only
conditional cancelled_on paid deposit | the deposit only
""",
    ),
}

RADIO = {
    "tracks": table(
        """
ucc isrc | key
equation isrc country | begins
equation isrc released | year in it
fd label_code label | names
equation length seconds | minutes and seconds
""",
        """
fd label label_code | names
ucc title | names
fd seconds length | the same
fd length seconds | the same
ucc artist title | names
""",
    ),
    "plays": table(
        """
ucc play_id | key
ind isrc | what
reference title tracks.title | of the track
reference artist tracks.artist | of the track
dc started_at ended_at | time
equation seconds started_at ended_at | between
equation minutes_begun seconds | rounded up
reference seconds tracks.seconds | no longer
conditional cut cut_seconds | only where cut
reference cut_seconds tracks.seconds seconds | the rest
equation hour started_at | hour
equation weekday started_at | day of the week
fd show host | who
fd show slot | when
fd slot rate | price list
equation royalty minutes_begun rate | product
""",
        """
fd isrc title | of the track
fd isrc artist | of the track
fd title isrc | of the track
fd title artist | of the track
fd hour show | when
fd hour slot | when
fd hour host | who
fd hour rate | price
fd rate slot | price list
fd show rate | price
equation minutes_begun started_at ended_at | rounded up
ind title tracks.title | of the track
ind artist tracks.artist | of the track
conditional cut_seconds cut | only where cut
dc minutes_begun seconds | fewer
ucc started_at | x
""",
    ),
}

CATALOGUE = {
    "categories": table(
        """
ucc category_id | key
ucc slug | names
equation slug name | lower case
ind parent_id | above it
reference level categories.level | one more
reference root_id categories.root_id | the same tree
reference created_on categories.created_on | not before
conditional parent_id level | none on the first
dc parent_id category_id | numbered later
""",
        """
ucc name | names
ucc path | names
equation name slug | capitalized
reference articles articles.category_id | how many
reference articles articles.article_no | how many
conditional level parent_id | none on the first
dc root_id category_id | x
ind root_id | the top
reference category_id categories.category_id | later
conditional parent_id category_id root_id | the top is its own
conditional level category_id root_id | the top is its own
equation slug path | the end
""",
    ),
    "articles": table(
        """
ucc article_no | key
ind category_id | where
reference category categories.name | its name
fd supplier_no supplier | name
equation price list_price discount_pct | less per cent
dc cost price | dearer
equation margin price cost | difference
equation margin_pct margin price | per cent
fd tax_class tax_rate | lookup
equation price_incl price tax_rate | with tax
equation full_cases stock per_case | rounded down
conditional reorder stock reorder_at | too few
reference introduced_on categories.created_on | not before
dc introduced_on discontinued_on | time
ind replaced_by | by what
conditional replaced_by discontinued_on | only what is gone
""",
        """
fd category_id category | its name
fd category category_id | its name
ind category categories.name | its name
fd supplier supplier_no | name
fd tax_rate tax_class | lookup
equation margin_pct price cost | per cent
dc price list_price | no dearer
dc price price_incl | with tax
dc full_cases stock | fewer
dc replaced_by article_no | earlier
equation list_price price discount_pct | less per cent
conditional discount_pct list_price price | none
conditional discount_pct price list_price | none
conditional tax_class price price_incl | none
conditional tax_class price_incl price | none
conditional tax_rate price_incl price | none
conditional tax_rate price price_incl | none
dc cost list_price | dearer
dc margin price | part
conditional discontinued_on replaced_by | only what is gone
reference discontinued_on categories.created_on | not before
""",
    ),
}

SOLAR = {
    "systems": table(
        """
ucc system | key
equation system commissioned_on | the year in it
fd zip town | a zip lies in one town
dc installed_on commissioned_on | time
equation warranty_until commissioned_on | ten years
equation kwp modules module_wp | product
fd inverter inverter_kw | lookup
conditional has_battery battery_kwh | only with one
equation price_per_kwp price kwp | ratio
equation subsidy price subsidy_pct | per cent
equation to_pay price subsidy | difference
conditional tariff_ct kwp | less from 10 on
conditional smart_meter kwp | from 7 on
""",
        """
fd town zip | same
fd inverter_kw inverter | same
conditional battery_kwh has_battery | only with one
conditional kwp tariff_ct | less from 10 on
conditional kwp smart_meter | from 7 on
conditional subsidy_pct subsidy | none
conditional subsidy subsidy_pct | none
conditional subsidy_pct price to_pay | none
conditional subsidy price to_pay | none
dc to_pay price | part
dc subsidy price | part
dc subsidy to_pay | part
dc commissioned_on warranty_until | time
dc installed_on warranty_until | time
conditional smart_meter tariff_ct | bands
conditional tariff_ct smart_meter | bands
reference commissioned_on yields.month | before
reference installed_on yields.month | before
""",
    ),
    "yields": table(
        """
ucc system month | key
ind system | of which
equation days month | of the month
equation fed_in kwh self_used | difference
equation self_use_pct self_used kwh | per cent
equation kwh_per_day kwh days | ratio
reference kwh_per_kwp systems.kwp kwh | ratio
reference paid_eur systems.tariff_ct fed_in | product
reference month systems.commissioned_on | later
""",
        """
dc self_used kwh | part
dc fed_in kwh | part
dc kwh_per_day kwh | part
reference month systems.installed_on | later
reference month systems.warranty_until | earlier
fd month days | of the month
dc paid_eur kwh | x
dc paid_eur fed_in | x
""",
    ),
}

CRAFTS = {
    "printshop": PRINTSHOP,
    "plumbing": PLUMBING,
    "fishfarm": FISHFARM,
    "skischool": SKISCHOOL,
    "radio": RADIO,
    "catalogue": CATALOGUE,
    "solar": SOLAR,
}
