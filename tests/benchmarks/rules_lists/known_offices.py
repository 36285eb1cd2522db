"""What a shop's platform, software, staff, a laboratory and parcels live by; written before they were run."""

from benchmarks.rules_lists.known import table

OFFICES = {
    "storefront": {
        "products": table(
            """
ucc SKU | key
ucc Handle | in addresses
equation SKU Vendor | begins with the vendor's letters
dc Price Compare_At_Price | was more
equation Price Compare_At_Price | a quarter more
conditional On_Sale Compare_At_Price | what it was
dc Cost Price | sold for more
""",
            """
fd SKU Vendor | vendor's letters
conditional Compare_At_Price On_Sale | what it was
dc Cost Compare_At_Price | sold for more
equation Handle Vendor | vendor in it
""",
        ),
        "orders": table(
            """
ucc Name | key
ucc Id | the platform's
equation Subtotal Discount_Amount Shipping Total | sum
equation Total Tax_Rate Taxes | included tax
fd Shipping_Country Tax_Rate | by country
fd Discount_Code Discount_Amount | what a code is worth
conditional Discount_Code Discount_Amount | with a code
conditional Financial_Status Paid_at | when paid
conditional Financial_Status Cancelled_at | voided
conditional Financial_Status Cancel_Reason | why
conditional Financial_Status Refunded_Amount | refunded
conditional Financial_Status Outstanding_Balance | what is due
conditional Fulfillment_Status Fulfilled_at | when
dc Created_at Paid_at | time
dc Paid_at Fulfilled_at | time
dc Created_at Cancelled_at | time
conditional Shipping_Method Shipping | what it costs
""",
            """
conditional Cancelled_at Cancel_Reason | both
conditional Cancel_Reason Cancelled_at | both
fd Tax_Rate Shipping_Country | nearly by country
conditional Discount_Amount Discount_Code | with a code
conditional Cancelled_at Financial_Status | voided
conditional Cancel_Reason Financial_Status | voided
conditional Financial_Status Fulfilled_at | not yet
conditional Financial_Status Fulfillment_Status | not yet
conditional Paid_at Financial_Status | paid
conditional Financial_Status Refunded_Amount Total | all
conditional Financial_Status Outstanding_Balance Total | all
dc Refunded_Amount Total | not more
dc Outstanding_Balance Total | not more
dc Discount_Amount Subtotal | not more
dc Taxes Total | a part
conditional Shipping Subtotal | free from 150 on
conditional Shipping Shipping_Method | what it costs
conditional Fulfilled_at Paid_at | paid first
conditional Paid_at Fulfilled_at | paid first
dc Created_at Fulfilled_at | time
""",
        ),
        "lineitems": table(
            """
ucc Order Line | key
ind Order | of what
ind Lineitem_sku | which
equation Lineitem_quantity Lineitem_price Lineitem_total Lineitem_discount | product less discount
equation Lineitem_discount Lineitem_quantity Lineitem_price Discount_percent | per cent of the product
reference Lineitem_price products.Price | list price
reference Weight_grams products.Grams Lineitem_quantity | product
reference Lineitem_total orders.Subtotal | sum
reference Requires_shipping orders.Shipping_Method | not picked up
conditional Discount_percent Lineitem_discount | none
""",
            """
fd Lineitem_sku Lineitem_price | list price
conditional Lineitem_discount Discount_percent | none
dc Lineitem_price Lineitem_total | nearly
conditional Lineitem_quantity Lineitem_price Lineitem_total | one
fd Order Requires_shipping | one way
equation Lineitem_discount Discount_percent Lineitem_total | per cent
equation Lineitem_total Lineitem_quantity Lineitem_price Discount_percent | less per cent
dc Lineitem_discount Lineitem_total | at most 15 per cent
""",
        ),
    },
    "software": {
        "accounts": table(
            """
ucc account_id | key
ucc slug | in addresses
equation slug subdomain | slug and domain
fd country tax_pct | rates
equation signed_up_on signup_month | month of it
equation signed_up_on trial_ends_on | two weeks
dc trial_ends_on churned_on | time
conditional is_active churned_on | when
conditional is_active churn_reason | why
""",
            """
ucc subdomain | as slug
fd tax_pct country | rates
dc signed_up_on churned_on | time
conditional churned_on churn_reason | both
conditional churned_on is_active | when
reference signed_up_on subscriptions.started_on | before
reference trial_ends_on subscriptions.started_on | then
reference churned_on subscriptions.ended_on | the same
""",
        ),
        "subscriptions": table(
            """
ucc subscription_id | key
ind account_id | whose
ucc account_id | one each
fd plan seat_price | price list
fd billing interval_months | 1 or 12
equation mrr seats seat_price | product
equation arr mrr | twelve
equation first_renewal_on started_on interval_months | so many months on
dc started_on ended_on | time
conditional status ended_on | when
reference started_on accounts.trial_ends_on | after the trial
reference ended_on accounts.churned_on | the same day
""",
            """
fd seat_price plan | price list
fd interval_months billing | 1 or 12
dc started_on first_renewal_on | later
reference started_on accounts.signed_up_on | two weeks on
equation arr seats seat_price | twelve
""",
        ),
        "invoices": table(
            """
ucc invoice_no | key
ind subscription_id | of what
ind account_id | whose
ucc subscription_id period_start | one a period
equation invoice_no issued_on | month in it
equation period_start issued_on | in advance
equation period_end period_start | a month or a year
equation due_on issued_on terms_days | terms
equation tax amount discount tax_pct | rate
equation total amount discount tax | sum
dc issued_on paid_on | time
conditional status paid_on | when
conditional status payment_ref | how
equation days_late paid_on due_on | or none
fd subscription_id account_id | whose
reference amount subscriptions.mrr subscriptions.interval_months | product
reference tax_pct accounts.tax_pct | rate
reference period_start subscriptions.started_on | later
conditional terms_days discount | yearly ones
conditional paid_on days_late | when
""",
            """
equation due_on period_start terms_days | terms
equation invoice_no period_start | month in it
dc period_start period_end | later
dc period_start paid_on | later
ucc payment_ref | each
conditional paid_on payment_ref | both
conditional status days_late | when
conditional days_late payment_ref | both
reference account_id subscriptions.account_id | the same
reference terms_days subscriptions.billing | by billing
reference terms_days subscriptions.interval_months | by billing
reference amount subscriptions.mrr | at least
reference amount subscriptions.arr | at most
conditional discount terms_days | yearly ones
conditional terms_days discount amount | a tenth
equation discount amount | a tenth
dc discount amount | a part
dc discount tax | as it comes
fd account_id tax_pct | rate
fd account_id terms_days | by billing
fd subscription_id amount | the same
fd subscription_id terms_days | by billing
fd subscription_id discount | the same
fd subscription_id tax | the same
reference period_start accounts.trial_ends_on | later
ucc subscription_id period_end | one a period
ucc account_id period_start | one a period
""",
        ),
    },
    "staff": {
        "employees": table(
            """
ucc EmployeeID | key
ucc WorkEmail | log in
equation WorkEmail FirstName LastName | name in it
equation AgeAtHire BirthDate HireDate | age
equation ProbationEnd HireDate | half a year
equation PensionDate BirthDate | at 67
fd Grade BandMin | bands
fd Grade BandMax | bands
dc BandMin FullTimeSalary | within
dc FullTimeSalary BandMax | within
equation WeeklyHours FTE | of 37.5
equation Salary FullTimeSalary FTE | share
equation MonthlyPay Salary | a twelfth
fd SiteCode Site | names
ind ManagerID | who
dc HireDate TerminationDate | time
dc BirthDate HireDate | time
conditional Active TerminationDate | left
conditional Active TerminationReason | why
equation ServiceYears HireDate TerminationDate | completed
""",
            """
fd Site SiteCode | names
fd BandMin BandMax | bands
fd BandMax BandMin | bands
fd BandMin Grade | bands
fd BandMax Grade | bands
fd FTE WeeklyHours | of 37.5
fd WeeklyHours FTE | of 37.5
conditional TerminationDate TerminationReason | both
dc Salary FullTimeSalary | part time
conditional FTE Salary FullTimeSalary | full time
conditional WeeklyHours Salary FullTimeSalary | full time
dc Salary BandMax | within
dc HireDate ProbationEnd | later
dc HireDate PensionDate | later
dc TerminationDate PensionDate | before
dc ProbationEnd PensionDate | later
ucc FirstName LastName HireDate | names
""",
        ),
        "absences": table(
            """
ucc AbsenceID | key
ind EmployeeID | who
dc FromDate ToDate | time
equation CalendarDays FromDate ToDate | both counted
equation Year FromDate | year of it
equation Quarter FromDate | quarter of it
conditional Kind RequestedOn | not for sickness
conditional Kind ApprovedBy | not for sickness
conditional Certificate CalendarDays | from four days on
conditional Certificate Kind | only for sickness
dc RequestedOn FromDate | ahead
fd Kind PaidPct | by kind
reference Site employees.Site | theirs
reference ApprovedBy employees.ManagerID | the manager
""",
            """
fd EmployeeID Site | theirs
conditional Kind Certificate | only for sickness
conditional RequestedOn PaidPct | by kind
conditional PaidPct RequestedOn | by kind
conditional Kind PaidPct | by kind
conditional PaidPct Kind | by kind
conditional PaidPct Certificate | for sickness
conditional Certificate PaidPct | for sickness
conditional Certificate RequestedOn | for sickness
ind ApprovedBy | who
fd EmployeeID ApprovedBy | the manager
conditional ApprovedBy RequestedOn | both
conditional PaidPct ApprovedBy | by kind
dc RequestedOn ToDate | ahead
conditional Certificate ApprovedBy | not for sickness
ucc EmployeeID FromDate Kind | one at a time
""",
        ),
    },
    "laboratory": {
        "requests": table(
            """
ucc accession | key
equation accession collected | day in it
fd mrn dob | the patient's
fd mrn sex | the patient's
equation age dob collected | age
fd ward department | of it
dc collected received | time
dc received reported | time
equation tat_min received reported | between
conditional rejected reported | not reported
conditional rejected reject_reason | why
conditional rejected tat_min | not reported
""",
            """
conditional reported tat_min | both
conditional reported reject_reason | one or the other
conditional reject_reason reported | one or the other
conditional reject_reason tat_min | one or the other
conditional priority tat_min | within the hour
dc dob collected | time
dc collected reported | time
""",
        ),
        "results": table(
            """
ucc accession seq | key
ucc accession analyte | each once
ind accession | of what
fd analyte analyte_name | names
fd analyte unit | measured so
fd analyte ref_low | ranges
fd analyte ref_high | ranges
dc ref_low ref_high | range
conditional flag value ref_low | low
conditional flag value ref_high | high
conditional abnormal flag | flagged
reference resulted requests.reported | before
reference resulted requests.received | after
conditional analyte instrument | its own
""",
            """
fd analyte_name analyte | names
conditional flag abnormal | flagged
reference resulted requests.collected | after
fd analyte_name unit | measured so
conditional analyte_name instrument | its own
conditional instrument analyte | its own
conditional instrument analyte_name | its own
conditional instrument unit | its own
conditional unit instrument | its own
fd ref_low analyte | ranges
fd ref_high analyte | ranges
reference abnormal requests.age | none
conditional analyte value | as measured
conditional abnormal value ref_low | within
conditional abnormal value ref_high | within
fd ref_low ref_high | ranges
fd ref_high ref_low | ranges
reference resulted requests.dob | after
conditional ref_low instrument | its own
conditional ref_high instrument | its own
conditional instrument ref_low | its own
conditional instrument ref_high | its own
""",
        ),
    },
    "parcels": {
        "shipments": table(
            """
ucc awb | key
equation awb booked_at | day in it
equation awb dest_country | country in it
fd service_code transit_days | what is promised
fd dest_country zone | zones
dc booked_at picked_up_at | time
dc picked_up_at delivered_at | time
equation promised_on picked_up_at transit_days | so many days on
conditional late delivered_at promised_on | later than promised
equation volumetric_kg length_cm width_cm height_cm | a 5000th
dc volumetric_kg chargeable_kg | the greater one
dc actual_kg chargeable_kg | the greater one
fd service_code zone rate_per_kg | price list
equation base_charge rate_per_kg chargeable_kg | product
equation fuel_surcharge base_charge | 18.5 per cent
equation insurance declared_value | one per cent
equation total_charge base_charge fuel_surcharge remote_area_fee insurance | sum
conditional status delivered_at | when
conditional declared_value insurance | what is insured
equation chargeable_kg actual_kg volumetric_kg | the greater one
""",
            """
fd transit_days service_code | what is promised
conditional insurance declared_value | what is insured
conditional delivered_at late | known then
conditional status late | known then
conditional late status | known then
conditional status signed_by | by whom
conditional delivered_at signed_by | by whom
dc booked_at delivered_at | time
dc insurance declared_value | less
fd transit_days zone rate_per_kg | price list
fd rate_per_kg service_code | price list
fd rate_per_kg zone | price list
fd rate_per_kg transit_days | price list
dc fuel_surcharge base_charge | part
""",
        ),
    },
}
