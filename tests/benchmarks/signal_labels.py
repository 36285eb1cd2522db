"""Clean deltas whose alert tells of something that is so: found by looking at the rows and what the alerts say of them.

They were judged one by one, without a look at errors. What is not named here is not right, for the reason that
``WRONG`` gives where it has one.
"""

RIGHT = {
    ("flights", "2013-02-08"): "a blizzard: half of the flights cancelled, without times",
    ("flights", "2013-03-01"): "EWR to EGE is a mile shorter from this day on",
    ("flights", "2013-07-27"): "a flight over 17 miles, EWR to LGA, scheduled at 1 in the morning",
    ("flights", "2013-05-16"): "two new destinations for the summer, Nantucket and Martha's Vineyard",
    ("weather", "2013-02-12"): "a wind of 1,048 miles an hour",
    ("weather", "2013-03-27"): "a measurement without a wind speed, the first one",
    ("weather", "2013-05-22"): "a measurement without a wind speed, after two months",
    ("weather", "2013-07-04"): "a measurement without a wind speed, after six weeks",
    ("weather", "2013-07-20"): "a measurement without a wind speed, after two weeks",
    ("weather", "2013-08-22"): "a measurement without temperature and humidity, the only one",
    ("weather", "2013-02-21"): "the hour from midnight to one is missing at all three airports",
    ("weather", "2013-03-05"): "the hour from one to two is missing at two airports",
    ("football", "2016-05-01"): "matches without a result",
    ("football", "2016-05-08"): "a match without a result",
    ("house sales", "2003-04-01"): "a month of Waco with a median price, and neither sales nor their volume",
    ("storms", "1983-08-01"): "observations at 7, 11 and 17 o'clock: in eight years all were six hours apart",
    ("storms", "1987-08-01"): "a storm without a name, told by its number: the first one",
    ("bird strikes", "1993-01-01"): "a zebra dove of medium size, small in all other rows",
    ("bird strikes", "2002-06-01"): "a damage of B, where all others are words",
    ("births by state", "1978-03-01"): "births in five states on 29 February of a year that had none",
    ("movies", "1996-01-01"): "films have a running time from here on, and none had before",
    ("movies", "2006-10-01"): "a film without a title",
    ("movies", "2008-04-01"): "a film without a budget, the first one",
    ("movies", "2016-07-01"): "a film of 1916, its year misread",
    ("movies", "2027-07-01"): "a film of 1927, its year misread",
    ("movies", "2040-10-01"): "a film of 1940, its year misread",
    ("baseball teams", "1981-01-01"): "a strike: a third of the season was not played",
    ("baseball teams", "1991-01-01"): "Comiskey Park was given up for a new one",
    ("baseball teams", "1994-01-01"): "a strike: the season ended in August, without winners",
    ("baseball teams", "1995-01-01"): "a third division in each league, and wild cards",
    ("election polls", "2016-10-30"): "a pollster that asked in all states at once, for the first time",
}

WRONG = {
    ("football", "2014-07-20"): "the season begins with a part of the leagues",
    ("football", "2014-08-17"): "teams that have risen come with a new season",
    ("football", "2014-08-24"): "teams that have risen come with a new season",
    ("bird strikes", "1992-06-01"): "a strike of a parked aircraft: a phase that had not come yet",
    ("bird strikes", "1993-12-01"): "an order among costs that had held by accident",
    ("bird strikes", "1995-03-01"): "a strike in Colorado: a state that had not come yet",
    ("movies", "1993-04-01"): "the first film that was based on a game",
    ("movies", "1988-07-01"): "a quarter whose last film came in August: few films",
    ("weather", "2013-02-17"): "a day on which the wind turned from hour to hour",
    ("electricity", "2014-03-05"): "a day that grew colder from its first hour to its last",
    ("election polls", "2016-11-06"): "many polls in the week before the election, after weeks of more and more",
    ("election polls", "2016-11-13"): "the week of the election: polls of its first two days",
    ("hotel stays", "2016-08-25"): "a quiet day: twelve stays, none of them changed",
    ("hotel stays", "2016-09-03"): "all guests of a day without children",
    ("hotel stays", "2016-09-06"): "a day with more of the dearer rooms, in a month whose season differs",
    ("hotel stays", "2016-09-07"): "fewer stays as the season ends",
}
