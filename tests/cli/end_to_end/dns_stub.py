"""A name server in an isolated network namespace, which answers as a test wants and records the queries. (RFC 1035;
AAAA: RFC 3596.)"""

import collections
import contextlib
import ipaddress
import socket
import struct
import threading

Question = collections.namedtuple("Question", "name type")  # the type is "A", "AAAA" or a number

TYPES = {1: "A", 28: "AAAA"}
VERSIONS = {"A": 4, "AAAA": 6}
RESPONSE, TRUNCATED, RECURSION = 0x8000, 0x0200, 0x0180
SERVER_FAILURE, NO_SUCH_NAME = 2, 3
MOST_OVER_UDP = 512


def read_question(query):
    """The question of a query, and the position of its end."""
    labels, at = [], 12
    while query[at]:
        labels.append(query[at + 1:at + 1 + query[at]].decode("ascii"))
        at += 1 + query[at]
    (kind,) = struct.unpack_from("!H", query, at + 1)
    return Question(".".join(labels).lower(), TYPES.get(kind, kind)), at + 5


def response(query, flags, records=()):
    _, end = read_question(query)
    head = query[:2] + struct.pack("!HHHHH", RESPONSE | RECURSION | flags, 1, len(records), 0, 0)
    return head + query[12:end] + b"".join(records)


def record(address):
    packed = ipaddress.ip_address(address).packed
    kind = 1 if len(packed) == 4 else 28
    # The name is a pointer to the question.
    return struct.pack("!HHHIH", 0xC00C, kind, 1, 60, len(packed)) + packed


def by_table(names):
    """Answers with the addresses of the names, and says that other names do not exist."""

    def answer(query):
        question, _ = read_question(query)
        if question.name not in names:
            return response(query, NO_SUCH_NAME)
        wanted = VERSIONS.get(question.type)
        found = [address for address in names[question.name]
                 if ipaddress.ip_address(address).version == wanted]
        return response(query, 0, [record(address) for address in found])

    return answer


def silence(query):
    """Does not answer."""


def failure(query):
    return response(query, SERVER_FAILURE)


class DnsStub:
    """Listens on port 53; `questions` are in order of arrival."""

    def __init__(self, answer):
        self.answer = answer
        self.questions = []
        self.datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.datagrams.bind(("127.0.0.1", 53))
        self.listener = socket.create_server(("127.0.0.1", 53))
        self.threads = [threading.Thread(target=serve)
                        for serve in (self.serve_datagrams, self.serve_connections)]
        for thread in self.threads:
            thread.start()

    @property
    def names(self):
        """Each name once, in the order of its first question."""
        return list(dict.fromkeys(question.name for question in self.questions))

    def respond(self, query):
        question, _ = read_question(query)
        self.questions.append(question)
        return self.answer(query)

    def serve_datagrams(self):
        while True:
            query, asker = self.datagrams.recvfrom(4096)
            if not query:
                return  # sent by close()
            answer = self.respond(query)
            if answer and len(answer) > MOST_OVER_UDP:
                answer = response(query, TRUNCATED)
            if answer:
                self.datagrams.sendto(answer, asker)

    def serve_connections(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            # The client may be gone before it gets the answer.
            with connection, contextlib.suppress(OSError):
                self.serve_connection(connection)

    def serve_connection(self, connection):
        with connection.makefile("rb") as stream:
            while head := stream.read(2):
                answer = self.respond(stream.read(*struct.unpack("!H", head)))
                if answer:
                    connection.sendall(struct.pack("!H", len(answer)) + answer)

    def close(self):
        self.datagrams.sendto(b"", self.datagrams.getsockname())
        self.listener.shutdown(socket.SHUT_RDWR)  # wakes accept()
        for thread in self.threads:
            thread.join()
        self.datagrams.close()
        self.listener.close()
