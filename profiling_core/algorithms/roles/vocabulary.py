"""The words that people name columns with, by what they say of them; kinds of words, none of a single trade."""

from collections.abc import Mapping
from types import MappingProxyType


def _words(*lines: str) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


IDENTIFYING = _words("id ids pid uid key uuid guid identifier ident pk fk sk")
NUMBERING = _words("no nr num number nbr")
CODING = _words(
    "code codes zip zipcode postcode postal plz iata icao faa iso fips sku isbn issn ean upc gtin barcode vin iban bic",
    "swift ip mac phone fax mobile tel telephone ssn plate license licence tail tailnum doi url uri slug email login",
    "username ticker symbol cusip isin abbr abbreviation lot batch serial hash checksum ref reference",
    "subject patient household stratum strata litter brood",
    "room seat desk locker aisle shelf rack bay gate platform lane pitch berth pier dock",
)
# What people tell each other apart by; such values are unique on purpose, and not because they are long.
NAMING = _words("email login username slug url uri sku isbn issn ean upc gtin vin iban doi uuid guid ssn passport")
# Parts of what people are called, which others are called as well.
PERSONAL = _words(
    "first last given family middle sur fore nick birth maiden full person customer patient guest employee student",
    "contact author user owner member",
)
# What files call the column that counts their rows.
COUNTING_ROWS = _words("rownames rowname row rows index idx rownum rowid unnamed")
CLASSING = _words(
    "type kind class category status state group level grade segment tier stage phase mode method channel priority",
    "zone band bracket tariff gender sex region country division department section rating cluster label genre",
    "outcome result reason floor storey deck",
)
# Parts of a date go round: that one is above another says nothing.
CALENDAR = _words("month day weekday dayofweek dow dom quarter week hour minute season wday mday yday doy")
# Seconds since 1970, and the like.
TIMING = _words("date dt time timestamp ts epoch at on when millis ms us ns nanos")
PROSE = _words("comment comments description desc note notes remark remarks text message title address")
COUNTING = _words("n num number count nb")
# What tells when, or how often, a row was written, whatever it says.
MAINTAINING = _words(
    "modified updated update upd changed edited touched inserted loaded synced ingested etl rowversion",
)
# What a sum of other columns is called.
TOTALLING = _words("total totals sum overall altogether gross all")
# These are a rate of what they are added to.
TAXES = _words("vat tax taxes gst mwst ust tva iva")

_UNITS = {
    # Not total, amount, balance, net and gross, which there are of goods and people as well.
    "money": _words(
        "price cost costs tax taxes vat fee fees revenue income salary wage wages pay payment payments paid budget",
        "charge charges spend spent profit debt loan bonus tip fare rent premium refund credit debit msrp bill billed",
        "acctbal money cash expense expenses earnings deposit eur usd gbp dollars euros cents turnover sales",
    ),
    "%": _words("pct percent percentage perc ratio share proportion probability prob fraction"),
    "s": _words("seconds secs sec"),
    "min": _words("minutes mins delay"),
    "h": _words("hours hrs"),
    "days": _words("days"),
    "weeks": _words("weeks"),
    "months": _words("months"),
    "years": _words("years age tenure"),
    "year": _words("year yr"),
    "length": _words(
        "km miles mi meters metres cm mm ft feet inches distance length width height depth elevation alt altitude",
        "radius diameter",
    ),
    "mass": _words("kg lb lbs grams tons weight mass"),
    "energy": _words("kwh mwh wh kcal joules"),
    "power": _words("kw mw watts hp"),
    "volume": _words("liters litres ml gallons volume"),
    "temperature": _words("temp temperature celsius fahrenheit dewp"),
    "degrees north": _words("lat latitude"),
    "degrees east": _words("lon lng long longitude"),
    "count": _words(
        "count counts cnt qty quantity units items seats population pop stock hand attempts visits stores rooms beds",
        "votes views clicks likes passengers employees inhabitants pieces boxes onhand reserved available",
    ),
    "speed": _words("speed mph kmh velocity"),
    "score": _words("score scores points marks"),
}
DEGREES = ("degrees north", "degrees east")
# These are a unit where they end a name; in front they are short for something else, as full time is.
ENDING_UNITS = _words("ft")
# These end like a unit, and are none.
WITHOUT_UNIT = _words("discount account parent current different")
UNIT_OF: Mapping[str, str] = MappingProxyType({word: unit for unit, words in _UNITS.items() for word in words})

# Words for the lesser and the greater of two things that are measured alike.
OPPOSITES = frozenset(
    {
        ("min", "max"),
        ("minimum", "maximum"),
        ("low", "high"),
        ("lower", "upper"),
        ("start", "end"),
        ("started", "ended"),
        ("begin", "end"),
        ("from", "to"),
        ("from", "until"),
        ("open", "close"),
        ("opened", "closed"),
        ("first", "last"),
        ("net", "gross"),
        ("part", "total"),
        ("sub", "total"),
        ("subtotal", "total"),
        ("used", "total"),
        ("used", "capacity"),
        ("used", "limit"),
        ("spent", "budget"),
        ("reserved", "onhand"),
        ("cost", "price"),
        ("picked", "ordered"),
        ("shipped", "ordered"),
        ("received", "ordered"),
        ("returned", "sold"),
        ("sold", "offered"),
        ("paid", "due"),
        ("approved", "claimed"),
        ("approved", "requested"),
        ("made", "attempted"),
        ("won", "played"),
        ("passed", "taken"),
        ("diastolic", "systolic"),
        ("dbp", "sbp"),
        ("min", "mean"),
        ("min", "avg"),
        ("min", "median"),
        ("mean", "max"),
        ("avg", "max"),
        ("median", "max"),
        ("bid", "ask"),
        ("wholesale", "retail"),
        ("born", "died"),
        ("birth", "death"),
        ("joined", "left"),
        ("hired", "left"),
        ("hired", "terminated"),
        ("admitted", "discharged"),
        ("issued", "expires"),
        ("created", "closed"),
        ("created", "updated"),
    }
)
