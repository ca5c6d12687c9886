"""Commands whose reader reads nothing: a signal ends them although their output is blocked."""

import os
import signal
import socket
import unittest

from petal_process import LIMIT, FollowerTest, interrupt

# A pipe that has less room is not writable for poll().
PAGE = 4096


def fill(pipe):
    """Fills a pipe, given by an end of it, up to the last byte."""
    # By a file description of its own: O_NONBLOCK would apply to petal's, too.
    writer = os.open(f"/proc/self/fd/{pipe.fileno()}", os.O_WRONLY | os.O_NONBLOCK)
    try:
        while True:
            os.write(writer, b"." * PAGE)
    except BlockingIOError:
        pass
    finally:
        os.close(writer)


class FullPipeTest(FollowerTest):
    def assert_ends(self, process, number, status):
        interrupt(process, number)
        self.assertEqual(process.wait(timeout=LIMIT), status)

    def test_a_signal_ends_a_sync_whose_events_are_not_read(self):
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
            follower = self.follow("--json")
            height = self.next_event(follower, "synced")["height"]
            fill(follower.stdout)
            self.mine()
            self.assert_ends(follower, number, 130)
            self.assertIn("error: interrupted: cannot write to standard output", follower.stderr.read())
            kept = self.succeed("balance", "--json").json
            self.assertGreaterEqual(min(kept["header_height"], kept["synced_height"]), height)

    def test_a_signal_ends_a_sync_whose_log_is_not_read(self):
        follower = self.follow("--json", "-vv")
        self.next_event(follower, "synced")
        fill(follower.stderr)
        self.mine()
        self.assert_ends(follower, signal.SIGINT, 0)

    def test_a_signal_ends_a_wait_whose_log_is_not_read(self):
        waiting = self.start("wait", "--height", "1000", "--connect", self.address, "-v")
        self.assertTrue(waiting.stderr.readline())
        fill(waiting.stderr)
        self.mine()
        self.assert_ends(waiting, signal.SIGTERM, 130)

    def test_a_signal_ends_a_node_whose_first_line_is_not_read(self):
        with socket.create_server(("127.0.0.1", 0)) as unused:
            port = unused.getsockname()[1]
        reader, writer = os.pipe()
        with os.fdopen(reader) as reader, os.fdopen(writer, "wb") as writer:
            fill(reader)
            node = self.start("regtest-node", "--json", "--port", str(port), stdout=writer)

            def listens():
                with socket.socket() as client:
                    return client.connect_ex(("127.0.0.1", port)) == 0

            self.wait_for(listens)
            self.assert_ends(node, signal.SIGTERM, 130)

    def test_a_node_whose_events_are_not_read_goes_on(self):
        fill(self.node.stdout)
        self.assertEqual(self.mine(3)["height"], 123)
        self.assert_ends(self.node, signal.SIGINT, 0)

    def test_a_signal_removes_a_new_wallet_whose_words_are_not_read(self):
        reader, writer = os.pipe()
        with os.fdopen(reader) as reader, os.fdopen(writer, "wb") as writer:
            fill(reader)
            creating = self.start("create", "--wallet", "new", stdout=writer)
            self.wait_for((self.data / "regtest" / "wallets" / "new.db").exists)
            self.assert_ends(creating, signal.SIGINT, 130)
        self.assertEqual(creating.stderr.read(), "error: interrupted; no wallet was made\n")
        self.assertEqual([wallet["wallet"] for wallet in self.succeed("wallets", "--json").json["wallets"]], ["default"])


if __name__ == "__main__":
    unittest.main()
