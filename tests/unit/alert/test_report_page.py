"""The report: the same story on a terminal and as one page that needs nothing else and lets nothing run."""

import io
import itertools
import re
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest
from helpers.story import EVIL, fd, story
from rich.console import Console

from profiling_core.alert.brief import Brief, ShownRow
from profiling_core.alert.chart import chart
from profiling_core.alert.figures import error_text
from profiling_core.alert.message import Alert
from profiling_core.alert.report import Series, report
from profiling_core.alert.report_html import to_html, write_html
from profiling_core.alert.report_terminal import print_report


def terminal(made, width=160):
    console = Console(file=io.StringIO(), width=width, color_system=None)
    print_report(made, console)
    return console.file.getvalue()


def test_the_terminal_tells_what_arrived_what_changed_and_where_things_are():
    text = terminal(story())
    day = next(line for line in text.splitlines() if "2013-03-01" in line)
    assert "flights: 958 new, 3 changed, 2 gone, 1 rejected" in day
    assert "✕ {origin, dest} → distance broke" in day
    assert re.search(r"2013-02-28\W+nothing\W+·\W+·\W+·\W+quiet", text)
    assert "2 of 961 new rows have another distance than others with the same origin and dest, since 2013-03-01" in text
    assert "▁▁▁█▁" in text
    assert "artifacts/suites" in text
    assert "http://127.0.0.1:8080 (make up)" in text


def test_rich_markup_in_names_is_text():
    text = terminal(story(fd(("[bold red]a[/]",), "[/nope]")))
    assert "{[bold red]a[/]} → [/nope]" in text


def test_both_say_since_when_loads_are_judged_and_what_people_taught():
    made = replace(story(), judged=(f"orders: loads are judged by those before them since {EVIL}",))
    assert "orders: loads are judged by those before them since" in terminal(made, 400)
    page = Page(to_html(made))
    assert any("orders: loads are judged by those before them since" in text for text in page.texts)
    assert page.open == []


def test_an_alert_about_a_load_alone_shows_its_rows():
    brief = Brief("shop.orders: all 2 values of amount are about 100 times their usual size.", (ShownRow("1", EVIL),))
    told = Alert("shop", 2, "orders", "2013-03-02", brief.first, brief.text, brief=brief)
    page = Page(to_html(replace(story(), alerts=(told,))))
    assert any("100 times their usual size" in text for text in page.texts)
    assert any(text.startswith("1: ▶") for text in page.texts)
    assert page.open == []


class Page(HTMLParser):
    """Collects what a browser would fetch or run, the text, and whether tags close."""

    void = ("meta", "br", "img", "input", "link", "hr")

    def __init__(self, source):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.texts, self.open = [], [], [], []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *pair) for pair in attrs]
        if tag not in self.void:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def test_the_page_is_whole_and_fetches_nothing():
    source = to_html(story())
    page = Page(source)
    assert page.open == []
    assert not {"script", "link", "img", "iframe", "object", "base"} & set(page.tags)
    assert not [a for a in page.attributes if a[1] == "src" or a[1].startswith("on")]
    assert [value for _, name, value in page.attributes if name == "href"] == ["http://127.0.0.1:8080"]
    assert "url(" not in source
    assert "@import" not in source
    assert ("meta", "http-equiv", "Content-Security-Policy") in page.attributes


def test_the_page_draws_the_error_and_sets_the_disagreeing_values_apart():
    source = to_html(story())
    assert source.count("<svg") == 2
    new, old = (re.search(rf'<tr class="{role}[^>]*>.*?</tr>', source, re.DOTALL).group() for role in ("new", "older"))
    assert 'class="own differs"><span>1725</span>' in new
    assert 'class="own differs"><span>1726</span>' in old
    assert new.count("differs") == 1
    assert "Broke without an alert" in source


def test_hostile_names_and_values_are_only_ever_text():
    made = story(fd((EVIL,), "b"), new=EVIL, old=EVIL + "2")
    page = Page(to_html(made))
    assert page.open == []
    assert not {"script", "img"} & set(page.tags)
    assert not [a for a in page.attributes if a[1].startswith("on")]
    assert any("onerror=alert(1)" in text for text in page.texts)
    assert not any("\x00" in text or "\u202e" in text for text in page.texts)
    assert "49" not in "".join(page.texts).split("Day by day")[0]


def test_an_empty_report_is_a_page_too(tmp_path):
    made = report("nyc", [], {}, {}, [], {})
    assert "no days yet" in terminal(made)
    write_html(made, tmp_path / "reports" / "report.html")
    assert "None: nothing that had held" in (tmp_path / "reports" / "report.html").read_text()


def series(*points, broke=(), recovered=()):
    return Series("f" * 16, "flights", "{a} → b", "ordered pair", tuple(points), broke, recovered)


def drawn(made):
    return ET.fromstring(chart(made))


def with_class(svg, tag, name):
    return [e for e in svg.iter(tag) if name in (e.get("class") or "").split()]


def test_the_chart_steps_up_on_the_day_that_broke_it():
    svg = drawn(series(("d1", 0.0, 0), ("d2", 0.0, 0), ("d3", 0.5, 4), ("d4", 0.25, 2), broke=("d3",)))
    (line,) = with_class(svg, "path", "line")
    dots = with_class(svg, "circle", "dot")
    heights = [float(dot.get("cy")) for dot in dots]
    assert heights[0] == heights[1] > heights[3] > heights[2]
    assert line.get("d").split()[0::2].count("M") == 1
    assert re.findall(r"[MHV]", line.get("d")) == ["M", "H", "V", "H", "V", "H", "V"]
    (mark,) = with_class(svg, "line", "broke")
    assert mark.get("x1") == dots[2].get("cx")
    assert [e.text for e in with_class(svg, "text", "value")] == ["4", "2"]
    assert "d3: 4 ordered pairs, error 50 %" in [e.text for e in svg.iter("title")]


@pytest.mark.parametrize("count", [1, 2, 40, 365])
def test_labels_of_many_days_never_overlap(count):
    points = [(f"2013-{i // 28 + 1:02}-{i % 28 + 1:02}", i * 1e-9, i) for i in range(count)]
    svg = drawn(series(*points, broke=(points[count // 2][0],)))
    labels = sorted(float(e.get("x")) for e in with_class(svg, "text", "tick") if (e.text or "").startswith("2013"))
    assert all(b - a >= 70 for a, b in itertools.pairwise(labels))
    assert all(0 <= x <= 640 for x in labels)


def test_no_points_no_chart_and_a_constraint_that_always_held_has_no_scale():
    assert chart(series()) == ""
    svg = drawn(series(("d1", 0.0, 0), ("d2", 0.0, 0)))
    assert [e.text for e in with_class(svg, "text", "tick")] == ["0 · holds", "d1", "d2"]


@pytest.mark.parametrize(
    ("error", "text"),
    [(0, "0"), (1.0, "100 %"), (0.0123, "1.23 %"), (0.0001, "0.01 %"), (8.43e-8, "8.4·10⁻⁸"), (2e-7, "2·10⁻⁷")],
)
def test_errors_are_shown_as_people_read_them(error, text):
    assert error_text(error) == text
