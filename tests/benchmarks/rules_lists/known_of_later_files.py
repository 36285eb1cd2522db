"""What the later made-up businesses that come as files live by; written before they were run."""

from benchmarks.rules_lists.known import Table, table

LATER_FILES: dict[str, dict[str, Table]] = {
    "auctions": {
        "auctions": table(
            """
ucc auction_id | key
reference lots lots.auction_id | count
reference hammer_total lots.hammer | sum
dc sold_lots lots | part
""",
            """
equation auction_id held_on | year in it
ucc held_on | no
reference lots lots.lot_no | last number
reference lots lots.lot_id | count
""",
        ),
        "lots": table(
            """
ucc lot_id | key
ucc auction_id lot_no | numbered
ind auction_id | of which
dc estimate_low estimate_high | range
dc first_bid_at last_bid_at | time
equation premium hammer premium_pct | per cent
equation total hammer premium | sum
conditional status hammer | sold
conditional status winner_paddle | sold
reference bids bids.lot_id | count
reference first_bid_at bids.bid_at | first
reference last_bid_at bids.bid_at | last
dc start_price hammer | at least
dc reserve hammer | at least
conditional status bids | passed without
reference first_bid_at auctions.held_on | on the day
""",
            """
reference bids bids.bid_id | count
dc reserve estimate_low | below
dc start_price estimate_low | below
dc start_price estimate_high | below
conditional status premium | sold
conditional status total | sold
conditional status premium_pct | sold
conditional premium_pct hammer | by size
conditional status first_bid_at | bids
conditional status last_bid_at | bids
reference shipped_on auctions.held_on | after
conditional first_bid_at last_bid_at | both
conditional premium_pct winner_paddle | both
reference last_bid_at auctions.held_on | on the day
reference hammer bids.amount | last
dc reserve estimate_high | below
conditional hammer winner_paddle | both
conditional winner_paddle hammer | both
conditional hammer total | both
conditional bids first_bid_at | both
dc premium total | part
dc hammer total | part
""",
        ),
        "bids": table(
            """
ucc bid_id | key
ind lot_id | on what
ucc lot_id bid_at | one at a time
reference amount lots.start_price | at least
reference bid_at lots.first_bid_at | from
""",
            """
reference bid_at lots.last_bid_at | until
reference amount lots.hammer | at most
ucc lot_id amount | rises
reference lot_id lots.bids | has
""",
        ),
    },
    "parking": {
        "citations": table(
            """
ucc citation_no | key
equation issue_date issued_at | its day
equation weekday issued_at | its weekday
fd violation_code violation_desc | lookup
fd violation_code fine | fine
equation amount_due fine late_penalty reduction | sum
equation balance amount_due amount_paid | difference
dc issue_date paid_on | after
dc issue_date hearing_on | after
dc amount_paid amount_due | no more
conditional hearing_on hearing_result | both
conditional hearing_result reduction | dismissed or halved
conditional violation_code meter_id | at a meter
conditional status balance | paid
conditional status paid_on | paid
conditional status hearing_result | dismissed
dc reduction fine | no more
""",
            """
equation issue_time issued_at | its time
fd violation_desc violation_code | same
fd violation_desc fine | same
conditional violation_desc meter_id | same
equation weekday issue_date | weekday
dc balance amount_due | part
conditional status amount_paid | paid
conditional status amount_due | dismissed
conditional paid_on amount_paid | paid
dc issued_at paid_on | after
dc issued_at hearing_on | after
dc late_penalty fine | half
conditional hearing_result status | dismissed
conditional status amount_paid amount_due | all paid
conditional hearing_result amount_due | none
conditional status reduction | dismissed
conditional status late_penalty | none
conditional status amount_due amount_paid | paid
conditional status reduction fine | all
conditional hearing_result reduction fine | all
conditional hearing_result late_penalty | none
conditional hearing_result fine reduction | all
conditional status fine reduction | all
conditional amount_paid paid_on | both
conditional violation_desc fine | same
""",
        )
    },
    "elections": {
        "results": table(
            """
ucc precinct_code | key
ucc precinct | named
equation ward precinct_code | begins with it
fd ward ward_name | named
fd ward county | lies in
equation ballots_cast ballots_in_person ballots_postal | sum
equation ballots_cast valid spoiled | sum
equation valid cand_green cand_blue cand_red cand_ind | sum
equation turnout_pct ballots_cast registered | per cent
equation blue_pct cand_blue valid | per cent
equation lead_votes winner_votes runner_up_votes | difference
dc ballots_cast registered | no more
dc runner_up_votes winner_votes | fewer
conditional recount recount_date | when
conditional recount recount_change | what of it
conditional winner cand_blue winner_votes | its votes
""",
            """
fd ward_name ward | same
fd ward_name county | same
conditional winner cand_red winner_votes | its votes
conditional winner cand_green winner_votes | its votes
conditional winner winner_votes cand_blue | its votes
conditional recount_date recount_change | both
dc valid registered | no more
dc winner_votes valid | part
dc cand_green winner_votes | no more
dc cand_blue winner_votes | no more
dc cand_red winner_votes | no more
dc cand_ind winner_votes | no more
dc cand_ind runner_up_votes | no more
dc cand_ind cand_green | no
""",
        )
    },
    "assays": {
        "samples": table(
            """
ucc sample_id | key
dc collected_at received_at | time
equation transit_h collected_at received_at | between
fd tube_type tube_color | by type
conditional rejected reject_reason | why
""",
            """
fd tube_color tube_type | same
ucc patient_hash | no
conditional hemolysed rejected | then
conditional rejected hemolysed | only then
""",
        ),
        "results": table(
            """
ucc result_id | key
ind sample_id | of which
ucc sample_id analyte | once each
fd analyte analyte_name | named
fd analyte unit | in
fd analyte ref_low | range
fd analyte ref_high | range
fd analyte lod | limit
fd run_id analyser | on which
equation value raw_value dilution | product
dc ref_low ref_high | range
dc run_at validated_at | time
conditional validated_at validated_by | both
conditional below_lod value | not told
conditional flag value ref_high | above
reference run_at samples.received_at | after
equation analyser run_id | in it
""",
            """
fd analyte_name analyte | same
fd analyte_name unit | same
fd analyte_name ref_low | same
fd analyte_name lod | same
fd lod analyte | same
fd ref_high analyte | same
fd ref_low analyte | same
conditional below_lod flag | not told
conditional value flag | both
conditional flag ref_low value | below
conditional flag value ref_low | below
reference run_at samples.collected_at | after
dc raw_value value | diluted
ucc sample_id analyte_name | same
fd lod unit | same
fd ref_high unit | same
fd ref_low ref_high | same
fd ref_high ref_low | same
fd ref_low unit | same
""",
        ),
    },
    "utilities": {
        "contracts": table(
            """
ucc contract | key
fd plan plan_name | named
fd plan standing_charge | price
fd plan unit_rate | price
dc start_date end_date | time
conditional end_date end_reason | both
conditional direct_debit iban_last4 | from where
equation plan contract | in it
""",
            """
fd plan_name plan | same
fd plan_name unit_rate | same
fd plan_name standing_charge | same
fd unit_rate plan | same
""",
        ),
        "bills": table(
            """
ucc bill_no | key
ind contract | of which
dc period_from period_to | time
dc period_to billed_on | time
dc billed_on paid_on | time
equation due_on billed_on | a fortnight
equation kwh kwh_start kwh_end | difference
equation levy kwh | each
equation net standing energy levy | sum
equation vat net | 19 %
equation gross net vat | sum
equation balance gross instalments_paid | difference
conditional refund_or_due balance | sign
reference period_from contracts.start_date | since
reference period_to contracts.end_date | until
equation bill_no period_to | year in it
equation days period_from period_to | between
ucc contract period_from | one at a time
""",
            """
ucc contract period_to | one
dc kwh_start kwh_end | counts up
equation gross net | 1.19
equation gross vat | 1.19
conditional refund_or_due paid_on | only then
conditional balance paid_on | only then
reference contract contracts.start_date | no
ucc contract kwh_start | no
ucc contract kwh_end | no
conditional refund_or_due gross instalments_paid | sign
conditional reminder_level paid_on | unpaid
dc energy net | part
""",
        ),
    },
}
