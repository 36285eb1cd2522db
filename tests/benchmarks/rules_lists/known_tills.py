"""What a shop of outdoor gear and a dentist live by; written before they were run."""

from benchmarks.rules_lists.known import table

TILLS = {
    "gear": {
        "articles": table(
            """
ucc sku | key
equation sku group_code | in it
fd group_code group_name | its name
conditional group_code size | clothes have one
dc cost retail | gain
equation margin_pct cost retail | per cent of retail
conditional group_code returnable | stoves are not
dc reserved stock | part
equation available stock reserved | difference
""",
            """
fd group_name group_code | its name
fd group_code returnable | stoves are not
conditional group_name size | clothes have one
conditional group_name returnable | stoves are not
dc available stock | part
equation sku size | in it
""",
        ),
        "orders": table(
            """
ucc order_no | key
equation order_no ordered_at | month in it
fd country zone | lies in it
fd country currency | money
fd currency fx_rate | rate
conditional weight_class weight_g | bands
conditional voucher voucher_value | when
conditional customer_tier shipping | gold pays none
fd zone weight_class customer_tier shipping | tariff
equation total_eur goods_value voucher_value shipping | sum
equation total_local total_eur fx_rate | product
conditional customer_tier points total_eur | a point for each euro
equation next_order_on ordered_at repeat_weeks | weeks on
conditional repeat_weeks next_order_on | both
conditional state shipped_at | when
conditional state void_reason | when
conditional shipped_at tracking | both
equation tracking country | in it
dc ordered_at shipped_at | time
dc voucher_value goods_value | at most
reference positions lines.order_no | how many
reference goods_value lines.amount | sum
reference weight_g lines.line_weight_g | sum
""",
            """
fd fx_rate currency | rate
conditional state tracking | when
fd country fx_rate | rate
conditional currency total_local total_eur | the rate
conditional voucher_value voucher | when
equation points total_eur | for each euro
fd weight_g weight_class | bands
dc total_eur total_local | mostly
conditional zone currency | one money
""",
        ),
        "lines": table(
            """
ucc order_no pos | key
ucc order_no sku | once
ind order_no | of what
ind sku | which
conditional ladder_pct qty | ladder
fd qty ladder_pct | ladder
equation amount qty list_price ladder_pct | less the ladder
reference list_price articles.retail | theirs
reference line_weight_g qty articles.weight_g | each
reference pos orders.positions | at most
""",
            """
fd sku list_price | theirs
dc list_price amount | one piece at least
conditional ladder_pct amount qty list_price | product
reference amount orders.goods_value | part
reference line_weight_g orders.weight_g | part
equation amount qty list_price | product
""",
        ),
        "returns": table(
            """
ucc rma | key
ucc order_no pos | one a line
ind order_no | of what
ind sku | which
reference pieces lines.qty | at most
reference value lines.amount | at most
equation refund value restocking_fee | difference
conditional condition restocking_fee | ten per cent when opened
dc received_on refunded_on | time
reference received_on orders.ordered_at | later
ind order_no pos | of which line
reference sku lines.sku | the same
""",
            """
ucc order_no sku | one a line
dc restocking_fee value | part
dc refund value | part
conditional condition restocking_fee value | ten per cent when opened
conditional condition refund value | all when sealed
conditional restocking_fee condition | when opened
reference received_on orders.shipped_at | later
reference value orders.goods_value | part
ind order_no sku | of which line
reference refunded_on orders.ordered_at | later
conditional condition value refund | all when sealed
reference refund lines.amount | at most
""",
        ),
    },
    "dentist": {
        "patients": table(
            """
ucc patient_no | key
equation initials first_name last_name | first letters
equation age_at_first born first_visit | full years
dc born first_visit | time
dc first_visit last_visit | time
conditional insurance insurer_no | statutory have one
conditional insurance factor | of it
fd recall_months recall_group | of it
""",
            """
ucc insurer_no | each
fd recall_group recall_months | of it
fd insurance factor | of it
fd factor insurance | of it
conditional factor insurer_no | statutory
equation initials first_name | first letter
equation initials last_name | first letter
conditional factor insurance | of it
reference factor treatments.factor | same
""",
        ),
        "treatments": table(
            """
ucc treatment_id | key
ind patient_no | whose
equation ended_at begun_at minutes | minutes on
fd code treatment | name
fd code points | price
fd code covered_pct | share
conditional code tooth | on a tooth
conditional tooth quadrant | both
equation quadrant tooth | first digit
reference factor patients.factor | theirs
equation fee points factor | points at 1.05
equation insurer_share fee covered_pct | share
equation fee insurer_share patient_share | sum
conditional ampoules anaesthetic | when
conditional code ampoules | only for some
equation due_on billed_on | 30 days
dc billed_on paid_on | time
dc ended_at billed_on | time
conditional reminded paid_on | when not paid
reference begun_at patients.first_visit | later
""",
            """
dc begun_at ended_at | time
dc begun_at billed_on | time
conditional treatment tooth | on a tooth
conditional code quadrant | on a tooth
fd points code | price
fd points treatment | price
fd treatment covered_pct | share
conditional treatment ampoules | only for some
conditional code anaesthetic | only for some
conditional treatment anaesthetic | only for some
dc insurer_share fee | part
dc patient_share fee | part
equation patient_share fee covered_pct | the rest
conditional treatment covered_pct | share
conditional code insurer_share fee | all
conditional code patient_share | none
conditional covered_pct patient_share | none
conditional treatment patient_share | none
conditional factor fee points | points at 1.05
fd tooth quadrant | first digit
dc billed_on due_on | time
reference paid_on patients.first_visit | later
reference billed_on patients.first_visit | later
reference begun_at patients.born | later
""",
        ),
    },
}
