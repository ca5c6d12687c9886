"""What a sync reports about its peers and itself, its log, and its end by a signal."""

import contextlib
import json
import os
import signal
import unittest

from petal_process import ADDRESS, PetalTest, interrupt, silence


class PeersTest(PetalTest):
    def setUp(self):
        super().setUp()
        self.succeed("create")

    def test_removes_what_was_added(self):
        said = self.succeed("peers", "add", "203.0.113.5").out
        self.assertEqual(said, "Added 203.0.113.5; the next sync dials it first.\n")
        self.assertRegex(self.succeed("peers", "remove", "203.0.113.5").out, r"^Removed 203\.0\.113\.5; .*\n$")
        self.assert_fails(self.run_petal("peers", "remove", "203.0.113.5", "--json"), 1,
                          "unknown-peer")

    def test_tells_more_with_v(self):
        node, listening = self.start_node("--blocks", "121", "--pay", ADDRESS)
        address = listening["address"]
        sync = ["sync", "--connect", address]
        self.assertEqual(self.succeed(*sync, "--json").err, "")
        self.succeed("rescan")
        told = self.succeed(*sync, "-v").err
        for part in (f"connected to {address}\n", f"{address} is /petal-regtest:", "phase done",
                     "filter loaded, 1 time in all: "):
            self.assertIn(part, told)
        self.assertNotIn("merkleblock", told)
        self.succeed("rescan")
        log = self.folder / "log"
        told = self.succeed(*sync, "-vv", "--log-file", str(log)).err
        self.assertIn(f"debug: received merkleblock, ", told)
        self.assertRegex(told, rf"debug: sent filterload, [0-9,]+ bytes, to {address}\n")
        self.assertEqual(log.stat().st_mode & 0o777, 0o600)
        lines = log.read_text().splitlines()
        for line in lines:
            self.assertRegex(line, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ ")
        self.assertEqual([line.partition(" ")[2] for line in lines], told.splitlines())
        self.run_petal("balance", "--wallet", "other", "--log-file", str(log))
        self.assertIn("Z error: there is no wallet", log.read_text().splitlines()[-1])
        refused = self.run_petal("balance", "--json", "--log-file", str(self.folder))
        self.assert_fails(refused, 1, "unwritable-file")
        self.assertIn(f"{self.folder}: Is a directory", refused.err)

    def test_a_log_ends_where_it_cannot_be_written(self):
        told = self.run_petal("balance", "--wallet", "other", "--log-file", "/dev/full").err
        self.assertEqual(told.splitlines()[0], "warning: cannot write the log to /dev/full: "
                         "No space left on device; it ends here")
        self.assertRegex(told.splitlines()[-1], "^error: there is no wallet")
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        refused = self.run_petal("balance", "--log-file", str(fifo))
        self.assertIn("no process reads this FIFO", refused.err)
        reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        # Fills the FIFO, which its reader does not read.
        writer = os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(writer, bytes(4096))
        told = self.run_petal("balance", "--wallet", "other", "--log-file", str(fifo)).err
        self.assertIn("it ends here", told.splitlines()[0])
        os.close(writer)
        os.close(reader)

    def test_tells_programs_how_far_it_is(self):
        node, listening = self.start_node("--blocks", "120")
        result = self.succeed("sync", "--json", "--progress", "json", "--connect",
                              listening["address"])
        self.assertEqual(result.json["tip"]["height"], 120)
        told = [json.loads(line) for line in result.err.splitlines()]
        self.assertEqual({line["event"] for line in told}, {"progress"})
        self.assertEqual((told[-1]["phase"], told[-1]["synced_height"]), ("done", 120))
        self.assertEqual(self.run_petal("sync", "--progress", "loud").status, 2)

    def test_signals_end_a_sync_cleanly(self):
        for number in signal.SIGINT, signal.SIGTERM:
            server = self.start_server(silence)
            process = self.start("sync", "--json", "--connect", server.address)
            self.assertTrue(server.connected.wait(30))
            interrupt(process, number)
            self.assert_fails(self.finish(process), 130, "interrupted")
            self.succeed("balance")


if __name__ == "__main__":
    unittest.main()
