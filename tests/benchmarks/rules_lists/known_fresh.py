"""What a web shop for coffee, a veterinary practice, a shared office and crowdfunding live by; written first."""

from benchmarks.rules_lists.known import table

FRESH = {
    "coffee": {
        "products": table(
            """
ucc product_id | key
ucc ean | each article has its own
ucc name | articles are named apart
equation slug name | in small letters, with hyphens
equation price_gross price_net vat_rate | VAT is in it
fd category vat_rate | beans 7 %, equipment 19 %
conditional category roast | beans have one
conditional category weight_g | beans have one
equation price_per_kg price_gross weight_g | per 1000 g
conditional status delisted_on | when
dc listed_on delisted_on | time
""",
            """
ucc slug | as names
fd vat_rate category | beans 7 %, equipment 19 %
conditional category price_per_kg | beans have one
conditional roast weight_g | both
conditional roast price_per_kg | both
conditional weight_g price_per_kg | both
conditional vat_rate roast | beans have one
conditional vat_rate weight_g | beans have one
conditional vat_rate price_per_kg | beans have one
conditional category product_id | prefix
conditional vat_rate product_id | prefix
conditional category price_net price_gross | its rate
conditional vat_rate price_net price_gross | its rate
conditional weight_g price_gross price_per_kg | the same for a kilogram
conditional category ean | prefix
dc price_net price_gross | VAT is in it
dc price_gross price_per_kg | a kilogram at most
dc price_net price_per_kg | a kilogram at most
equation name roast | in it
equation name weight_g | in it
equation name roast weight_g | in it
equation slug roast | in it
equation slug weight_g | in it
equation slug roast weight_g | in it
reference price_gross order_items.list_price | the same
reference vat_rate order_items.vat_rate | the same
reference category order_items.grind | beans only
reference category order_items.vat_rate | its rate
""",
        ),
        "customers": table(
            """
ucc customer_id | key
ucc email | people log in by it
fd zip city | lies in it
fd city country | lies in it
conditional price_group vat_id | firms have one
equation vat_id country | in front
conditional newsletter newsletter_since | when
dc registered_at newsletter_since | time
""",
            """
ucc vat_id | each
fd zip country | lies in it
equation email first_name | in it
equation email last_name | in it
equation email first_name last_name | in it
dc birthday registered_at | time
dc birthday newsletter_since | time
conditional country vat_id | in front
conditional country zip | form
reference registered_at orders.ordered_at | before
reference country orders.ship_country | same
reference price_group orders.price_group | same
reference price_group orders.discount_code | codes are for the others
reference registered_at orders.paid_at | before
reference registered_at orders.shipped_at | before
reference registered_at orders.delivered_on | before
reference birthday orders.ordered_at | before
""",
        ),
        "orders": table(
            """
ucc order_no | key
ind customer_id | who
equation order_no ordered_at | year in it
reference ordered_at customers.registered_at | after
reference ship_country customers.country | theirs
reference price_group customers.price_group | theirs
reference item_count order_items.order_no | how many
reference goods_total order_items.line_total | sum
conditional discount_code discount | when
conditional discount_code discount goods_total | ten per cent
conditional price_group discount_code | for retail only
conditional ship_country shipping_fee | fee of the country
conditional ship_country shipping_fee goods_total | free from an amount on
equation grand_total goods_total discount shipping_fee | sum
dc ordered_at paid_at | time
dc paid_at shipped_at | time
dc shipped_at delivered_on | time
conditional status paid_at | when
conditional status shipped_at | when
conditional status delivered_on | when
conditional status cancel_reason | when
conditional shipped_at invoice_no | both
equation invoice_no order_no | put together
conditional is_gift gift_message | when
""",
            """
dc ordered_at shipped_at | time
dc ordered_at delivered_on | time
dc paid_at delivered_on | time
dc discount goods_total | part
dc discount grand_total | small
dc shipping_fee grand_total | part
ucc invoice_no | one an order
conditional status invoice_no | when
conditional paid_at cancel_reason | not both
conditional delivered_on invoice_no | both
conditional price_group discount | for retail only
conditional shipping_fee goods_total | free from an amount on
conditional discount goods_total grand_total shipping_fee | no discount
conditional discount_code goods_total grand_total shipping_fee | no discount
conditional discount_code goods_total | from ten on
conditional discount goods_total | from ten on
conditional shipping_fee goods_total grand_total discount | free
fd discount_code goods_total discount | by the code
fd ship_country goods_total shipping_fee | by country and amount
equation invoice_no ordered_at | year in it
reference item_count order_items.line_no | the last one
reference goods_total order_items.order_no order_items.line_total | sum
reference price_group order_items.rebate_pct | by the group
reference ordered_at customers.birthday | after
reference paid_at customers.registered_at | after
reference shipped_at customers.registered_at | after
reference delivered_on customers.registered_at | after
reference discount_code customers.price_group | for retail only
reference discount customers.price_group | for retail only
reference discount_code order_items.rebate_pct | not both
reference price_group customers.vat_id | firms have one
reference shipping_fee customers.country | fee of the country
reference discount_code customers.vat_id | not for firms
reference goods_total order_items.list_price | less than that is none
""",
        ),
        "order_items": table(
            """
ucc order_no line_no | key
ucc order_no product_id | once an order
ind order_no | of what
ind product_id | which
reference line_no orders.item_count | at most
reference list_price products.price_gross | theirs
reference vat_rate products.vat_rate | theirs
reference grind products.category | of beans only
reference rebate_pct orders.price_group | by the group
equation line_total quantity list_price rebate_pct | less the rebate
equation vat_included line_total vat_rate | VAT in it
""",
            """
fd product_id list_price | theirs
fd product_id vat_rate | theirs
fd order_no rebate_pct | theirs
conditional vat_rate grind | beans only
conditional rebate_pct line_total list_price quantity | less the rebate
conditional vat_rate vat_included line_total | VAT in it
conditional quantity line_total list_price | one
conditional rebate_pct line_total list_price | one at least
conditional vat_rate product_id | prefix
dc vat_included line_total | part
reference line_total orders.goods_total | part
reference vat_included orders.goods_total | part
reference vat_included orders.grand_total | part
reference list_price products.price_net | more than net
reference vat_rate products.category | by category
reference grind products.roast | of beans only
reference grind products.weight_g | of beans only
reference grind products.price_per_kg | of beans only
reference grind products.vat_rate | of beans only
reference vat_rate products.roast | by category
reference vat_rate products.weight_g | by category
reference vat_rate products.price_per_kg | by category
reference rebate_pct orders.discount_code | not both
reference rebate_pct orders.discount | not both
reference list_price products.price_per_kg | at most a kilogram
reference list_price products.weight_g products.price_per_kg | by weight
reference list_price vat_rate products.price_net | VAT is in it
""",
        ),
    },
    "vets": {
        "owners": table(
            """
ucc owner_no | key
ucc email | each
conditional email reminder_by | by email only if there is one
""",
            """
ucc phone | each
equation email last_name | in it
equation email first_name | first letter
equation email first_name last_name | in it
reference client_since animals.first_seen | before
reference client_since animals.died_on | before
reference client_since visits.visit_at | before
reference client_since visits.paid_on | before
reference client_since visits.next_due | before
""",
        ),
        "animals": table(
            """
ucc animal_id | key
ucc chip_no | each
ind owner_no | whose
fd breed species | of which
conditional species chip_no | dogs and horses have one, rabbits none
conditional species neutered | horses are not
conditional neutered neutered_on | when
conditional active died_on | when dead
dc born first_seen | time
dc born neutered_on | time
dc first_seen died_on | time
reference first_seen owners.client_since | not before
""",
            """
dc born died_on | time
dc neutered_on died_on | time
conditional breed chip_no | dogs and horses have one
conditional breed neutered | horses are not
conditional breed neutered_on | horses are not
conditional species neutered_on | horses are not
conditional species breed | of which
conditional species neutered chip_no | by species
reference died_on owners.client_since | later
reference first_seen visits.visit_at | before
reference first_seen visits.paid_on | before
reference first_seen visits.next_due | before
reference born visits.visit_at | before
reference born visits.paid_on | before
reference born visits.next_due | before
reference died_on visits.visit_at | later
reference owner_no visits.owner_no | the same
""",
        ),
        "visits": table(
            """
ucc visit_no | key
ind animal_id | whom
ind owner_no | whose
reference owner_no animals.owner_no | the animal's
reference visit_at animals.first_seen | not before
reference visit_at animals.died_on | before
conditional kind vaccine | when
conditional kind next_due | when
equation next_due visit_at | 365 days on
conditional kind anaesthesia_min | surgery and teeth
conditional kind emergency | checkups and surgery only
conditional kind fee | fixed for two
conditional emergency surcharge | 50 euros
equation vat fee surcharge | 19 %
equation total fee surcharge vat | sum
dc visit_at paid_on | time
conditional paid_by paid_on visit_at | at once, unless by invoice
""",
            """
fd animal_id owner_no | the animal's
ucc animal_id visit_at | at one time once
conditional vaccine next_due | both
conditional anaesthesia_min vaccine | not both
conditional anaesthesia_min next_due | not both
conditional kind surcharge | checkups and surgery only
conditional vaccine fee | fixed
conditional vaccine emergency | never
conditional vaccine surcharge | never
conditional next_due emergency | never
conditional next_due surcharge | never
conditional next_due fee | fixed
conditional anaesthesia_min fee | more
conditional kind vat | by fee
conditional kind total | by fee
conditional emergency vat fee | 19 % of it
conditional emergency total fee | with VAT
conditional emergency total fee vat | sum
conditional surcharge vat fee | 19 % of it
conditional surcharge total fee | with VAT
conditional surcharge total fee vat | sum
dc fee total | part
dc vat total | part
dc surcharge total | part
dc vat fee | part
dc visit_at next_due | time
equation total fee surcharge | with VAT
equation vat total | 19 of 119
fd vat total | VAT
fd total vat | VAT
reference visit_at animals.born | after
reference visit_at owners.client_since | after
reference paid_on animals.first_seen | after
reference paid_on animals.born | after
reference paid_on owners.client_since | after
reference next_due animals.first_seen | after
reference next_due animals.born | after
reference next_due owners.client_since | after
reference kind prescriptions.visit_no | only some have one
reference visit_at prescriptions.starts_on | the same day
reference visit_at prescriptions.ends_on | not later
reference paid_on prescriptions.starts_on | not earlier
reference weight_kg prescriptions.dose_mg prescriptions.mg_per_kg | by weight
""",
        ),
        "prescriptions": table(
            """
ucc rx_no | key
ucc visit_no | one a visit
ind visit_no | of which
fd drug_code drug | its name
fd drug_code mg_per_kg | its dose
fd drug_code tablet_price | its price
reference dose_mg mg_per_kg visits.weight_kg | by weight
reference starts_on visits.visit_at | that day
equation tablets times_a_day days | product
equation ends_on starts_on days | the first day counts
equation amount tablets tablet_price | product
""",
            """
fd drug drug_code | its code
fd drug mg_per_kg | its dose
fd drug tablet_price | its price
fd mg_per_kg drug | each has its own
fd mg_per_kg drug_code | each has its own
fd mg_per_kg tablet_price | each has its own
fd tablet_price drug | each has its own
fd tablet_price drug_code | each has its own
fd tablet_price mg_per_kg | each has its own
dc starts_on ends_on | time
dc tablet_price amount | one at least
dc days tablets | one a day at least
dc times_a_day tablets | one day at least
conditional times_a_day tablets days | one a day
conditional times_a_day days tablets | one a day
conditional drug_code amount tablets | its price
conditional drug amount tablets | its price
conditional tablet_price amount tablets | its price
conditional days ends_on starts_on | days
equation amount times_a_day days tablet_price | product
reference ends_on visits.visit_at | not before
reference starts_on visits.paid_on | not after
reference visit_no visits.kind | only those of some
reference starts_on visits.vaccine | none with one
""",
        ),
    },
    "coworking": {
        "members": table(
            """
ucc member_id | key
ucc email | each
ucc card_no | each
ucc desk_no | one's own
fd plan seat_price | price
equation monthly_fee seats seat_price | product
equation deposit monthly_fee | two months
conditional plan seats | only studios have several
conditional plan desk_no | fixed ones have one
conditional plan company | studios are firms
dc joined_on notice_on | time
dc notice_on leaves_on | time
equation leaves_on notice_on | end of the next month
conditional state notice_on | when
""",
            """
fd seat_price plan | price
fd notice_on leaves_on | end of the next month
fd monthly_fee deposit | two months
fd deposit monthly_fee | two months
dc joined_on leaves_on | time
dc seat_price monthly_fee | one seat at least
dc seat_price deposit | one seat at least
dc monthly_fee deposit | two months
conditional state leaves_on | when
conditional notice_on leaves_on | both
conditional plan monthly_fee | price
conditional plan deposit | price
conditional plan monthly_fee seat_price | one seat
conditional plan deposit seat_price | two months of one seat
conditional seats monthly_fee seat_price | one seat
conditional seats deposit seat_price | two months of one seat
conditional plan monthly_fee seats | price
conditional plan deposit seats | price
conditional seat_price monthly_fee seats | price
conditional seat_price seats | only studios have several
conditional seat_price desk_no | fixed ones have one
conditional seat_price company | studios are firms
conditional seats plan company | studios are firms
conditional seats company | studios are firms
conditional seats desk_no | studios have none
conditional desk_no monthly_fee | price
conditional desk_no monthly_fee seat_price | one seat
conditional desk_no deposit | price
conditional monthly_fee desk_no | price
conditional desk_no seats | one
conditional seats monthly_fee | two cost more
conditional seats deposit | two cost more
equation deposit seats seat_price | product
equation email contact | put together
equation company contact | name in it
equation company email | name in it
reference monthly_fee invoices.base_fee | the same
reference joined_on invoices.issued_on | before
reference joined_on invoices.due_on | before
reference joined_on invoices.paid_on | before
reference joined_on invoices.month | before
reference joined_on bookings.starts_at | before
reference joined_on bookings.ends_at | before
reference leaves_on bookings.starts_at | after
reference leaves_on bookings.ends_at | after
reference leaves_on bookings.booked_at | after
reference leaves_on bookings.cancelled_at | after
reference deposit invoices.base_fee | two months
reference seat_price invoices.base_fee | one seat at least
reference seats seat_price invoices.base_fee | product
""",
        ),
        "bookings": table(
            """
ucc booking_id | key
ind member_id | who
fd room floor | where
fd room capacity | how many
fd room hourly_rate | price
dc attendees capacity | at most
equation hours starts_at ends_at | time between
equation price hours hourly_rate | product
dc booked_at starts_at | time
dc booked_at cancelled_at | time
dc cancelled_at starts_at | time
conditional status cancelled_at | when
conditional late cancelled_at starts_at | within 24 hours
conditional status late | only cancelled ones
conditional status charged price | in full when used
conditional late charged price | half when late
reference starts_at members.joined_on | not before
reference starts_at members.leaves_on | before
""",
            """
fd capacity room | each has its own
fd capacity floor | where
fd capacity hourly_rate | price
fd hourly_rate room | each has its own
fd hourly_rate capacity | each has its own
fd hourly_rate floor | where
dc starts_at ends_at | time
dc booked_at ends_at | time
dc cancelled_at ends_at | time
dc charged price | at most
conditional cancelled_at charged price | in full when used
conditional cancelled_at late | only cancelled ones
conditional late cancelled_at | only cancelled ones
conditional late charged | half when late
conditional late status charged | nothing
conditional status charged | something when used
conditional charged status | something when used
conditional charged cancelled_at | something when used
conditional status charged hours hourly_rate | in full when used
conditional status charged price late | half when late
conditional room attendees | at most
conditional capacity attendees | at most
conditional hourly_rate attendees | at most
conditional room price hours | its price
conditional room floor | where
conditional hourly_rate price hours | its price
conditional capacity price hours | its price
conditional hours price hourly_rate | an hour
conditional hours ends_at starts_at | an hour
equation price starts_at ends_at hourly_rate | product
reference ends_at members.joined_on | not before
reference ends_at members.leaves_on | before
reference booked_at members.leaves_on | before
reference cancelled_at members.leaves_on | before
""",
        ),
        "invoices": table(
            """
ucc invoice_no | key
ucc member_id month | one a month
ind member_id | whose
equation invoice_no month | in it
equation issued_on month | first of the next
equation due_on issued_on | 14 days
reference base_fee members.monthly_fee | theirs
reference issued_on members.joined_on | after
equation print_charges pages | 8 cents each
equation net base_fee room_charges print_charges | sum
equation vat net | 19 %
equation gross net vat | sum
dc issued_on paid_on | time
conditional status paid_on | when
equation days_late paid_on due_on | days over
""",
            """
ucc member_id issued_on | one a month
ucc member_id due_on | one a month
fd month issued_on | first of the next
fd month due_on | first of the next
fd issued_on month | first of the next
fd issued_on due_on | 14 days
fd due_on month | first of the next
fd due_on issued_on | 14 days
fd member_id base_fee | theirs
fd net gross | VAT
fd gross net | VAT
dc issued_on due_on | time
dc base_fee net | part
dc base_fee gross | part
dc room_charges net | part
dc room_charges gross | part
dc print_charges net | part
dc print_charges gross | part
dc net gross | VAT
dc vat gross | VAT
dc vat net | VAT
dc month issued_on | time
dc month due_on | time
dc month paid_on | time
conditional status days_late | when paid
conditional paid_on days_late | both
conditional days_late paid_on due_on | in time
conditional days_late paid_on issued_on | in time
conditional days_late due_on paid_on | in time
conditional pages print_charges | none
conditional room_charges net base_fee print_charges | none
conditional print_charges net base_fee room_charges | none
conditional pages net base_fee room_charges | none
conditional room_charges base_fee | part
conditional issued_on due_on | 14 days
equation due_on month | 14 days after the first
equation invoice_no issued_on | month in it
equation gross net | VAT
equation vat gross | VAT
equation net base_fee room_charges pages | sum
reference due_on members.joined_on | after
reference paid_on members.joined_on | after
reference month members.joined_on | after
reference base_fee members.deposit | two months
reference base_fee members.seat_price | one seat at least
reference base_fee members.seats members.seat_price | product
reference net members.monthly_fee | at least
reference gross members.monthly_fee | at least
reference net members.seat_price | at least
reference gross members.seat_price | at least
reference base_fee members.plan | by the plan
""",
        ),
    },
    "crowdfunding": {
        "campaigns": table(
            """
ucc campaign_id | key
fd subcategory category | of which
fd country currency | money
equation deadline launched_at duration_days | days on
equation funded_pct pledged goal | per cent
conditional outcome pledged goal | all or nothing
conditional outcome collected | nothing when it failed
equation platform_fee collected | 5 %
equation payout collected platform_fee | the rest
dc collected pledged | some fail
conditional outcome paid_out_on | when it was reached
equation paid_out_on deadline | 14 days on
reference pledged pledges.amount | sum
reference collected pledges.amount | sum of those collected
reference backers pledges.campaign_id | how many
""",
            """
ucc title | each
dc launched_at deadline | time
dc launched_at paid_out_on | time
dc deadline paid_out_on | time
dc platform_fee payout | 5 to 95
dc platform_fee collected | part
dc payout collected | part
dc platform_fee pledged | part
dc payout pledged | part
dc backers pledged | one each at least
conditional outcome funded_pct | 100 on
conditional outcome platform_fee | nothing
conditional outcome payout | nothing
conditional paid_out_on collected | something
conditional paid_out_on platform_fee | something
conditional paid_out_on payout | something
conditional paid_out_on funded_pct | 100 on
conditional paid_out_on pledged goal | all or nothing
conditional collected pledged goal | all or nothing
conditional payout pledged goal | all or nothing
conditional platform_fee pledged goal | all or nothing
conditional collected funded_pct | 100 on
conditional payout funded_pct | 100 on
conditional platform_fee funded_pct | 100 on
conditional collected outcome | nothing
conditional duration_days deadline launched_at | days on
conditional category subcategory | of which
conditional currency country | money
conditional country currency | money
equation payout collected | 95 %
equation payout platform_fee | 95 to 5
equation platform_fee payout collected | sum
equation paid_out_on launched_at duration_days | days on
fd collected payout | 95 %
fd collected platform_fee | 5 %
fd payout collected | 95 %
fd payout platform_fee | 5 %
reference currency pledges.currency | the same
reference launched_at pledges.pledged_at | before
reference deadline pledges.pledged_at | after
reference deadline pledges.collected_on | before
reference launched_at pledges.collected_on | before
reference paid_out_on pledges.collected_on | after
reference paid_out_on pledges.pledged_at | after
reference outcome pledges.status | by it
reference outcome pledges.collected_on | by it
reference outcome pledges.failure | by it
reference pledged pledges.reward_amount | part
reference backers pledges.backer_id | how many
reference backers pledges.pledge_id | how many
reference deadline rewards.delivery_month | before
reference launched_at rewards.delivery_month | before
reference backers rewards.claimed | part
""",
        ),
        "rewards": table(
            """
ucc reward_id | key
ucc campaign_id tier | counted in each
ucc campaign_id minimum | tiers differ in price
ind campaign_id | of which
conditional limited limit_qty | when
dc claimed limit_qty | at most
conditional ships shipping | when
reference claimed pledges.reward_id | how many
reference delivery_month campaigns.deadline | later
""",
            """
conditional tier ships | the first does not
conditional tier shipping | the first does not
reference delivery_month campaigns.launched_at | later
reference delivery_month campaigns.paid_out_on | later
reference minimum pledges.reward_amount | the same
reference minimum pledges.amount | at least
reference shipping pledges.shipping | the same
reference ships pledges.shipping | when
reference campaign_id pledges.campaign_id | the same
reference claimed campaigns.backers | part
""",
        ),
        "pledges": table(
            """
ucc pledge_id | key
ucc campaign_id backer_id | once each
ind campaign_id | of which
ind reward_id | for which
reference campaign_id rewards.campaign_id | of the same campaign
reference currency campaigns.currency | theirs
reference pledged_at campaigns.launched_at | after
reference pledged_at campaigns.deadline | before
reference reward_amount rewards.minimum | its
reference shipping rewards.shipping | its
equation amount reward_amount bonus shipping | sum
conditional status collected_on | when
conditional status failure | when
reference collected_on campaigns.deadline | after
reference status campaigns.outcome | by it
""",
            """
dc pledged_at collected_on | time
dc reward_amount amount | part
dc bonus amount | part
dc shipping amount | part
conditional reward_id reward_amount | one without
conditional reward_id shipping | nothing without
conditional collected_on failure | not both
conditional reward_id amount bonus | one and the bonus
conditional bonus amount reward_amount shipping | no bonus
conditional shipping amount reward_amount bonus | no shipping
fd reward_id reward_amount | its
fd reward_id shipping | its
fd reward_id campaign_id | its
fd campaign_id currency | theirs
ind campaign_id reward_id | of one campaign
reference amount campaigns.pledged | part
reference reward_amount campaigns.pledged | part
reference amount rewards.minimum | at least
reference shipping rewards.ships | when
reference collected_on campaigns.launched_at | after
reference collected_on campaigns.paid_out_on | before
reference pledged_at campaigns.paid_out_on | before
reference collected_on campaigns.outcome | by it
reference failure campaigns.outcome | by it
reference status campaigns.paid_out_on | by it
reference status campaigns.collected | by it
reference status campaigns.payout | by it
reference status campaigns.platform_fee | by it
reference collected_on campaigns.collected | by it
reference pledged_at rewards.delivery_month | before
reference collected_on rewards.delivery_month | before
reference status campaigns.funded_pct | by it
""",
        ),
    },
}
