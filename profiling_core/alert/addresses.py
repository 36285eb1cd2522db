"""Which addresses alerts may be sent to: the public ones, and those that the configuration allows.

A URL comes from the configuration or its environment alone, but the name in it is resolved by whoever keeps its DNS.
So that nobody turns alerts into requests inside the network, a private, loopback or link-local address is refused
unless ``allow_private`` names its network. Webhooks are checked again on the connection that they are sent over.
"""

import socket
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

from profiling_core.model.errors import ConfigurationError


class ForbiddenAddressError(ConfigurationError):
    """An alert would go to an address that is not allowed."""


def check_url(url: str, allowed: Sequence[str]) -> None:
    """Raises ``ForbiddenAddressError`` where the URL's host is, or resolves to, an address that is not allowed.

    What does not resolve is left to the sender: most services' URLs hold tokens in the host's place.
    """
    for address in _addresses(_host(url)):
        check_address(address, allowed)


def check_address(address: str, allowed: Sequence[str]) -> None:
    """Raises ``ForbiddenAddressError`` where an IP address is neither public nor allowed."""
    found: IPv4Address | IPv6Address = ip_address(address.partition("%")[0])
    if isinstance(found, IPv6Address) and found.ipv4_mapped:
        found = found.ipv4_mapped
    if found.is_global and not found.is_multicast:
        return
    if not any(found in ip_network(network) for network in allowed):
        raise ForbiddenAddressError(
            f"{found} is a private address, and alerts may not be sent there",
            where="alerts.routes",
            remedy="where it is meant, name its network in alerts.allow_private of the dataset's file",
        )


def _host(url: str) -> str:
    try:
        return urlsplit(url.strip()).hostname or ""
    except ValueError:
        return ""


def _addresses(host: str) -> list[str]:
    try:
        return sorted({str(info[4][0]) for info in socket.getaddrinfo(host, None)}) if host else []
    except (OSError, UnicodeError):
        return []
