"""What two further made-up businesses live by; written before they were run, in the form of known."""

from benchmarks.rules_lists.known import Table, table

MORE: dict[str, dict[str, Table]] = {
    "library": {
        "members": table(
            """
            ucc member_no | the key
            dc joined_on expires_on | time
            conditional standing suspended_on | who is suspended has been since a day
            """,
            "ucc email | people log in by it",
        ),
        "books": table(
            """
            ucc isbn | the key
            fd genre_code genre | a code stands for one genre
            equation shelf genre_code | a shelf begins with the genre's code
            """,
            "equation genre_code genre | its first letters",
        ),
        "loans": table(
            """
            ucc loan_id | the key
            ind member_no | who borrows
            ind isbn | what
            equation due_on lent_on | four weeks later
            dc lent_on returned_on | time
            conditional state returned_on | what is returned has come on a day
            reference lent_on members.joined_on | members borrow
            """,
            "dc lent_on due_on | time",
        ),
        "fines": table(
            """
            ucc fine_id | the key
            ind loan_id | for what
            equation total late_fee handling | the sum
            conditional status paid_on | what is paid was paid on a day
            dc issued_on paid_on | time
            reference member_no loans.member_no | who borrowed pays
            reference issued_on loans.due_on | not before it is late
            """,
            """
            ucc loan_id | one fine each
            ind member_no | who pays
            reference issued_on loans.lent_on | time
            reference paid_on loans.due_on | time
            """,
        ),
    },
    "fleet": {
        "vehicles": table(
            """
            ucc vehicle_id | the key
            fd model maker | a model has one maker
            fd model tank_litres | and one tank
            dc bought_on sold_on | time
            conditional status sold_on | what is sold was sold on a day
            """,
            "ucc plate | plates are given once",
        ),
        "drivers": table(
            """
            ucc driver_no | the key
            dc hired_on licence_until | time
            equation display_name first_name last_name | put together
            """,
        ),
        "fuel_logs": table(
            """
            ucc log_id | the key
            ind vehicle_id | what was filled
            ind driver_no | by whom
            equation cost litres price_per_litre | the product
            equation distance odometer_end odometer_start | the difference
            reference fuel vehicles.fuel | nobody fills the other one
            reference litres vehicles.tank_litres | no more than the tank holds
            reference filled_at vehicles.bought_on | after it was bought
            """,
            """
            reference filled_at drivers.hired_on | drivers are hired first
            dc odometer_start odometer_end | nobody drives back
            """,
        ),
        "services": table(
            """
            ucc service_id | the key
            ind vehicle_id | what was mended
            dc opened_on closed_on | time
            conditional status closed_on | a closed one has a day
            equation net parts labour | the sum
            equation gross net tax | the sum
            equation tax net | 20 % of it
            conditional kind gross | under warranty nothing is paid
            """,
            """
            reference opened_on vehicles.bought_on | after it was bought
            conditional kind net | under warranty nothing is paid
            conditional kind tax | under warranty nothing is paid
            conditional kind parts | under warranty nothing is paid
            conditional kind labour | under warranty nothing is paid
            equation gross net | 20 % on top
            """,
        ),
    },
}
