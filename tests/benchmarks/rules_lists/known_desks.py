"""What bicycles, translations, a broker, a herd, travel claims and a museum live by; written before they were run."""

from benchmarks.rules_lists.known import table

BIKES = {
    "Stations": table(
        """
ucc StationID | key
ucc StationName | names
equation DocksFree Docks BikesAvailable OutOfService | rest
equation OccupancyPct BikesAvailable Docks | per cent
""",
        """
dc BikesAvailable Docks | fits
dc DocksFree Docks | fits
ucc Lat | place
ucc Lon | place
ucc Lat Lon | place
""",
    ),
    "Members": table(
        """
ucc MemberNo | key
equation MemberNo JoinDate | the year in it
fd PassType PassPrice | price list
fd PassType ValidDays | lookup
equation ValidUntil JoinDate ValidDays | days on
conditional AutoRenew PassType | annual only
conditional AutoRenew CardLast4 | needs a card
""",
        """
fd ValidDays PassType | same
fd PassPrice PassType | same
fd PassPrice ValidDays | same
fd ValidDays PassPrice | same
equation ValidDays ValidUntil JoinDate | between
conditional PassType AutoRenew | annual only
conditional ValidDays AutoRenew | annual only
conditional AutoRenew PassPrice | annual
dc JoinDate ValidUntil | later
""",
    ),
    "Trips": table(
        """
ucc TripID | key
ind MemberNo | who
ind StartStationID | where
ind EndStationID | where
dc StartTime EndTime | time
equation DurationSec StartTime EndTime | between
equation DurationMin DurationSec | rounded up
fd StartStationID StartStation | name
fd EndStationID EndStation | name
fd BikeID BikeType | kind
fd BikeType UnlockFee | price
conditional UsageFee DurationMin | free to half an hour
equation Total UnlockFee UsageFee LostFee | sum of what there is
conditional TripStatus EndTime | lost never ends
conditional TripStatus LostFee | lost costs
conditional RoundTrip StartStationID EndStationID | same
reference RiderAge StartTime Members.BirthYear | age
reference StartStation Stations.StationName | its name
reference StartTime Members.JoinDate | later
""",
        """
reference EndStation Stations.StationName | its name
reference StartTime Members.ValidUntil | while valid
reference EndTime Members.JoinDate | later
conditional UsageFee DurationSec | free to half an hour
conditional DurationMin UsageFee | free to half an hour
conditional DurationSec UsageFee | free to half an hour
ind StartStation Stations.StationName | where
ind EndStation Stations.StationName | where
conditional EndTime LostFee | lost costs
conditional TripStatus EndStationID | lost
conditional TripStatus UsageFee | lost
conditional TripStatus DurationSec | lost
conditional RoundTrip StartStation EndStation | same
fd StartStation StartStationID | name
fd EndStation EndStationID | name
equation BikeType BikeID | letter
equation Total UnlockFee UsageFee | sum
conditional BikeType UnlockFee | price
fd UnlockFee BikeType | same
fd BikeID UnlockFee | x
conditional LostFee TripStatus | lost
conditional LostFee Total | lost
conditional TripStatus EndStation | lost
equation DurationMin StartTime EndTime | between
conditional EndTime EndStationID | lost
dc UsageFee Total | part
dc UnlockFee Total | part
""",
    ),
}

TRANSLATIONS = {
    "uebersetzer": table("ucc Kuerzel | key", "ucc Seit | x\nucc Name Seit | x\nequation Kuerzel Name | begins"),
    "projekte": table(
        """
ucc Projekt | key
equation Jahr Eingang | year
equation Monat Eingang | month
equation Projekt Jahr | year in it
conditional Eilig Eilzuschlag | rush only
equation Eilzuschlag Preis | a quarter
equation Netto Preis Eilzuschlag | sum, or none
equation Deckung Netto Kosten | difference
equation Marge Deckung Netto | per cent
equation MwSt Netto | 19 %
equation Brutto Netto MwSt | sum
dc Eingang Lieferung | time
dc Lieferung Rechnungsdatum | time
equation Rechnung Rechnungsdatum | year and month in it
conditional Rechnung Rechnungsdatum | both
equation Zahlbar_bis Rechnungsdatum | thirty days
ucc Rechnung | one each
reference Auftraege auftraege.Auftrag | how many
reference Woerter auftraege.Woerter | sum
reference Kosten auftraege.Honorar | sum
dc Kosten Preis | dearer
""",
        """
equation Projekt Eingang | year in it
conditional Eilzuschlag Preis Netto | x
reference Auftraege auftraege.Projekt | how many
equation Marge Kosten Netto | per cent
conditional Rechnungsdatum Rechnung | both
conditional Eilzuschlag Eilig | rush
reference Lieferung auftraege.Geliefert | not before
reference Eingang auftraege.Vergeben | the day
dc Preis Netto | part
dc Deckung Netto | part
equation Projekt Rechnung | number
dc Kosten Netto | dearer
""",
    ),
    "auftraege": table(
        """
ucc Auftrag | key
ind Projekt | of which
ind Uebersetzer | who
equation Woerter Neu Wiederholt | sum
equation Sprachpaar Quelle Ziel | put together
dc Betrag Honorar | minimum
conditional Mindestpreis_gilt Betrag Honorar | minimum
dc Vergeben Termin | time
dc Vergeben Geliefert | time
equation Tage_daneben Termin Geliefert | how far off
conditional Puenktlich Geliefert Termin | in time
reference Quelle uebersetzer.Quelle | theirs
reference Ziel uebersetzer.Ziel | theirs
reference Wortpreis uebersetzer.Wortpreis | theirs
reference Honorar uebersetzer.Mindestpreis | at least
reference Vergeben projekte.Eingang | the day
reference Geliefert projekte.Lieferung | not after
fd Uebersetzer Sprachpaar | theirs
""",
        """
fd Projekt Vergeben | the day
fd Uebersetzer Wortpreis | theirs
fd Uebersetzer Quelle | theirs
fd Uebersetzer Ziel | theirs
equation Betrag Neu Wiederholt Wortpreis | words
equation Honorar Neu Wiederholt Wortpreis | words
conditional Mindestpreis_gilt Betrag | below
conditional Mindestpreis_gilt Honorar | minimum
conditional Puenktlich Termin Geliefert | in time
conditional Puenktlich Tage_daneben | in time
equation Vergeben projekte.Eingang | the day
reference Termin projekte.Eingang | later
reference Geliefert projekte.Eingang | later
reference Woerter projekte.Woerter | part
reference Honorar projekte.Kosten | part
equation Quelle Sprachpaar | cut
equation Ziel Sprachpaar | cut
fd Sprachpaar Quelle | cut
fd Sprachpaar Ziel | cut
conditional Tage_daneben Puenktlich | in time
""",
    ),
}

BROKERAGE = {
    "instruments": table(
        """
ucc isin | key
ucc symbol | names
ucc name | names
equation isin country | begins
fd country ccy | lookup
dc low52 high52 | range
dc low52 last | range
dc last high52 | range
equation chg last prev_close | difference
equation chg_pct chg prev_close | per cent
equation mcap_m shares_m last | product
""",
        """
fd ccy country | same
dc low52 prev_close | range
dc prev_close high52 | range
equation chg_pct last prev_close | per cent
equation country isin | begins
ucc mcap_m | x
ucc last | x
""",
    ),
    "orders": table(
        """
ucc order_id | key
equation order_id ordered_at | the day in it
ind isin | what
conditional type limit_px | a limit
dc ordered_at exec_at | time
equation gross_amt qty exec_px | product
conditional fee gross_amt | free from 10,000 on
conditional ccy stamp_duty | Switzerland
equation stamp_duty gross_amt | per mille
equation trade_date exec_at | the day
equation value_date trade_date | two days
conditional status exec_at | filled
conditional status reject_code | why
equation slip exec_px limit_px | how far
reference ccy instruments.ccy | its
conditional side cash_flow | minus buys
conditional side exec_px limit_px | no worse than the limit
fd isin ccy | its
""",
        """
conditional side net_amt gross_amt | dearer
conditional gross_amt fee | free from 10,000 on
equation value_date exec_at | two days
equation value_date ordered_at | two days
equation trade_date ordered_at | the day
conditional status gross_amt | filled
conditional status exec_px | filled
conditional status fee | filled
conditional status net_amt | filled
conditional status trade_date | filled
equation cash_flow net_amt | how much
conditional exec_at gross_amt | both
conditional side cash_flow net_amt | how much
equation net_amt gross_amt fee stamp_duty | sum
conditional reject_code status | why
conditional status slip | x
conditional limit_px slip | x
conditional type slip | limit only
dc fee gross_amt | part
conditional limit_px type | a limit
equation net_amt cash_flow | how much
reference qty instruments.lot | at least
dc stamp_duty gross_amt | part
""",
    ),
}

HERD = {
    "cows": table(
        """
ucc EAR_TAG | key
ucc COLLAR | one each
ucc COW_NAME | names
ind DAM | mother
dc BIRTH_DATE FIRST_CALVING | time
dc FIRST_CALVING LAST_CALVING | time
dc BIRTH_DATE PURCHASE_DATE | time
dc LAST_CALVING LEFT_HERD | time
conditional ORIGIN DAM | born here
conditional ORIGIN PURCHASE_DATE | bought
conditional PURCHASE_DATE PURCHASE_PRICE | both
conditional ACTIVE LEFT_HERD | gone
conditional LEFT_HERD LEFT_REASON | both
reference BIRTH_DATE cows.BIRTH_DATE | younger than its mother
equation AGE_FIRST_CALVING_M FIRST_CALVING BIRTH_DATE | months
conditional LACTATIONS FIRST_CALVING LAST_CALVING | the first is the last
""",
        """
conditional ORIGIN PURCHASE_PRICE | bought
conditional ACTIVE LEFT_REASON | gone
conditional DAM PURCHASE_DATE | bought
conditional LEFT_REASON LEFT_HERD | both
equation COLLAR COW_NAME | number
conditional PURCHASE_PRICE PURCHASE_DATE | both
reference FIRST_CALVING cows.BIRTH_DATE | x
reference BIRTH_DATE cows.FIRST_CALVING | x
equation COW_NAME COLLAR | number
dc PURCHASE_DATE FIRST_CALVING | before
""",
    ),
    "milk_tests": table(
        """
ucc EAR_TAG TEST_DATE | key
ucc LAB_SAMPLE | one each
ind EAR_TAG | which
equation MILK_KG MILK_AM_KG MILK_PM_KG | sum
equation FAT_KG MILK_KG FAT_PCT | per cent
equation PROTEIN_KG MILK_KG PROTEIN_PCT | per cent
equation FAT_PROTEIN_RATIO FAT_PCT PROTEIN_PCT | ratio
conditional ALARM CELLS_1000 | from 200 on
equation LAB_SAMPLE TEST_DATE | day in it
reference LACTATION cows.LACTATIONS | its
reference TEST_DATE cows.LAST_CALVING | later
reference DAYS_IN_MILK TEST_DATE cows.LAST_CALVING | days since
""",
        """
fd EAR_TAG LACTATION | its
ucc EAR_TAG DAYS_IN_MILK | key
reference TEST_DATE cows.FIRST_CALVING | later
reference TEST_DATE cows.BIRTH_DATE | later
conditional CELLS_1000 ALARM | from 200 on
reference TEST_DATE cows.PURCHASE_DATE | later
dc FAT_KG MILK_KG | part
dc PROTEIN_KG MILK_KG | part
""",
    ),
    "treatments": table(
        """
ucc NO | key
ind EAR_TAG | which
ind COLLAR | which
reference COLLAR cows.COLLAR | same
fd DRUG DIAGNOSIS | lookup
fd DRUG MILK_WAIT_DAYS | lookup
fd DRUG MEAT_WAIT_DAYS | lookup
fd EAR_TAG COLLAR | same
dc START_DATE END_DATE | time
equation DOSES START_DATE END_DATE | one a day
equation MILK_OK_FROM END_DATE MILK_WAIT_DAYS | days on
equation MEAT_OK_FROM END_DATE MEAT_WAIT_DAYS | days on
conditional DIAGNOSIS QUARTER | udder only
conditional VET VET_FEE | both
reference START_DATE cows.LAST_CALVING | later
""",
        """
fd COLLAR EAR_TAG | same
fd MEAT_WAIT_DAYS DRUG | x
dc MILK_WAIT_DAYS MEAT_WAIT_DAYS | x
reference START_DATE cows.FIRST_CALVING | later
reference START_DATE cows.BIRTH_DATE | later
reference START_DATE cows.PURCHASE_DATE | later
dc END_DATE MILK_OK_FROM | later
dc END_DATE MEAT_OK_FROM | later
equation END_DATE START_DATE DOSES | one a day
conditional VET_FEE VET | both
fd MEAT_WAIT_DAYS DIAGNOSIS | lookup
fd MEAT_WAIT_DAYS MILK_WAIT_DAYS | lookup
conditional DRUG QUARTER | udder
ucc EAR_TAG START_DATE | x
reference EAR_TAG cows.EAR_TAG | same
""",
    ),
}

CLAIMS = {
    "staff": table(
        """
ucc emp_no | key
ucc login | one each
fd cost_centre department | lookup
fd grade daily_limit | lookup
ind boss | who
""",
        """
fd department cost_centre | same
equation login full_name | begins
dc boss emp_no | earlier
""",
    ),
    "claims": table(
        """
ucc claim_no | key
equation claim_no left_on | year in it
ind emp_no | who
dc left_on back_on | time
equation nights left_on back_on | between
equation days_away nights | one more
equation km_money km | 30 cents
equation total allowance km_money receipts_total | sum of what there is
equation to_pay total advance | less what was given
dc back_on submitted_on | time
dc submitted_on approved_on | time
dc approved_on second_approval_on | time
dc second_approval_on paid_on | time
conditional state approved_on | paid
conditional approved_on approved_by | both
conditional second_approval_on total | from 1,000 on
reference cost_centre staff.cost_centre | theirs
reference approved_by staff.boss | their boss
reference receipts receipts.receipt | how many
reference receipts_total receipts.amount_eur | sum
fd nights allowance | by nights
conditional km km_money | both
""",
        """
fd days_away allowance | by nights
conditional nights allowance | by nights
fd emp_no cost_centre | theirs
fd nights allowance | by nights
fd allowance nights | by nights
equation allowance nights | by nights
dc approved_on paid_on | time
conditional receipts receipts_total | none
conditional state approved_by | paid
conditional state paid_on | paid
conditional km_money km | both
conditional total second_approval_on | from 1,000 on
equation days_away left_on back_on | between
reference back_on receipts.spent_on | in time
reference left_on receipts.spent_on | in time
reference receipts receipts.claim_no | how many
reference receipts_total receipts.amount | x
fd emp_no approved_by | boss
ind approved_by staff.emp_no | boss
conditional paid_on approved_on | both
conditional paid_on approved_by | both
equation to_pay total | no advance
dc receipts_total total | part
dc allowance total | part
conditional receipts_total receipts | none
""",
    ),
    "receipts": table(
        """
ucc receipt | key
ind claim_no | of which
equation amount_eur amount rate | changed
fd currency rate | rates
fd category gl_account | accounts
conditional category guests | meals only
conditional original amount | from 250 on
reference spent_on claims.left_on | while away
reference spent_on claims.back_on | while away
reference amount_eur claims.receipts_total | part
""",
        """
fd rate currency | rates
conditional currency original | euro
conditional original currency | paper
conditional currency rate | one
conditional currency amount amount_eur | dearer
conditional gl_account guests | meals
conditional category gl_account | accounts
reference spent_on claims.submitted_on | before
reference amount_eur claims.total | part
dc receipt claim_no | x
""",
    ),
}

MUSEUM = {
    "objects": table(
        """
ucc accession_no | key
equation accession_no acquired | the year in it
equation acquisition_year acquired | year
conditional how_acquired donor | not bought
conditional how_acquired purchase_price | bought
dc maker_born maker_died | life
equation maker_lived maker_died maker_born | difference
dc maker_born made_from | life
dc made_from made_to | range
dc made_to maker_died | life
equation century made_to | century
equation area_cm2 height_cm width_cm | product
equation framed_height_cm height_cm | frame
equation framed_width_cm width_cm | frame
conditional framed_height_cm framed_width_cm | both
fd location location_type | lookup
fd location target_temp | lookup
equation premium insured_value | per mille
conditional on_display location_type | in a gallery
conditional framed_height_cm depth_cm | flat ones
""",
        """
equation accession_no acquisition_year | year in it
conditional donor purchase_price | either
conditional location_type on_display | in a gallery
fd target_temp location_type | lookup
conditional location on_display | in a gallery
conditional depth_cm framed_height_cm | flat ones
conditional purchase_price donor | either
conditional framed_width_cm framed_height_cm | both
conditional framed_width_cm depth_cm | flat
conditional century made_to | bands
conditional donor how_acquired | not bought
dc maker_born made_to | life
dc made_from maker_died | life
dc made_to acquisition_year | before
conditional on_display target_temp | gallery
conditional target_temp on_display | gallery
dc premium insured_value | part
""",
    ),
    "loans": table(
        """
ucc loan_no | key
equation loan_no requested | year in it
ind object | what
dc requested answered | time
dc answered begins | time
dc begins ends | time
dc ends returned | time
conditional answer refused_because | why
conditional answer begins | only if
equation days begins ends | between
equation weeks days | rounded up
equation fee weeks | 150 each
equation total fee handling | sum
conditional handling insured_for | from 100,000 on
equation days_late ends returned | between
conditional status returned | back
reference insured_for objects.insured_value | its value
conditional answer insured_for | only if
""",
        """
conditional answer status | no
conditional status answer | no
conditional status refused_because | why
conditional begins refused_because | one or other
conditional returned status | back
conditional insured_for handling | from 100,000 on
conditional status begins | only if
conditional status days_late | back
conditional answer ends | only if
conditional answer fee | only if
conditional status insured_for | only if
conditional answer days | only if
conditional answer weeks | only if
conditional answer handling | only if
conditional answer total | only if
equation total weeks handling | sum
dc handling total | part
dc fee total | part
conditional status ends | only if
conditional status fee | only if
dc weeks days | x
equation ends begins days | between
""",
    ),
}

DESKS = {
    "bikes": BIKES,
    "translations": TRANSLATIONS,
    "brokerage": BROKERAGE,
    "herd": HERD,
    "claims": CLAIMS,
    "museum": MUSEUM,
}
