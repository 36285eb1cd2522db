"""What a wholesaler, rents, a school of music, a harbour and loans by month live by; written before they were run."""

from benchmarks.rules_lists.known import table

COUNTERS = {
    "wholesaler": {
        "customers": table(
            """
ucc cust_no | key
ucc company | names
fd price_group payment_days | terms
""",
            """
fd payment_days price_group | terms
ucc vat_id | each
reference since orders.placed_on | before
""",
        ),
        "orders": table(
            """
ucc order_no | key
ucc invoice_no | each
ind cust_no | who
reference price_group customers.price_group | theirs
dc placed_on shipped_on | time
dc shipped_on invoiced_on | time
equation week placed_on | week of it
equation invoice_no invoiced_on | month in it
reference due_on customers.payment_days invoiced_on | terms
equation net_total goods freight | sum
equation vat net_total | 19 per cent
equation gross_total net_total vat | sum
conditional freight goods | free from 500 on
conditional status shipped_on | when
conditional status invoice_no | when
reference goods lines.net | sum
""",
            """
fd cust_no price_group | theirs
conditional status invoiced_on | when
conditional status due_on | when
conditional shipped_on invoiced_on | both
conditional shipped_on due_on | both
conditional shipped_on invoice_no | both
dc invoiced_on due_on | later
dc shipped_on due_on | later
reference placed_on customers.since | later
fd price_group due_on invoiced_on | terms
conditional price_group due_on invoiced_on | terms
""",
        ),
        "lines": table(
            """
ucc order_no pos | key
ind order_no | of what
equation article units_per_case | case size in it
equation units cases units_per_case | product
equation gross units unit_price | product
equation rebate gross rebate_pct | per cent
equation net gross rebate | difference
dc backordered cases | of them
""",
            """
equation net gross rebate_pct | less per cent
fd article units_per_case | case size in it
conditional rebate_pct rebate | none
conditional rebate rebate_pct | none
fd order_no rebate_pct | by group
reference rebate_pct orders.price_group | by group
conditional rebate_pct net gross | none
dc rebate gross | part
""",
        ),
    },
    "rents": {
        "contracts": table(
            """
ucc contract | key
equation contract house | begins with it
equation contract begins | year in it
fd house address | where
equation cold_rent area_m2 rate_m2 | product
equation warm_rent cold_rent service_charge | sum
equation deposit cold_rent | three
dc begins ends | time
equation first_review begins | 15 months on
equation notice_by ends | 3 months before
conditional ends reason | both
conditional ends notice_by | both
equation tenant_age tenant_born begins | age
dc tenant_born begins | time
""",
            """
fd address house | where
conditional notice_by reason | both
dc begins notice_by | time
dc notice_by ends | time
dc begins first_review | later
equation warm_rent deposit service_charge | sum
reference warm_rent payments.due | the same
dc tenant_born ends | time
""",
        ),
        "payments": table(
            """
ucc contract month | key
ind contract | of what
equation month due_on | month of it
equation open due paid | difference
equation days_late paid_on due_on | or none
conditional reminded open | what is open
conditional paid paid_on | when
reference due contracts.warm_rent | the same
dc paid due | not more
""",
            """
ucc contract due_on | key
fd contract due | the same
conditional paid_on days_late | both
conditional reminded due paid | what is open
dc open due | part
fd month due_on | the third
reference due_on contracts.begins | about
conditional paid days_late | when
""",
        ),
    },
    "music": {
        "pupils": table(
            """
ucc pupil_id | key
equation age born | at the term's start
conditional adult age | from 18 on
conditional adult guardian | not for adults
dc joined left | time
conditional active left | when
dc born joined | time
""",
            """
conditional adult born | from 18 on
dc born left | time
conditional guardian age | not for adults
conditional guardian born | not for adults
fd age adult | from 18 on
""",
        ),
        "bookings": table(
            """
ucc booking | key
ind pupil_id | whose
fd kind minutes | how long
fd kind fee | price list
dc first_lesson first_ends | time
equation first_ends first_lesson minutes | so many minutes on
equation weekday first_lesson | its name
equation total_minutes lessons minutes | product
equation amount fee lessons | product
equation reduction amount sibling_pct | per cent
equation payable amount reduction | difference
equation instalment payable | a quarter
conditional sibling_pct reduction | none
equation booking first_lesson | year in it
equation booking pupil_id | pupil in it
""",
            """
fd fee kind | price list
fd fee minutes | price list
equation payable amount sibling_pct | less per cent
conditional reduction sibling_pct | none
conditional sibling_pct payable amount | none
conditional minutes kind | how long
conditional kind minutes | how long
dc reduction payable | part
dc instalment payable | part
dc instalment amount | part
dc fee amount | several
dc fee payable | several
dc lessons total_minutes | longer
reference first_lesson pupils.born | later
""",
        ),
    },
    "harbour": {
        "calls": table(
            """
ucc call_no | key
equation call_no arrived | day in it
fd berth quay | of it
fd berth max_draught_m | depth
dc draught_m max_draught_m | not deeper
dc arrived berthed | time
dc berthed departed | time
equation hours_berthed departed berthed | between
equation harbour_dues gross_tonnage | least fee
conditional pilot pilot_name | who
conditional pilot pilot_fee | fixed
equation cargo_t cargo_in_t cargo_out_t | sum
conditional ballast cargo_t | empty
equation total_fee harbour_dues pilot_fee | sum
""",
            """
fd max_draught_m berth | depth
fd max_draught_m quay | depth
conditional pilot_fee pilot_name | who
conditional pilot_name pilot_fee | who
conditional pilot_fee pilot | fixed
conditional departed hours_berthed | both
conditional cargo_t ballast | empty
dc arrived departed | time
conditional ballast cargo_in_t | empty
conditional ballast cargo_out_t | empty
conditional pilot total_fee harbour_dues | none
conditional pilot_fee total_fee harbour_dues | none
fd gross_tonnage harbour_dues | least fee
conditional quay max_draught_m | depth
""",
        ),
    },
    "lending": {
        "loans": table(
            """
ucc loan_id | key
fd product apr | rates
equation loan_id product | letter
equation first_due opened_on | a month on
equation matures_on opened_on term_months | so many months on
""",
            """
fd apr product | rates
dc opened_on first_due | later
dc first_due matures_on | later
dc opened_on matures_on | later
reference principal statements.opening | the first
""",
        ),
        "statements": table(
            """
ucc loan_id statement_no | key
ind loan_id | of what
equation period as_of | month of it
equation payment principal_paid interest | sum
equation closing opening principal_paid | difference
reference apr loans.apr | the rate
equation interest opening apr | a twelfth of it
dc closing opening | less
reference opening loans.principal | at most
""",
            """
ucc loan_id as_of | key
ucc loan_id period | key
ucc loan_id opening | key
ucc loan_id closing | key
fd loan_id apr | the rate
fd loan_id principal_paid | the same
fd as_of period | month of it
fd period as_of | month of it
reference as_of loans.opened_on | later
reference as_of loans.first_due | about
reference as_of loans.matures_on | before
reference closing loans.principal | less
reference principal_paid loans.principal | part
reference principal_paid loans.principal loans.term_months | part
dc interest payment | part
reference interest loans.apr opening | a twelfth of it
dc principal_paid payment | part
dc principal_paid opening | part
""",
        ),
    },
}
