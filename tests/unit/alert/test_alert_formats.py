"""Each service gets the message in its own form: whole, with the wrong cell marked, and no value read as markup."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from helpers.mailbox import open_mailbox
from helpers.webhook import LOOPBACK, receiver  # noqa: F401 - fixture

from profiling_core.alert.brief import Action, Brief, ShownRow, brief_of
from profiling_core.alert.channels import channels, message_of
from profiling_core.alert.delivery import Patience, drain
from profiling_core.alert.formats import slack, teams
from profiling_core.alert.formats.mail import to_html
from profiling_core.alert.message import Alert
from profiling_core.model.dataset import AlertConfig
from profiling_core.state.catalog import Catalog

EVIL = "<script>x</script> <!channel> *b* [a](http://x)"
FIRST = f"shop.orders: all 84 new rows have 100 times their usual {EVIL}, since 17 – cents instead of euros?"
BRIEF = Brief(
    FIRST,
    (ShownRow("order o1", f"amount 4200, should be {EVIL}", "customer c3"), ShownRow("", "amount no value")),
    82,
    ("The rule: amount is below 100; it had held for 59 deltas.",),
    ("3 of 84 new rows have another vat",),
    7,
    "ana",
    (Action("Look after it", "holdfast incidents ack 3 --dataset shop"),),
    "https://airflow.example/holdfast/datasets/shop/incidents/3",
)


def delivered(place, brief=BRIEF, **route):
    config = AlertConfig.model_validate({"routes": [route], "allow_private": LOOPBACK})
    alert = Alert("shop", 4, "orders", "17", brief.first, brief.text, (), 3, brief)
    catalog = Catalog(f"sqlite:///{place}/catalog.db")
    catalog.migrate()
    catalog.outbox.put("shop", [message_of(alert, "4-3", config)], datetime.now(UTC))
    sent = drain(catalog.outbox, "shop", channels(config, place), Patience(timedelta(0), timedelta(1)))
    return sent["4-3"]["route 1"]


def texts(node, key="text"):
    """All texts under a key of a JSON document, in order."""
    if isinstance(node, list):
        return [text for item in node for text in texts(item, key)]
    if not isinstance(node, dict):
        return []
    own = [node[key]] if isinstance(node.get(key), str) else []
    return own + [text for value in node.values() for text in texts(value, key)]


def kinds(node):
    if isinstance(node, list):
        return {kind for item in node for kind in kinds(item)}
    if not isinstance(node, dict):
        return set()
    return {node.get("type")} | {kind for value in node.values() for kind in kinds(value)}


def test_slack_gets_blocks_in_which_nothing_is_markup(receiver, tmp_path):  # noqa: F811 - fixture
    assert delivered(tmp_path, url=receiver.url(), format="slack") == "sent"
    (request,) = receiver.received
    assert kinds(request.body["blocks"]) <= {"rich_text", "rich_text_section", "rich_text_list", "text", "link", None}
    shown = texts(request.body["blocks"])
    assert shown[0] == FIRST
    assert "<" not in request.body["text"]
    bold = [e["text"] for b in request.body["blocks"] for s in b["elements"] for e in _flat(s) if _is_bold(e)]
    assert f"▶ amount 4200, should be {EVIL}" in bold
    assert "… and 82 more rows" in shown
    assert "and 7 more" in shown
    assert "holdfast incidents ack 3 --dataset shop" in shown
    assert request.key


def _flat(section):
    return [e for item in section["elements"] for e in (_flat(item) if "elements" in item else [item])]


def _is_bold(element):
    return element.get("style", {}).get("bold")


def test_teams_gets_a_card_of_runs(receiver, tmp_path):  # noqa: F811 - fixture
    assert delivered(tmp_path, url=receiver.url(), format="teams") == "sent"
    (attachment,) = receiver.received[0].body["attachments"]
    card = attachment["content"]
    assert (card["type"], card["version"]) == ("AdaptiveCard", "1.4")
    assert kinds(card["body"]) == {"RichTextBlock", "TextRun"}
    shown = texts(card["body"])
    assert shown[0] == FIRST
    assert f"▶ amount 4200, should be {EVIL}" in shown
    command = next(block for block in card["body"] if texts(block) == [BRIEF.actions[0].command])
    assert (command["spacing"], command["inlines"][0]["size"]) == ("None", "Small")  # a line of its own on a phone
    assert card["actions"] == [{"type": "Action.OpenUrl", "title": "Open the incident", "url": BRIEF.link}]


def test_a_mail_comes_as_text_and_as_html_with_the_whole_sentence_as_its_subject(tmp_path):
    with open_mailbox() as mailbox:
        assert delivered(tmp_path, url=mailbox.url) == "sent"
    (mail,) = mailbox.mails
    assert (mail["Subject"], mail["From"]) == (FIRST, "holdfast@shop.example")
    assert mail["To"] == "a@shop.example, b@shop.example"
    assert mail["Message-ID"].endswith("@holdfast.invalid>")
    plain, html = mail.iter_parts()
    assert plain.get_content().replace("\r\n", "\n").strip() == BRIEF.text
    assert html.get_content_type() == "text/html"
    assert "<script>" not in html.get_content()
    whole = '<span style="display:inline-block;max-width:100%">--dataset</span>'  # no phone parts it
    assert whole in html.get_content()


@pytest.mark.parametrize(("answer", "said"), [("451 later", "answered 451"), ("550 no", "answered 550")])
def test_a_mail_server_that_refuses_is_a_failure(tmp_path, answer, said):
    with open_mailbox() as mailbox:
        mailbox.refuse = answer
        assert said in delivered(tmp_path, url=mailbox.url)
        assert "private address" not in said


def test_a_mail_server_without_sender_or_receiver_is_not_configured(tmp_path):
    assert delivered(tmp_path, url="smtp://127.0.0.1:25?to=a@b.example").startswith("not configured")


def test_the_host_tells_what_a_webhook_understands():
    from profiling_core.alert.channels import _payload
    from profiling_core.model.message import Delivery, DeliveryStatus

    body = {"title": "t", "text": "t", "brief": BRIEF.to_json()}
    status = DeliveryStatus.WAITING
    delivery = Delivery("shop", "k", "r", "orders", 1, body, status, 1, "", "", "", "", "")
    slack_url = "https://hooks.slack.com/services/a/b/c"
    assert _payload(slack_url, None, delivery) == slack.payload(BRIEF)
    assert _payload("https://x.westeurope.logic.azure.com/w", None, delivery) == teams.payload(BRIEF)
    assert _payload("https://hooks.example/x", None, delivery)["title"] == "t"
    assert _payload(slack_url, "json", delivery)["title"] == "t"


def test_a_message_without_parts_is_shown_by_its_lines():
    brief = brief_of({"title": "shop: a run failed", "text": "shop: a run failed\nRun x ended.\nthe disk is full"})
    assert (brief.first, brief.sentences) == ("shop: a run failed", ("Run x ended.", "the disk is full"))


def test_what_no_mail_can_hold_is_written_out():
    html = to_html(Brief("shop: \ud800 broke"))
    assert json.loads(json.dumps(html)) == html
