"""Filters in files, for any data: `filter create`, `filter add` and `filter match`."""

import pathlib
import subprocess
import time
import unittest

from petal_process import LIMIT, PetalTest


class GeneralFilterTest(PetalTest):
    def create(self, name, expected):
        file = self.folder / name
        self.succeed("filter", "create", str(file), "--expected", str(expected))
        self.assertEqual(file.stat().st_mode & 0o777, 0o600)
        return file

    def both(self):
        """A filter for peers, and one that is too large for them."""
        return self.create("small.filter", 20_000), self.create("large.filter", 100_000)

    def matches(self, file, texts):
        result = self.succeed("filter", "match", "--file", str(file), "--stdin", "--text", "--matches-only",
                              stdin="\n".join(texts))
        return [line.removeprefix("match     ") for line in result.out.splitlines()]

    def start_adding(self, file):
        """Starts a process that adds lines, and returns when it has locked the file."""
        adding = self.start("filter", "add", str(file), "--stdin", "--text", stdin=subprocess.PIPE)
        self.wait_until(lambda: f" {adding.pid} " in pathlib.Path("/proc/locks").read_text())
        return adding

    def wait_until(self, is_so):
        deadline = time.monotonic() + LIMIT
        while not is_so():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def test_hold_the_lines_that_were_added(self):
        texts = [f"https://a.example/{number}" for number in range(20_000)]
        for file in self.both():
            added = self.succeed("filter", "add", str(file), "--stdin", "--text", "--json", stdin="\n".join(texts)).json
            self.assertEqual(added["added"] + added["present"], 20_000)
            self.assertLess(added["present"], 20_000 * 0.03)
            self.assertLess(added["fpr_actual"], 0.035)
            self.assertEqual(self.matches(file, texts), texts)
            others = [f"https://b.example/{number}" for number in range(20_000)]
            self.assertAlmostEqual(len(self.matches(file, others)) / 20_000, added["fpr_actual"], delta=0.006)
            again = self.succeed("filter", "add", str(file), "--stdin", "--text", "--json", stdin="\n".join(texts)).json
            self.assertEqual((again["added"], again["present"]), (0, 20_000))

    def test_are_whole_when_a_process_that_adds_is_killed(self):
        small, large = self.both()
        for file in small, large:
            before = file.read_bytes()
            adding = self.start_adding(file)
            adding.stdin.write("https://a.example/1\nhttps://a.example/2\n")
            adding.stdin.flush()
            if file == large:  # it is changed in place, at once
                self.wait_until(lambda: self.matches(large, ["https://a.example/2"]))
            adding.kill()
            adding.wait()
            self.assertEqual(file.read_bytes() == before, file == small)
        self.assertEqual(self.matches(large, ["https://a.example/1"]), ["https://a.example/1"])
        for file in small, large:
            self.assertEqual(self.succeed("filter", "add", str(file), "text:y", "--json").json["added"], 1)

    def test_are_added_to_by_one_process_at_a_time(self):
        for file in self.both():
            first = self.start_adding(file)
            second = self.start("filter", "add", str(file), "text:x")
            status = pathlib.Path(f"/proc/{second.pid}/stat")
            self.wait_until(lambda: status.read_text().rsplit(") ", 1)[1].startswith("S"))  # it sleeps
            self.assertIsNone(second.poll())
            self.assertEqual(self.finish(first).status, 0)
            self.assertEqual(self.finish(second).status, 0)
            self.assertEqual(self.matches(file, ["x"]), ["x"])

    def test_are_not_made_where_a_file_is(self):
        file = self.create("once.filter", 10)
        self.assert_fails(self.run_petal("filter", "create", str(file), "--expected", "10", "--json"), 1, "file-exists")


if __name__ == "__main__":
    unittest.main()
