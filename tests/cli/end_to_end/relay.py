"""Connections that lead on to somewhere else."""

import contextlib
import socket
import threading

from petal_process import end_of


def copy(source, target):
    """Until either ends; then the target reads that behind all that came."""
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def join(one, other):
    back = threading.Thread(target=copy, args=(other, one), daemon=True)
    back.start()
    copy(one, other)
    back.join()


def lead_to(address):
    """For a Server: what comes goes to this node instead, HOST:PORT."""

    def answer(connection):
        with socket.create_connection(end_of(address)) as other:
            join(connection, other)

    return answer
