"""Runs the built command as other programs would. PETAL_EXECUTABLE names it."""

import functools
import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

from rpc_client import client_of, reorganise

EXECUTABLE = os.environ["PETAL_EXECUTABLE"]
LIMIT = 60  # in seconds; the commands should take less than one
WORDS = "abandon " * 11 + "about"
START_TIME = "1296689202"  # ten minutes after regtest's genesis block
PAYEE = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"  # BIP173's example; no wallet of these tests owns it
ADDRESS = "bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk"  # the first address of the wallet of WORDS


@functools.cache
def has_sanitizer(name):
    """Whether the command is built with this sanitizer, such as `asan`."""
    # The command is not read here, as the peak of another command's memory includes this program's.
    return subprocess.run(["grep", "-qF", f"__{name}_init", EXECUTABLE], check=False).returncode == 0


def environment(**more):
    """The environment of this process without variables that change petal's behaviour, and with `more`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PETAL_")}
    return {**kept, **more}


class Result:
    """The result of a finished command."""

    def __init__(self, process, out, err):
        self.status = process.returncode
        self.out = out
        self.err = err

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def code(self):
        return self.json["error"]["code"]


class PetalTest(unittest.TestCase):
    """A test with its own data folder, on regtest."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="petal-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.data = self.folder / "data"

    def command(self, *arguments):
        # A node keeps its chain in a named data folder, so two nodes cannot share one.
        folder = [] if "regtest-node" in arguments else ["--datadir", str(self.data)]
        return [EXECUTABLE, *folder, "--network", "regtest", *arguments]

    def start(self, *arguments, **options):
        """Starts a command. If it still runs at the end of the test, it is killed."""
        options.setdefault("env", environment(TMPDIR=str(self.folder)))
        process = subprocess.Popen(
            self.command(*arguments),
            stdin=options.pop("stdin", subprocess.DEVNULL),
            stdout=options.pop("stdout", subprocess.PIPE),
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        process.wait()
        for stream in process.stdin, process.stdout, process.stderr:
            if stream:
                stream.close()

    def finish(self, process):
        out, err = process.communicate(timeout=LIMIT)
        return Result(process, out, err)

    def run_petal(self, *arguments, stdin="", **options):
        process = self.start(*arguments, stdin=subprocess.PIPE, **options)
        out, err = process.communicate(stdin, timeout=LIMIT)
        return Result(process, out, err)

    def succeed(self, *arguments, **options):
        result = self.run_petal(*arguments, **options)
        self.assertEqual(result.status, 0, result.err)
        return result

    def assert_fails(self, result, status, code):
        """Expects this exit status, this error code, and a single line with the error."""
        self.assertEqual((result.status, result.code), (status, code), result.err)
        errors = [line for line in result.err.splitlines() if line.startswith("error: ")]
        self.assertEqual(errors, result.err.splitlines()[-1:])
        self.assertEqual(errors[0], "error: " + result.json["error"]["message"])

    def start_server(self, answer, *place):
        """Starts a Server that is closed with the test."""
        server = Server(answer, *place)
        self.addCleanup(server.close)
        return server

    def start_node(self, *arguments):
        """Starts a regtest node. Returns its process and the event that it printed."""
        if "--start-time" not in arguments:  # the same options then make the same chain
            arguments = ["--start-time", START_TIME, *arguments]
        if "--rpc" not in arguments:
            arguments = ["--rpc", "0", *arguments]
        node = self.start("regtest-node", "--port", "0", "--json", *arguments)
        return node, self.read_listening(node)

    def read_listening(self, node):
        """The first event of a node with --rpc. If the node has a cookie, its interface is node.rpc from then on."""
        listening = json.loads(node.stdout.readline())
        node.own_address = listening["own_address"]
        if "rpc_cookie_file" in listening:
            node.rpc = client_of(listening)
            self.addCleanup(node.rpc.close)
        return listening

    # Each of the next acts on self.node, unless another node is given.

    def pay(self, address, amount, node=None):
        """Puts a payment of an amount in BTC into the mempool. Returns its txid."""
        return (node or self.node).rpc.sendtoaddress(address, amount)

    def mine(self, count=1, node=None):
        """Mines blocks to the node's own address. Returns the new tip."""
        node = node or self.node
        [*_, tip] = node.rpc.generatetoaddress(count, node.own_address)
        return {"tip": tip, "height": node.rpc.getblockcount()}

    def reorganise(self, depth, node=None):
        """Replaces the last blocks by one more, empty ones. Returns the new tip."""
        node = node or self.node
        tip = reorganise(node.rpc, node.own_address, depth)
        return {"tip": tip, "height": node.rpc.getblockcount()}

    def lines_until(self, process, is_last):
        """The lines that a command prints, up to the first one for which `is_last(line)` is true. If it ends before, or
        takes longer than the limit, the test fails."""
        lines = []
        killer = threading.Timer(LIMIT, process.kill)
        killer.start()
        try:
            for line in process.stdout:
                lines.append(line)
                if is_last(line):
                    return lines
        finally:
            killer.cancel()
        return self.fail(f"ended too early, after {lines}: {process.stderr.read()}")

    def events_until(self, process, are_all):
        """As lines_until(), with the JSON of each line; `are_all(events)` is given those so far."""
        events = []

        def is_last(line):
            events.append(json.loads(line))
            return are_all(events)

        self.lines_until(process, is_last)
        return events

    def next_event(self, process, name, **values):
        """The next event of this name and with these values that a command prints."""

        def is_wanted(events):
            event = events[-1]
            return event.get("event") == name and all(event.get(key) == value for key, value in values.items())

        return self.events_until(process, is_wanted)[-1]

    def wait_for(self, condition, shown=lambda: "the condition did not hold in time"):
        """Waits until the condition holds. If it does not in time, the test fails with what `shown` returns."""
        end = time.monotonic() + LIMIT
        while not condition():
            if time.monotonic() > end:
                self.fail(shown())
            time.sleep(0.01)

    def restore(self, *arguments):
        return self.succeed("restore", "--mnemonic-file", "-", *arguments, stdin=WORDS)


def end_of(address):
    """The address for a socket, from HOST:PORT."""
    host, _, port = address.rpartition(":")
    return host, int(port)


class Server:
    """Serves every connection to a port of this machine with `answer(connection)`, each in a thread."""

    def __init__(self, answer, host="127.0.0.1", port=0):
        self.answer = answer
        self.connected = threading.Event()
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.listener = socket.create_server((host, port), family=family)
        self.address = "%s:%d" % self.listener.getsockname()[:2]
        self.connections = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.connections.append(connection)
            self.connected.set()
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            self.answer(connection)
            connection.shutdown(socket.SHUT_WR)  # petal then reads the end after all data
        except OSError:
            pass  # petal disconnected

    def close(self):
        # shutdown wakes the thread that waits in accept().
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for connection in self.connections:
            connection.close()


def silence(connection):
    """Reads until petal disconnects, and sends nothing."""
    while connection.recv(65536):
        pass


def interrupt(process, number=signal.SIGINT):
    process.send_signal(number)


class FollowerTest(PetalTest):
    """A restored wallet, and a node that it can follow."""

    def setUp(self):
        super().setUp()
        self.node, listening = self.start_node("--blocks", "120")
        self.address = listening["address"]
        self.restore()

    def follow(self, *arguments):
        return self.start("sync", "--follow", "--connect", self.address, *arguments)
