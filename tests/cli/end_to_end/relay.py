"""Connections that are forwarded to another address."""

import contextlib
import socket
import threading

from petal_process import end_of
from wire import REGTEST, message, read_message


def ignore(_):
    pass


def copy(source, target, on_bytes=ignore):
    """Copies until either side ends; the target then reads the end after all data. `on_bytes` is called with the number
    of bytes of each piece."""
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            on_bytes(len(data))
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


def join(one, other, on_bytes=ignore):
    back = threading.Thread(target=copy, args=(other, one, on_bytes), daemon=True)
    back.start()
    copy(one, other, on_bytes)
    back.join()


def lead_to(address, on_bytes=ignore):
    """For a Server: forwards connections to this node, HOST:PORT; `on_bytes` as for copy()."""

    def answer(connection):
        with socket.create_connection(end_of(address)) as other:
            join(connection, other, on_bytes)

    return answer
