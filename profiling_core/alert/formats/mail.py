"""A message as a mail, in plain text and in HTML that fits a phone and loads nothing."""

from email.message import EmailMessage
from email.policy import SMTP

from jinja2 import Environment, PackageLoader, StrictUndefined

from profiling_core.alert.brief import Brief

_DOMAIN = "holdfast.invalid"


def mail(brief: Brief, sender: str, receivers: list[str], key: str) -> EmailMessage:
    """The mail; its subject is the decisive sentence, whole.

    Args:
        brief: the message.
        sender: the address that it comes from.
        receivers: the addresses that it goes to.
        key: the same for every attempt: mail servers know by it what they have already.
    """
    made = EmailMessage(policy=SMTP)
    made["Subject"], made["From"], made["To"] = _sendable(brief.first), sender, ", ".join(receivers)
    made["Message-ID"] = f"<{key}@{_DOMAIN}>"
    made["Auto-Submitted"] = "auto-generated"
    made.set_content(_sendable(brief.text))
    made.add_alternative(_sendable(to_html(brief)), subtype="html")
    return made


def to_html(brief: Brief) -> str:
    """The message as an HTML page, all that comes from data as text."""
    loader = PackageLoader("profiling_core.alert")
    templates = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    return templates.get_template("mail.html.j2").render(brief=brief)


def _sendable(text: str) -> str:
    """The text without lone surrogates, which no mail can hold."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
