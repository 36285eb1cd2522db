"""What a web shop for books, a help desk, a laundry and charging of cars live by; written before they were run."""

from benchmarks.rules_lists.known import table

SECOND = {
    "bookshop": {
        "books": table(
            """
ucc isbn13 | key
ucc isbn10 | each
equation isbn10 isbn13 | nine digits of it
fd format vat_pct | 10 % printed, 20 % as download
conditional format weight_g | printed ones
conditional format stock | printed ones
conditional series volume | both
""",
            """
conditional format vat_pct | 10 % printed, 20 % as download
conditional vat_pct weight_g | printed ones
conditional vat_pct stock | printed ones
conditional weight_g stock | both
reference price sale_lines.unit_price | the same
reference format sale_lines.format | the same
reference format sale_lines.download_until | downloads
reference format sale_lines.copies | one of a download
reference format sale_lines.gift_card | not with downloads
reference vat_pct sale_lines.format | by it
reference vat_pct sale_lines.download_until | downloads
reference weight_g sale_lines.format | printed ones
reference weight_g sale_lines.download_until | printed ones
reference stock sale_lines.format | printed ones
reference stock sale_lines.download_until | printed ones
reference price sale_lines.amount | one at least
reference published_on sale_lines.download_until | before
""",
        ),
        "accounts": table(
            """
ucc account_id | key
ucc login | people log in by it
conditional tier points | bands
fd tier discount_pct | by the tier
conditional is_closed closed_on | when
dc created_on closed_on | time
""",
            """
fd points tier | bands
fd points discount_pct | bands
fd discount_pct tier | by the tier
conditional discount_pct points | bands
conditional tier discount_pct | by the tier
equation login full_name | last name in it
reference country sales.country | the same
reference discount_pct sales.discount_pct | the same
reference tier sales.discount_pct | by the tier
reference tier sales.discount | by the tier
reference discount_pct sales.discount | by the tier
reference points sales.discount_pct | by the tier
reference country sales.postage | of the country
reference created_on sales.created_at | before
reference created_on sales.refunded_at | before
reference closed_on sales.created_at | after
""",
        ),
        "sales": table(
            """
ucc sale_id | key
ind account_id | who
reference created_at accounts.created_on | after
reference created_at accounts.closed_on | before
reference country accounts.country | theirs
reference discount_pct accounts.discount_pct | theirs
reference copies sale_lines.copies | sum
reference subtotal sale_lines.amount | sum
equation discount subtotal discount_pct | per cent
conditional country postage | fee of the country
reference postage sale_lines.format | nothing for downloads alone
equation total subtotal discount postage credit_used | sum
equation points_earned total | one a euro
dc created_at refunded_at | time
conditional state refunded_at | when
conditional state refund | when
conditional state refund_reason | when
equation refund total | all of it
""",
            """
conditional refunded_at refund | both
conditional refunded_at refund_reason | both
conditional refund refund_reason | both
conditional refund total | all of it
conditional state refund total | all of it
dc discount subtotal | part
dc credit_used subtotal | part
dc refund total | all of it
dc points_earned total | one a euro
dc postage total | part
conditional discount_pct discount | none
conditional discount_pct discount subtotal | per cent
conditional discount_pct total subtotal postage credit_used | no discount
conditional discount total subtotal postage credit_used | no discount
conditional credit_used total subtotal discount postage | no credit
conditional postage total subtotal discount credit_used | no postage
fd discount_pct subtotal discount | per cent
fd subtotal discount_pct discount | per cent
fd total points_earned | one a euro
reference refunded_at accounts.created_on | after
reference discount_pct accounts.tier | by the tier
reference discount_pct accounts.points | by the tier
reference discount accounts.tier | by the tier
reference discount accounts.discount_pct | by the tier
reference discount subtotal accounts.discount_pct | by the tier
reference postage accounts.country | of the country
reference postage sale_lines.download_until | nothing for downloads alone
reference copies sale_lines.position | at least
reference copies sale_lines.sale_id | one a line at least
reference subtotal sale_lines.unit_price | part
reference country parcels.country | the same
reference created_at parcels.handed_over_at | before
reference created_at parcels.delivered_at | before
reference refunded_at parcels.handed_over_at | after
reference refunded_at parcels.delivered_at | after
reference total parcels.insured_value | the same
reference total parcels.insured | from 100 on
reference refund parcels.insured_value | the same
reference points_earned parcels.insured | from 100 on
reference state parcels.sale_id | open ones have none
reference postage parcels.sale_id | those with
""",
        ),
        "sale_lines": table(
            """
ucc sale_id position | key
ucc sale_id isbn13 | once a sale
ind sale_id | of which
ind isbn13 | which
reference format books.format | its
reference unit_price books.price | its
equation amount copies unit_price | product
conditional format copies | one of a download
conditional format download_until | downloads
reference download_until sales.created_at | 90 days
conditional format gift_card | not with downloads
""",
            """
fd isbn13 format | its
fd isbn13 unit_price | its
dc unit_price amount | one at least
conditional copies download_until | one of a download
conditional download_until gift_card | not with downloads
conditional copies amount unit_price | one
conditional format amount unit_price | one
conditional download_until amount unit_price | one
reference copies sales.copies | part
reference amount sales.subtotal | part
reference unit_price sales.subtotal | part
reference position sales.copies | at most
reference format books.vat_pct | by it
reference format books.weight_g | printed ones
reference format books.stock | printed ones
reference download_until books.format | downloads
reference download_until books.vat_pct | downloads
reference download_until books.weight_g | downloads
reference download_until books.stock | downloads
reference copies books.format | one of a download
reference copies books.weight_g | one of a download
reference copies books.stock | one of a download
reference copies books.vat_pct | one of a download
reference gift_card books.format | not with downloads
reference gift_card books.vat_pct | not with downloads
reference gift_card books.weight_g | not with downloads
reference gift_card books.stock | not with downloads
reference format sales.postage | printed ones cost
reference download_until books.published_on | later
""",
        ),
        "parcels": table(
            """
ucc parcel_no | key
ucc sale_id | one a sale
ind sale_id | of which
equation parcel_no carrier | in front
reference country sales.country | the same
conditional size weight_g | up to a kilogram
reference handed_over_at sales.created_at | after
dc handed_over_at delivered_at | time
conditional status delivered_at | when
conditional insured insured_value | when
reference insured_value sales.total | all of it
reference insured sales.total | from 100 on
""",
            """
fd weight_g size | up to a kilogram
conditional carrier parcel_no | in front
reference delivered_at sales.created_at | after
reference delivered_at sales.refunded_at | before
reference handed_over_at sales.refunded_at | before
reference sale_id sales.state | not of open ones
reference sale_id sales.postage | only with
reference country sales.postage | of the country
reference insured_value sales.refund | the same
reference insured sales.points_earned | from 100 on
reference insured_value sales.points_earned | one a euro
""",
        ),
    },
    "helpdesk": {
        "users": table(
            """
ucc user_id | key
ucc email | each
equation email first_name last_name | put together
fd department cost_centre | its
ind manager_id | is a user
conditional account left_on | when
dc hired_on left_on | time
""",
            """
fd cost_centre department | its
conditional department cost_centre | its
equation email first_name | in it
equation email last_name | in it
reference site tickets.site | the same
reference hired_on tickets.opened_at | before
reference hired_on tickets.due_at | before
reference hired_on tickets.answered_at | before
reference hired_on tickets.resolved_at | before
reference hired_on tickets.closed_at | before
reference left_on tickets.opened_at | after
""",
        ),
        "tickets": table(
            """
ucc ticket_no | key
ind user_id | whose
reference site users.site | theirs
reference opened_at users.hired_on | after
fd impact urgency priority | matrix
fd priority sla_hours | hours to solve it
equation due_at opened_at sla_hours | hours on
dc opened_at answered_at | time
dc answered_at resolved_at | time
dc resolved_at closed_at | time
conditional state answered_at | new ones are not
conditional state assignee | new ones have none
conditional state resolved_at | when
conditional state closed_at | when
conditional state resolution | when
conditional state rating | closed ones only
equation minutes_open opened_at resolved_at | full minutes
conditional breached resolved_at due_at | too late
""",
            """
fd sla_hours priority | hours to solve it
fd impact urgency sla_hours | matrix
dc opened_at due_at | time
dc opened_at resolved_at | time
dc opened_at closed_at | time
dc answered_at closed_at | time
dc answered_at due_at | in time
conditional state minutes_open | when
conditional state breached | when
conditional resolved_at resolution | both
conditional resolved_at minutes_open | both
conditional resolved_at breached | both
conditional resolution minutes_open | both
conditional resolution breached | both
conditional minutes_open breached | both
conditional answered_at assignee | both
conditional answered_at resolved_at | first
conditional assignee resolved_at | first
conditional resolved_at closed_at | first
conditional closed_at rating | closed ones only
conditional closed_at state | when
conditional resolved_at state | when
conditional priority due_at opened_at | hours on
conditional sla_hours due_at opened_at | hours on
conditional breached closed_at due_at | too late
conditional breached minutes_open | too late
conditional breached minutes_open sla_hours | too late
conditional impact priority | matrix
conditional urgency priority | matrix
conditional impact sla_hours | matrix
conditional urgency sla_hours | matrix
conditional impact priority urgency | matrix
conditional priority sla_hours | hours to solve it
equation due_at opened_at priority | by priority
reference due_at users.hired_on | after
reference answered_at users.hired_on | after
reference resolved_at users.hired_on | after
reference closed_at users.hired_on | after
reference opened_at users.left_on | before
reference opened_at worklogs.started_at | before
reference opened_at worklogs.ended_at | before
reference resolved_at worklogs.ended_at | after
reference resolved_at worklogs.started_at | after
reference closed_at worklogs.ended_at | after
reference closed_at worklogs.started_at | after
reference minutes_open worklogs.minutes | part
""",
        ),
        "worklogs": table(
            """
ucc log_id | key
ind ticket_no | of which
fd agent team | theirs
fd team hourly_rate | price
equation ended_at started_at minutes | minutes on
conditional billable cost | when
conditional billable cost minutes hourly_rate | by the hour
reference started_at tickets.opened_at | after
reference ended_at tickets.resolved_at | before
""",
            """
fd agent hourly_rate | price
fd hourly_rate team | price
dc started_at ended_at | time
ind agent | an agent
conditional team hourly_rate | price
conditional team cost minutes | price
conditional hourly_rate cost minutes | price
equation cost minutes hourly_rate | by the hour
equation cost started_at ended_at hourly_rate | by the hour
reference ended_at tickets.opened_at | after
reference started_at tickets.resolved_at | before
reference started_at tickets.closed_at | before
reference ended_at tickets.closed_at | before
reference minutes tickets.minutes_open | part
""",
        ),
    },
    "laundry": {
        "clients": table(
            """
ucc client_code | key
equation client_code kind | first letter
equation client_code tour | in it
fd kind price_per_kg | price
fd tour depot | from where
equation contract_until contract_from years | full years
""",
            """
equation client_code kind tour | in it
conditional kind client_code | first letter
conditional tour depot | from where
conditional depot tour | from where
conditional years contract_until contract_from | full years
conditional kind price_per_kg | price
fd price_per_kg kind | price
dc contract_from contract_until | time
reference tour pickups.tour | the same
reference contract_from pickups.picked_on | before
reference contract_from pickups.promised_on | before
reference contract_from pickups.returned_on | before
reference contract_until pickups.picked_on | after
reference least_charge pickups.washing | at least
reference price_per_kg pickups.net_kg pickups.washing | at least
reference depot pickups.tour | from where
""",
        ),
        "pickups": table(
            """
ucc pickup_no | key
ind client_code | whose
reference tour clients.tour | theirs
reference picked_on clients.contract_from | after
reference picked_on clients.contract_until | before
equation tare_kg trolleys | 38.5 each
equation gross_kg tare_kg net_kg | sum
reference washing clients.least_charge | at least
reference washing net_kg clients.price_per_kg | by weight
conditional service express_fee | when
conditional service express_fee washing | 30 %
reference compensation pieces.compensation | sum
equation charge washing express_fee compensation | sum
conditional service promised_on picked_on | days
dc promised_on returned_on | time
equation days_late returned_on promised_on | days over
""",
            """
fd client_code tour | theirs
fd trolleys tare_kg | 38.5 each
fd tare_kg trolleys | 38.5 each
fd service washing express_fee | 30 %
fd service picked_on promised_on | days
equation gross_kg trolleys net_kg | sum
equation client_code tour | in it
dc picked_on promised_on | time
dc picked_on returned_on | time
dc tare_kg gross_kg | part
dc net_kg gross_kg | part
dc trolleys gross_kg | part
dc trolleys tare_kg | 38.5 each
dc express_fee washing | 30 %
conditional express_fee promised_on picked_on | days
conditional days_late returned_on promised_on | in time
conditional days_late promised_on returned_on | in time
conditional service charge washing compensation | no fee
conditional express_fee charge washing compensation | no fee
conditional compensation charge washing express_fee | nothing lost
conditional service charge washing | no fee
conditional express_fee charge washing | no fee
conditional express_fee service | when
reference promised_on clients.contract_from | after
reference returned_on clients.contract_from | after
reference tour clients.depot | from where
reference washing clients.price_per_kg | by weight
reference washing net_kg clients.kind | by weight
reference washing gross_kg tare_kg clients.price_per_kg | by weight
reference compensation pieces.lost | only if something is lost
reference compensation pieces.new_price | only if something is lost
""",
        ),
        "pieces": table(
            """
ucc pickup_no article_code | key
ind pickup_no | of which
fd article_code article | its name
fd article_code new_price | its price
equation lost pieces_in pieces_out | difference
equation compensation lost new_price | product
dc pieces_out pieces_in | at most
dc rewashed pieces_out | part
""",
            """
ucc pickup_no article | once
ucc pickup_no new_price | once
fd article article_code | its code
fd article new_price | its price
fd new_price article | each has its own
fd new_price article_code | each has its own
dc lost pieces_in | part
dc rewashed pieces_in | part
dc lost compensation | more than a euro each
conditional lost compensation | when
conditional lost pieces_in pieces_out | nothing lost
conditional compensation pieces_in pieces_out | nothing lost
conditional lost compensation new_price | one
conditional article_code compensation lost | its price
conditional article compensation lost | its price
conditional new_price compensation lost | its price
conditional article_code new_price | its price
equation compensation new_price pieces_in pieces_out | product
reference compensation pickups.compensation | part
reference lost pickups.compensation | only if something is lost
""",
        ),
    },
    "charging": {
        "points": table(
            """
ucc evse_id | key
ucc serial | each
equation evse_id operator | in it
fd plug current | of which
conditional plug power_kw | how strong
conditional current power_kw | how strong
conditional status retired_on | when
dc opened_on retired_on | time
reference meter_kwh sessions.meter_end | the last
""",
            """
fd power_kw current | how strong
ucc lat | each
ucc lon | each
ucc lat lon | each
ucc meter_kwh | each
conditional plug current | of which
conditional operator evse_id | in it
conditional power_kw plug | how strong
reference current sessions.current | the same
reference current sessions.soc_start | only DC
reference current sessions.soc_end | only DC
reference plug sessions.soc_start | only DC
reference plug sessions.soc_end | only DC
reference plug sessions.current | of which
reference power_kw sessions.current | how strong
reference power_kw sessions.peak_kw | at least
reference meter_kwh sessions.meter_start | at least
reference opened_on sessions.plugged_at | before
reference opened_on sessions.charged_until | before
reference opened_on sessions.unplugged_at | before
reference retired_on sessions.plugged_at | after
reference retired_on sessions.charged_until | after
reference retired_on sessions.unplugged_at | after
reference meter_kwh sessions.kwh | part
""",
        ),
        "sessions": table(
            """
ucc session_id | key
ind evse_id | where
ind bill_no | on which
fd card_no tariff | theirs
fd tariff current ct_per_kwh | price
reference current points.current | its
reference peak_kw points.power_kw | at most
reference plugged_at points.opened_on | after
reference card_no bills.card_no | the same
reference plugged_at bills.month | of that month
dc plugged_at charged_until | time
dc charged_until unplugged_at | time
equation minutes plugged_at unplugged_at | time between
equation kwh meter_start meter_end | difference
equation energy kwh ct_per_kwh | product
conditional current minutes_over minutes | beyond one hour or four
equation blocking_fee minutes_over | 10 cents each, up to 12 euros
equation gross energy blocking_fee | sum
conditional current soc_start | only DC
conditional current soc_end | only DC
dc soc_start soc_end | it grows
conditional ended_by error_code | when
""",
            """
reference tariff bills.tariff | the same
reference plugged_at points.retired_on | before
reference charged_until points.opened_on | after
reference charged_until points.retired_on | before
reference unplugged_at points.opened_on | after
reference unplugged_at points.retired_on | before
reference plugged_at bills.issued_on | before
reference plugged_at bills.due_on | before
reference plugged_at bills.paid_on | before
reference charged_until bills.issued_on | before
reference charged_until bills.due_on | before
reference charged_until bills.paid_on | before
reference unplugged_at bills.issued_on | before
reference unplugged_at bills.due_on | before
reference unplugged_at bills.paid_on | before
reference kwh bills.kwh | part
reference gross bills.gross | part
reference energy bills.gross | part
reference blocking_fee bills.gross | part
reference meter_end points.meter_kwh | at most
reference meter_start points.meter_kwh | at most
reference kwh points.meter_kwh | part
reference current points.plug | of which
reference current points.power_kw | how strong
reference soc_start points.current | only DC
reference soc_end points.current | only DC
reference soc_start points.plug | only DC
reference soc_end points.plug | only DC
reference soc_start points.power_kw | only DC
reference soc_end points.power_kw | only DC
reference ct_per_kwh bills.tariff | price
ucc evse_id plugged_at | one at a time
ucc evse_id meter_start | it grows
ucc evse_id meter_end | it grows
ucc card_no plugged_at | one at a time
fd bill_no card_no | the same
fd bill_no tariff | the same
fd evse_id current | its
conditional tariff ct_per_kwh | price
conditional current ct_per_kwh | price
conditional current minutes_over | beyond one hour or four
conditional current energy kwh | price
conditional tariff energy kwh | price
conditional ct_per_kwh energy kwh | price
conditional soc_start soc_end | both
conditional soc_start minutes_over minutes | beyond one hour or four
conditional minutes_over blocking_fee | when
conditional minutes_over gross energy | no fee
conditional blocking_fee gross energy | no fee
dc meter_start meter_end | it grows
dc plugged_at unplugged_at | time
dc energy gross | part
dc blocking_fee gross | part
dc minutes_over minutes | part
dc kwh meter_end | part
dc blocking_fee minutes_over | 10 cents each
fd minutes_over blocking_fee | 10 cents each, up to 12 euros
fd minutes current minutes_over | beyond one hour or four
""",
        ),
        "bills": table(
            """
ucc bill_no | key
ucc card_no month | one a month
fd card_no tariff | theirs
equation issued_on month | third of the next
equation due_on issued_on | 21 days
dc issued_on paid_on | time
equation reminders paid_on due_on | one for ten days begun
conditional reminders paid_on | three while it is not paid
reference sessions sessions.bill_no | how many
reference kwh sessions.kwh | sum
reference gross sessions.gross | sum
equation net vat | 20 %
equation gross net vat | sum
""",
            """
ucc card_no issued_on | one a month
ucc card_no due_on | one a month
fd month issued_on | third of the next
fd month due_on | third of the next
fd issued_on month | third of the next
fd issued_on due_on | 21 days
fd due_on month | third of the next
fd due_on issued_on | 21 days
dc issued_on due_on | time
dc month issued_on | time
dc month due_on | time
dc month paid_on | time
dc net gross | VAT
dc vat gross | VAT
dc vat net | VAT
equation gross net | VAT
equation gross vat | VAT
equation due_on month | days on
equation reminders paid_on issued_on | one for ten days begun
conditional reminders paid_on due_on | in time
conditional reminders paid_on issued_on | in time
fd gross net | VAT
fd gross vat | VAT
fd net gross | VAT
reference tariff sessions.tariff | the same
reference card_no sessions.card_no | the same
reference month sessions.plugged_at | of that month
reference gross sessions.energy | part
reference gross sessions.blocking_fee | part
reference issued_on sessions.plugged_at | after
reference issued_on sessions.charged_until | after
reference issued_on sessions.unplugged_at | after
reference due_on sessions.plugged_at | after
reference due_on sessions.unplugged_at | after
reference due_on sessions.charged_until | after
reference paid_on sessions.plugged_at | after
reference paid_on sessions.unplugged_at | after
reference paid_on sessions.charged_until | after
reference tariff sessions.ct_per_kwh | price
reference sessions sessions.session_id | how many
""",
        ),
    },
}
