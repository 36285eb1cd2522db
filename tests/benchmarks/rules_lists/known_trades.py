"""What a driving school, wind turbines, bees, a kindergarten and removals live by; written before they were run."""

from benchmarks.rules_lists.known import table

TRADES = {
    "drivers": {
        "learners": table(
            """
ucc learner_no | key
equation learner_no registered_on | year in it
dc born_on registered_on | time
dc registered_on theory_passed_on | time
dc theory_passed_on licence_on | time
conditional state licence_on | when
conditional state theory_passed_on | when
equation days_to_licence licence_on registered_on | between
conditional practice_tests licence_on | after a test
""",
            """
conditional licence_on days_to_licence | both
conditional state days_to_licence | when
conditional state practice_tests | tests
conditional licence_on practice_tests | after a test
conditional days_to_licence practice_tests | after a test
dc born_on theory_passed_on | time
dc born_on licence_on | time
dc registered_on licence_on | time
conditional licence_on state | when
reference registered_on lessons.begins | before
""",
        ),
        "lessons": table(
            """
ucc lesson | key
ind learner_no | who
reference class learners.class | theirs
fd teacher car | own car
dc begins ends | time
equation units begins ends | 45 minutes each
fd kind unit_price | price list
equation price unit_price units | product
equation amount price discount_pct | less per cent
fd class discount_pct | trailers cheaper
equation km km_to km_from | difference
dc km_from km_to | rises
conditional absent km_to | not driven
conditional absent note | why
reference begins learners.registered_on | later
""",
            """
fd car teacher | own car
fd learner_no class | theirs
fd learner_no discount_pct | theirs
fd unit_price kind | price list
conditional class discount_pct | trailers
conditional discount_pct class | trailers
conditional absent km | not driven
conditional km_to note | one or other
conditional note km_to | one or other
conditional km_to km | both
conditional km note | one or other
equation ends begins units | 45 each
dc amount price | less
reference begins learners.born_on | later
conditional discount_pct price amount | none
conditional class price amount | none
reference ends learners.registered_on | later
""",
        ),
    },
    "turbines": {
        "turbines": table(
            """
ucc turbine | key
equation turbine park_code | park in it
fd park_code park | names
fd type rated_kw | data sheet
fd type rotor_m | data sheet
equation tip_m hub_m rotor_m | half the rotor above
equation warranty_ends commissioned | five years
""",
            """
fd park park_code | names
fd rated_kw type | data sheet
fd rotor_m type | data sheet
fd rated_kw rotor_m | data sheet
fd rotor_m rated_kw | data sheet
dc commissioned next_service | time
dc commissioned warranty_ends | time
dc hub_m tip_m | above
dc rotor_m tip_m | above
reference commissioned days.day | before
""",
        ),
        "days": table(
            """
ucc turbine day | key
ind turbine | which
equation weekday day | its name
equation hours_down hours_on | the rest of 24
conditional hours_down fault | why
conditional alarm hours_down | from 8 on
dc wind_min wind_mean | range
dc wind_mean wind_max | range
equation net_kwh kwh own_use | difference
reference lost_kwh turbines.rated_kw hours_down | a third of it
reference full_load_hours turbines.rated_kw kwh | ratio
reference capacity_pct turbines.rated_kw kwh | per cent
equation availability_pct hours_on | per cent
equation revenue net_kwh price_ct | product
reference day turbines.commissioned | later
""",
            """
conditional fault hours_down | why
conditional fault hours_on | why
conditional fault lost_kwh | why
conditional lost_kwh fault | why
conditional fault availability_pct | why
conditional alarm hours_on | from 8 on
conditional alarm availability_pct | from 8 on
conditional alarm fault | only then
conditional lost_kwh hours_down | none
conditional lost_kwh hours_on | none
conditional lost_kwh availability_pct | none
equation availability_pct hours_down | per cent
dc full_load_hours hours_on | at most
dc wind_min wind_max | range
dc net_kwh kwh | part
dc own_use kwh | part
""",
        ),
    },
    "bees": {
        "hives": table(
            """
ucc hive | key
ucc queen | one each
equation queen queen_year | year in it
equation queen hive | number in it
fd queen_year queen_colour | marked by year
ind daughter_of | whose
reference generation hives.generation | one more
reference queen_year hives.queen_year | younger than its mother
conditional generation daughter_of | only daughters
conditional alive lost_on | when
conditional lost_on lost_by | why
""",
            """
conditional alive lost_by | why
conditional lost_by lost_on | why
conditional daughter_of generation | only daughters
dc daughter_of hive | x
equation hive queen | number in it
fd queen_year queen | x
""",
        ),
        "harvests": table(
            """
ucc harvest | key
ind hive | of which
reference apiary hives.apiary | where it stands
equation year harvested_on | year
equation net_g gross_g wax_g | difference
equation jars net_g jar_g | whole jars
equation left_g net_g jars jar_g | the rest
dc left_g jar_g | less than a jar
reference per_frame_g hives.frames net_g | ratio
fd honey jar_g jar_price | price list
equation value jars jar_price | product
equation batch honey harvested_on | honey and day
reference year hives.queen_year | since then
""",
            """
fd hive apiary | where it stands
equation batch harvested_on | day in it
equation batch honey | letter
dc net_g gross_g | part
dc wax_g gross_g | part
dc jar_g net_g | part
fd jar_price honey | price list
fd jar_price jar_g | price list
dc left_g net_g | part
""",
        ),
    },
    "kindergarten": {
        "children": table(
            """
ucc child | key
fd group room | where
dc born begins | time
dc begins leaves | time
ind sibling | of whom
""",
            """
fd room group | where
dc sibling child | x
dc born leaves | time
reference begins bills.month | first
""",
        ),
        "bills": table(
            """
ucc bill | key
equation bill month | month in it
ind child | for whom
ucc child month | one a month
reference group children.group | theirs
reference hours children.hours | theirs
fd hours fee | price list
equation sibling_cut fee | half
reference sibling_cut children.sibling | with siblings
equation meal_cost meals | 3.85 each
equation total fee sibling_cut meal_cost late_fee | sum of what there is
equation due month | two weeks on
equation days_late paid due | between
conditional state paid | when
conditional reminded state | only open ones
reference month children.begins | from then on
""",
            """
fd fee hours | price list
fd child hours | theirs
fd child fee | theirs
fd child group | theirs
fd child sibling_cut | theirs
conditional paid days_late | both
conditional state days_late | when
dc month paid | time
conditional reminded paid | only open ones
conditional reminded days_late | only open ones
ucc child due | one a month
dc month due | time
reference due children.begins | from then on
reference month children.born | later
dc fee total | x
dc sibling_cut fee | half
dc meal_cost total | part
dc late_fee total | part
""",
        ),
    },
    "removals": {
        "jobs": table(
            """
ucc job | key
equation job asked_on | month in it
dc asked_on moving_on | time
equation moving_on begins | the day
dc begins ends | time
equation hours begins ends | between
equation man_hours crew hours | product
fd truck truck_m3 | lookup
equation trips volume_m3 truck_m3 | rounded up
conditional lift stairs | carried for nothing
conditional floor stairs | none below
conditional far km | free to 50
equation labour man_hours | 39 an hour
equation box_cost boxes | 2.40 each
equation net labour far stairs box_cost | sum
equation vat net | 19 %
equation gross net vat | sum
conditional deposit net | from 1,500 on
conditional damage damage_report | written down
""",
            """
fd truck_m3 truck | lookup
equation far km | 1.20 from 50 on
equation gross net | with tax
equation gross vat | with tax
equation net gross | with tax
equation labour crew hours | 39 an hour
equation ends begins hours | between
dc labour net | part
dc far net | part
dc box_cost net | part
dc stairs net | part
dc hours man_hours | several
dc crew man_hours | several
conditional deposit gross | from 1,500 on
conditional deposit vat | from 1,500 on
conditional damage_report damage | written down
equation begins moving_on | the day
dc deposit net | part
conditional begins ends | both
fd lift floor stairs | by floor
dc boxes box_cost | dearer
dc trips volume_m3 | fewer
""",
        ),
    },
}
