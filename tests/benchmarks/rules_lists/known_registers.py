"""What fixed assets, weather stations, a college, permits and a fund live by; written before they were run."""

from benchmarks.rules_lists.known import table

REGISTERS = {
    "assets": {
        "assets": table(
            """
ucc asset_no | key
equation asset_no class | begins with it
equation asset_no acquired | year in it
fd class class_name | names
fd class life_years | by class
equation life_months life_years | twelve
dc acquired in_service | time
dc in_service disposed | time
equation fully_depreciated in_service life_years | so many years on
equation depreciable cost residual | difference
equation monthly_charge depreciable life_months | ratio
conditional class residual | vehicles alone
conditional disposed proceeds | both
conditional state disposed | when
""",
            """
fd class_name class | names
fd class_name life_years | by class
fd life_years class | by class
fd life_years class_name | by class
fd class life_months | by class
fd life_months class | by class
equation fully_depreciated in_service life_months | so many months on
dc residual cost | less
dc depreciable cost | less
dc proceeds cost | less
conditional state proceeds | when
conditional class_name residual | vehicles alone
conditional residual class | vehicles alone
conditional residual class_name | vehicles alone
conditional residual life_years | vehicles alone
conditional residual life_months | vehicles alone
conditional life_years residual | vehicles alone
conditional life_months residual | vehicles alone
dc acquired disposed | time
dc acquired fully_depreciated | time
dc in_service fully_depreciated | time
dc disposed fully_depreciated | time
equation residual cost | a tenth
conditional class depreciable cost | vehicles alone
conditional life_years depreciable cost | vehicles alone
conditional class_name depreciable cost | vehicles alone
conditional residual depreciable cost | vehicles alone
dc monthly_charge cost | a part
dc monthly_charge depreciable | a part
ind asset_no | has entries
reference cost entries.opening | the first
""",
        ),
        "entries": table(
            """
ucc asset_no period | key
ind asset_no | of what
equation period posted | month of it
equation closing opening charge | difference
equation fiscal_year posted | from July on
reference charge assets.monthly_charge | the same
reference cost_centre assets.cost_centre | the same
reference accumulated assets.cost closing | what is written off
reference opening assets.cost | at most
""",
            """
ucc asset_no posted | key
ucc asset_no opening | key
ucc asset_no closing | key
ucc asset_no accumulated | key
fd period posted | month of it
fd posted period | month of it
fd period fiscal_year | from July on
dc charge accumulated | a part
dc closing opening | less
fd asset_no charge | the same
fd asset_no cost_centre | the same
reference posted assets.in_service | later
reference posted assets.acquired | later
reference posted assets.fully_depreciated | before
reference closing assets.cost accumulated | what is left
reference closing assets.cost | less
reference accumulated assets.cost | less
fd posted fiscal_year | from July on
reference accumulated assets.depreciable | less
reference opening assets.cost accumulated charge | what is left
""",
        ),
    },
    "stations": {
        "stations": table("""
ucc station_id | key
ucc name | names
"""),
        "readings": table(
            """
ucc station_id obs_time | key
ind station_id | where
equation obs_date obs_time | day of it
equation hour obs_time | hour of it
equation temp_f temp_c | other unit
dc dewpoint_c temp_c | never above
equation spread_c temp_c dewpoint_c | difference
equation wind_kmh wind_ms | other unit
dc wind_ms gust_ms | gusts are more
conditional qc temp_c | missing
conditional qc dewpoint_c | missing
conditional wet rain_mm | when it rains
conditional wind_dir wind_ms | when there is wind
""",
            """
ucc station_id record | key
ucc obs_time station_id | key
fd record obs_time | one clock
fd obs_time record | one clock
conditional rain_mm wet | when it rains
conditional qc temp_f | missing
conditional qc spread_c | missing
conditional temp_c dewpoint_c | both
conditional temp_c spread_c | both
conditional temp_c temp_f | both
conditional wind_ms wind_dir | when there is wind
conditional wind_dir wind_kmh | when there is wind
""",
        ),
    },
    "college": {
        "courses": table(
            """
ucc course_code | key
equation course_code subject | begins with it
equation course_code level | level in it
fd subject faculty | of it
equation contact_hours credits | four
equation fee credits | 85
equation exam_weight coursework_weight | the rest
""",
            """
equation course_code subject level | begins with it
equation fee contact_hours | by hours
""",
        ),
        "students": table(
            """
ucc student_no | key
equation student_no entry_year | begins with it
equation student_no enrolled | begins with it
equation initials first_name last_name | letters
equation entry_year enrolled | year of it
equation expected_end entry_year | three years
dc enrolled withdrawn | time
conditional status withdrawn | when
""",
            """
equation expected_end enrolled | three years
""",
        ),
        "marks": table(
            """
ucc student_no course_code | key
ind student_no | whose
ind course_code | of what
equation academic_year term | begins with the year
reference level courses.level | the same
reference credits courses.credits | the same
conditional absent coursework | none
conditional absent exam | none
conditional grade total | bands
conditional passed total | from 40 on
conditional passed credits_earned | when passed
conditional passed resit_fee | when failed
conditional absent total | none
conditional passed grade | not F
conditional passed credits_earned credits | all
""",
            """
fd course_code level | the same
fd course_code credits | the same
conditional grade passed | not F
conditional resit_fee total | below 40
conditional resit_fee passed | when failed
conditional resit_fee grade | F
conditional grade resit_fee | F
conditional credits_earned passed | when passed
conditional credits_earned resit_fee | when passed
conditional resit_fee credits_earned | when passed
conditional resit_fee credits_earned credits | when passed
conditional coursework exam | both
conditional grade credits_earned | when passed
conditional total absent | none
conditional coursework total | none
conditional exam total | none
fd grade passed | bands
fd total grade | bands
fd total passed | bands
conditional grade credits_earned credits | when passed
conditional absent grade | F
dc credits_earned credits | part
fd term academic_year | year
conditional grade absent | F
""",
        ),
    },
    "permits": {
        "permits": table(
            """
ucc PERMIT_NUM | key
equation PERMIT_NUM APPLICATION_DATE | year in it
fd PERMIT_TYPE TYPE_DESC | names
fd PERMIT_TYPE REVIEW_DAYS | by type
dc APPLICATION_DATE ISSUE_DATE | time
dc ISSUE_DATE FINAL_DATE | time
equation PROCESSING_TIME APPLICATION_DATE ISSUE_DATE | between
equation EXPIRATION_DATE ISSUE_DATE | a year
conditional STATUS FINAL_DATE | when
conditional STATUS ISSUE_DATE | when
equation ADDRESS STREET_NUMBER STREET | put together
fd WARD ALDERMAN | names
equation TOTAL_FEE PERMIT_FEE PLAN_REVIEW_FEE TECH_FEE | sum
equation AMOUNT_DUE TOTAL_FEE AMOUNT_PAID | difference
equation PLAN_REVIEW_FEE PERMIT_FEE | 65 per cent
conditional PERMIT_TYPE PLAN_REVIEW_FEE | not all types
conditional STATUS AMOUNT_DUE | not yet paid
equation UNITS_NET UNITS_EXISTING UNITS_PROPOSED | difference
equation YEAR APPLICATION_DATE | year of it
equation MONTH APPLICATION_DATE | month of it
""",
            """
fd TYPE_DESC PERMIT_TYPE | names
fd ALDERMAN WARD | names
fd TYPE_DESC REVIEW_DAYS | by type
fd REVIEW_DAYS PERMIT_TYPE | by type
fd REVIEW_DAYS TYPE_DESC | by type
equation PERMIT_NUM YEAR | year in it
equation TOTAL_FEE PERMIT_FEE PLAN_REVIEW_FEE | sum
equation PERMIT_FEE REPORTED_COST | 0.9 per cent
dc FINAL_DATE EXPIRATION_DATE | before
dc ISSUE_DATE EXPIRATION_DATE | later
dc APPLICATION_DATE EXPIRATION_DATE | later
dc PLAN_REVIEW_FEE PERMIT_FEE | part
dc APPLICATION_DATE FINAL_DATE | time
conditional ISSUE_DATE AMOUNT_DUE | not yet paid
conditional ISSUE_DATE AMOUNT_PAID | not yet paid
conditional STATUS AMOUNT_PAID | not yet paid
conditional STATUS AMOUNT_PAID TOTAL_FEE | all
conditional STATUS AMOUNT_DUE TOTAL_FEE | all
conditional STATUS PROCESSING_TIME | when
conditional STATUS EXPIRATION_DATE | when
conditional AMOUNT_DUE ISSUE_DATE | when
conditional AMOUNT_PAID ISSUE_DATE | when
conditional AMOUNT_DUE STATUS | when
conditional ISSUE_DATE EXPIRATION_DATE | both
conditional ISSUE_DATE PROCESSING_TIME | both
conditional PLAN_REVIEW_FEE PERMIT_TYPE | not all types
conditional REVIEW_DAYS PLAN_REVIEW_FEE | not all types
conditional TYPE_DESC PLAN_REVIEW_FEE | not all types
""",
        ),
    },
    "fund": {
        "prices": table(
            """
ucc fund_code price_date | key
fd fund_code fund_name | names
fd fund_code fee_bps | by fund
equation weekday price_date | its name
equation change nav prev_nav | difference
equation change_pct change prev_nav | per cent
equation bid nav | half a unit below
equation offer nav | half a unit above
equation aum units nav | product
""",
            """
fd fund_name fund_code | names
fd fee_bps fund_code | by fund
fd fund_name fee_bps | by fund
fd fee_bps fund_name | by fund
equation change_pct nav prev_nav | per cent
equation bid offer | spread
dc bid nav | below
dc nav offer | below
dc bid offer | below
ucc fund_name price_date | key
""",
        ),
        "deals": table(
            """
ucc deal_ref | key
equation deal_ref deal_date | day in it
ind fund_code deal_date | the day's price
reference price prices.nav | the day's
conditional side signed_units | sign
equation signed_units units | size
equation consideration units price | product
conditional side initial_charge | for buyers
equation net_amount consideration initial_charge | sum
dc deal_date settle_date | time
equation initial_charge consideration | a quarter per cent
""",
            """
ind fund_code | which
conditional side net_amount consideration | the same
conditional side signed_units units | the same
fd fund_code deal_date price | the day's
fd deal_date fund_code price | the day's
conditional initial_charge side | for buyers
conditional initial_charge signed_units | for buyers
dc signed_units units | size
dc initial_charge consideration | part
reference deal_date prices.price_date | that day
reference units prices.units | less
fd deal_date settle_date | by weekday
""",
        ),
    },
}
