"""What shoes over borders, power by the meter, wages, an inn and a bank live by; written before they were run."""

from benchmarks.rules_lists.known import table

STRANGERS = {
    "shoes": {
        "customers": table(
            """
ucc customer_id | key
equation display_name first_name last_name | put together
dc joined confirmed_at | later
conditional newsletter confirmed_at | when
""",
            """
ucc email | each
equation email first_name | in it
equation email last_name | in it
equation email first_name last_name | in it
dc birthday joined | earlier
reference joined orders.placed_at | before
reference country orders.country | same
""",
        ),
        "orders": table(
            """
ucc order_no | key
ind customer_id | who
equation order_no country | in it
equation order_no placed_at | month in it
equation quarter placed_at | quarter of it
equation total subtotal discount shipping | sum
equation points total | one for ten
reference country customers.country | theirs
reference placed_at customers.joined | later
dc placed_at shipped_at | time
dc shipped_at delivered_on | time
conditional status cancel_reason | when
conditional status shipped_at | when
conditional status delivered_on | when
conditional coupon discount | when
conditional service shipping | by the service
conditional country vat_included total | rates
conditional service promised_on shipped_at | days by service
reference subtotal order_lines.amount | sum
dc discount subtotal | part
""",
            """
conditional coupon discount subtotal | per cent
conditional status promised_on | when
conditional shipped_at promised_on | both
dc shipped_at promised_on | time
dc placed_at promised_on | time
dc placed_at delivered_on | time
dc vat_included total | part
dc discount total | part
fd coupon discount subtotal | per cent
fd coupon subtotal discount | per cent
fd country vat_included total | rate
conditional coupon service | none
reference status returns.order_no | those
conditional coupon subtotal discount | per cent
conditional discount coupon | when
""",
        ),
        "order_lines": table(
            """
ucc order_no line | key
ind order_no | of what
equation amount qty price | product
equation sku style size | put together
""",
            """
equation sku style | cut
equation sku size | cut
reference amount orders.subtotal | part
reference price orders.subtotal | part
""",
        ),
        "returns": table(
            """
ucc return_no | key
ucc order_no | once
ind order_no | of what
dc returned_on refunded_on | time
reference returned_on orders.delivered_on | later
reference refund fee orders.total | less the fee
""",
            """
conditional fee refund | free from 100 on
reference fee orders.total | free from 100 on
reference refund orders.total | part
reference returned_on orders.placed_at | later
reference returned_on orders.shipped_at | later
reference refunded_on orders.delivered_on | later
reference refunded_on orders.shipped_at | later
reference returned_on orders.promised_on | later
""",
        ),
    },
    "power": {
        "supply_points": table(
            """
ucc supply_no | key
ucc meter_serial | each
fd tariff unit_ct | price
fd tariff standing_eur | price
dc contract_start contract_end | time
equation contract_end contract_start term_months | term
conditional direct_debit iban | when
""",
            """
ucc iban | each
fd unit_ct tariff | price
fd standing_eur tariff | price
reference tariff bills.tariff | same
fd unit_ct standing_eur | price
fd standing_eur unit_ct | price
""",
        ),
        "bills": table(
            """
ucc bill_no | key
ucc supply_no from_date | a quarter
ind supply_no | of what
dc from_date to_date | time
dc to_date issued_on | time
dc start_kwh end_kwh | meter
equation end_kwh start_kwh used_kwh | sum
equation days from_date to_date | with both ends
equation net_eur energy_eur standing_eur | sum
equation tax_eur net_eur | 20 per cent
equation total_eur net_eur tax_eur | sum
equation due_on issued_on | 14 days
equation days_late paid_on due_on | or none
equation bill_no issued_on | year in it
dc issued_on paid_on | time
conditional reading_type reader_id | when
conditional state paid_on | when
conditional tariff energy_eur used_kwh | price
reference tariff supply_points.tariff | same
reference standing_eur supply_points.standing_eur | three months
reference energy_eur used_kwh supply_points.unit_ct | price
""",
            """
conditional paid_on days_late | both
conditional state days_late | when
fd tariff standing_eur | price
fd standing_eur tariff | price
ucc supply_no to_date | a quarter
equation to_date from_date | three months
ucc supply_no issued_on | a quarter
equation days_late paid_on issued_on | or none
fd tariff used_kwh energy_eur | price
fd used_kwh tariff energy_eur | price
reference from_date supply_points.contract_start | later
""",
        ),
    },
    "wages": {
        "staff": table(
            """
ucc staff_id | key
ind manager_id | one of them
equation staff_id dept | in it
equation initials first_name last_name | initials
fd dept dept_name | name
dc born_on hired_on | time
dc hired_on left_on | time
equation probation_ends hired_on | six months
equation age_at_hire born_on hired_on | age
conditional active left_on | when
conditional left_on leave_reason | both
""",
            """
conditional active leave_reason | when
fd dept_name dept | name
dc hired_on probation_ends | later
dc probation_ends left_on | later
reference hourly_rate payslips.hourly_rate | same
reference tax_class payslips.tax_class | same
""",
        ),
        "payslips": table(
            """
ucc slip_id | key
ucc staff_id month | one a month
ind staff_id | who
equation month paid_on | of it
equation fiscal_year paid_on | from October on
equation base_pay hours hourly_rate | product
equation overtime_pay overtime_hours hourly_rate | and a quarter
equation gross base_pay overtime_pay bonus | sum
equation pension gross | 9.3 per cent
equation net gross tax pension | difference
conditional bonus bonus_reason | when
conditional tax_class tax gross | rates
reference hourly_rate staff.hourly_rate | theirs
reference tax_class staff.tax_class | theirs
dc net gross | part
""",
            """
ucc staff_id paid_on | one a month
fd month paid_on | its last
fd paid_on month | its last
fd month fiscal_year | of it
fd paid_on fiscal_year | of it
conditional overtime_hours overtime_pay | when
fd tax_class gross tax | rate
reference paid_on staff.hired_on | later
fd staff_id hourly_rate | theirs
fd staff_id tax_class | theirs
dc base_pay gross | part
dc tax gross | part
""",
        ),
    },
    "inn": {
        "bookings": table(
            """
ucc booking | key
dc booked_on arrival | time
dc arrival departure | time
equation nights departure arrival | nights
equation lead_days arrival booked_on | days
equation weekday arrival | name of it
equation floor room | cut
equation guests adults children | sum
equation lodging nights nightly_rate | product
equation visitor_tax adults nights | 2.50 each
equation total lodging meals visitor_tax | sum
equation deposit total | 30 per cent
equation balance total deposit | difference
equation booking booked_on | day in it
fd room_type room floor | its floor
fd room_type season nightly_rate | price
conditional status cancelled_on | when
conditional status invoice_no | when
conditional channel commission lodging | 15 per cent
conditional board meals | none
""",
            """
fd room room_type | of it
fd floor room_type | of it
fd room_type floor | of it
fd nightly_rate season | price
fd nightly_rate room_type | price
conditional channel commission | agencies'
conditional room_type children | families
equation invoice_no arrival | year in it
dc cancelled_on arrival | time
dc booked_on cancelled_on | time
ucc invoice_no | each
conditional room_type guests | one
conditional status rating | when
conditional room_type adults | one
conditional invoice_no rating | when
conditional board guests nights meals | each
conditional board meals guests nights | each
equation lodging departure arrival nightly_rate | product
conditional room_type nightly_rate | price
conditional floor children | families
""",
        ),
    },
    "bank": {
        "accounts": table(
            """
ucc account_no | key
ucc iban | each
equation iban account_no | in it
equation account_no branch | in it
fd branch branch_town | where
dc opened closed | time
conditional state closed | when
fd product rate_pct | rate
conditional product overdraft_limit | none
""",
            """
fd branch_town branch | where
fd rate_pct product | rate
conditional product rate_pct | rate
conditional rate_pct overdraft_limit | none
equation iban branch | in it
""",
        ),
        "transactions": table(
            """
ucc txn_id | key
ucc account_no seq | number
ind account_no | of what
equation balance_after balance_before amount | sum
conditional direction amount | sign
conditional type value_date booked_at | two days
conditional type counterparty | when
conditional type card_no | when
conditional fx_currency fx_rate | both
conditional fx_currency fx_amount | both
equation fx_amount fx_rate amount | converted
reference booked_at accounts.opened | later
""",
            """
conditional type direction | sign
conditional type amount | sign
conditional fx_rate fx_amount | both
ucc account_no booked_at | each
conditional type fx_currency | cards
conditional type fx_rate | cards
conditional type fx_amount | cards
reference seq accounts.account_no | numbers
""",
        ),
    },
}
