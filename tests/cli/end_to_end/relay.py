"""Connections that are forwarded to another address."""

import contextlib
import socket
import threading

from petal_process import end_of
from wire import REGTEST, message, read_message


def copy(source, target):
    """Copies until either side ends; the target then reads the end after all data."""
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def lead_messages_to(address, on_message):
    """For a Server: forwards like lead_to, and calls `on_message` with the command of each message before forwarding
    it."""

    def answer(connection):
        with socket.create_connection(end_of(address)) as other:
            threading.Thread(target=copy, args=(other, connection), daemon=True).start()
            while True:
                command, payload = read_message(connection)
                on_message(command)
                other.sendall(message(REGTEST, command, payload))

    return answer


def join(one, other):
    back = threading.Thread(target=copy, args=(other, one), daemon=True)
    back.start()
    copy(one, other)
    back.join()


def lead_to(address):
    """For a Server: forwards connections to this node, HOST:PORT."""

    def answer(connection):
        with socket.create_connection(end_of(address)) as other:
            join(connection, other)

    return answer
