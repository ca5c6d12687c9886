"""A SOCKS5 proxy that records the requests it gets, and misbehaves as a test wants. (RFC 1928, RFC 1929.)"""

import collections
import ipaddress
import socket

from petal_process import Server, end_of, silence
from relay import join
from wire import read_exactly

Request = collections.namedtuple("Request", "kind host port username password")

LOGIN = 2
IPV4, NAME, IPV6 = 1, 3, 4
KINDS = {IPV4: "ipv4", NAME: "name", IPV6: "ipv6"}
SUCCEEDED, HOST_UNREACHABLE = 0, 4
# The source address of connections behind the proxy, which tells them from those to the proxy.
BEYOND = "127.0.0.77"


def read_field(connection):
    return read_exactly(connection, read_exactly(connection, 1)[0])


def read_login(connection):
    """Accepts any login if the client offers one; returns the username and the password."""
    if read_exactly(connection, 1) != b"\x05" or LOGIN not in read_field(connection):
        raise OSError("no SOCKS5 with a login")
    connection.sendall(bytes([5, LOGIN]))
    read_exactly(connection, 1)
    login = read_field(connection).decode(), read_field(connection).decode()
    connection.sendall(bytes([1, 0]))
    return login


def read_request(connection):
    login = read_login(connection)
    kind = read_exactly(connection, 4)[3]
    if kind == NAME:
        host = read_field(connection).decode()
    else:
        host = str(ipaddress.ip_address(read_exactly(connection, 4 if kind == IPV4 else 16)))
    port = int.from_bytes(read_exactly(connection, 2), "big")
    return Request(KINDS[kind], host, port, *login)


def reply(code):
    return bytes([5, code, 0, IPV4]) + bytes(6)


class SocksProxy(Server):
    """Forwards to the nodes (HOST:PORT) in `hosts` by their names; other names are unknown. `requests` are in order of
    arrival."""

    def __init__(self, hosts):
        self.hosts = hosts
        self.requests = []
        super().__init__(self.forward)

    def forward(self, connection):
        request = read_request(connection)
        self.requests.append(request)
        if request.host not in self.hosts:
            connection.sendall(reply(HOST_UNREACHABLE))
            return
        target = end_of(self.hosts[request.host])
        with socket.create_connection(target, source_address=(BEYOND, 0)) as node:
            connection.sendall(reply(SUCCEEDED))
            join(connection, node)


def refusing(code):
    """For a Server: answers each request with this reply."""

    def answer(connection):
        read_request(connection)
        connection.sendall(reply(code))
        silence(connection)

    return answer


def taking_no_login(connection):
    read_exactly(connection, 1)
    read_field(connection)
    connection.sendall(b"\x05\xff")
    silence(connection)


def refusing_the_login(connection):
    read_exactly(connection, 1)
    read_field(connection)
    connection.sendall(bytes([5, LOGIN]))
    read_exactly(connection, 1)
    read_field(connection)
    read_field(connection)
    connection.sendall(b"\x01\x01")
    silence(connection)
