"""An SMTP server on the loopback interface that keeps the mails that it is given, as far as RFC 5321 needs it."""

import email
import socketserver
from contextlib import AbstractContextManager
from email.message import EmailMessage
from email.policy import default

from helpers.serving import serving


class Mailbox(socketserver.ThreadingTCPServer):
    """Keeps mails in order; with ``refuse`` it answers so to every one."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Session)
        self.mails: list[EmailMessage] = []
        self.refuse = ""

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.server_address[1]}?from=holdfast@shop.example&to=a@shop.example,b@shop.example"


class _Session(socketserver.StreamRequestHandler):
    server: Mailbox

    def handle(self) -> None:
        self.wfile.write(b"220 ready\r\n")
        while line := self.rfile.readline():
            word = line.split()[0].upper()
            if word == b"DATA":
                self.wfile.write(b"354 go on\r\n")
                self.wfile.write(self._kept(b"".join(iter(self.rfile.readline, b".\r\n"))))
            elif word == b"QUIT":
                self.wfile.write(b"221 bye\r\n")
                return
            else:
                self.wfile.write(b"250 ok\r\n")

    def _kept(self, data: bytes) -> bytes:
        if self.server.refuse:
            return f"{self.server.refuse}\r\n".encode()
        body = data.replace(b"\r\n..", b"\r\n.")
        self.server.mails.append(email.message_from_bytes(body, policy=default))  # type: ignore[arg-type] # of its policy
        return b"250 kept\r\n"


def open_mailbox() -> AbstractContextManager[Mailbox]:
    return serving(Mailbox())
