"""Run as a program: sends what waits in an outbox, as the alert step does.

Arguments: the catalog's URL, the dataset, the receiver's URL, and ``all``, or ``die``: to be killed once the receiver
has the first message, before that is recorded. Begins when a line comes on standard input.
"""

import os
import signal
import sys
from datetime import timedelta
from functools import partial

from profiling_core.alert.channels import to_route
from profiling_core.alert.delivery import Patience, drain
from profiling_core.model.dataset import AlertRoute
from profiling_core.model.message import Attempt, Delivery
from profiling_core.state.catalog import Catalog


def main(url: str, dataset: str, receiver: str, how: str) -> None:
    send = partial(to_route, AlertRoute(url=receiver), ("127.0.0.0/8",))

    def send_and_die(delivery: Delivery) -> Attempt:
        send(delivery)
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError

    outbox = Catalog(url).outbox
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    drain(outbox, dataset, {"hook": send_and_die if how == "die" else send}, Patience(timedelta(0), timedelta(1)))


if __name__ == "__main__":
    main(*sys.argv[1:])
