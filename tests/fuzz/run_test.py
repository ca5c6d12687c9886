"""Proves that run.py sums up the figures of runs and keeps them."""

import json
import pathlib
import tempfile
import unittest

import run

DAY = 86_400


def a_run(target="psbt", ended=20_000 * DAY, seconds=600.0, executions=60_000, edges=900, found=()):
    return {"target": target, "ended": ended, "seconds": seconds, "executions": executions, "edges": edges,
            "found": list(found)}


class Record(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.log = pathlib.Path(folder.name)
        self.table = self.log / "table.md"

    def record(self, *runs):
        lines = "".join(json.dumps(figures) + "\n" for figures in runs)
        (self.log / "runs.jsonl").write_text(lines, encoding="ascii")
        run.record(self.log, self.table)

    def lines(self):
        return [line for line in self.table.read_text(encoding="ascii").splitlines() if line.startswith("|")]

    def test_adds_up_the_runs_of_a_target(self):
        self.record(a_run(), a_run(ended=20_001 * DAY, seconds=1_200, executions=2_000_000, edges=950, found=["a", "b"]))
        self.assertEqual(self.lines()[2:], ["| psbt | 2024-10-05 | 30.0 | 2,060,000 | 1,667 | 950 | 2 |"])

    def test_adds_to_what_was_recorded_before(self):
        self.record(a_run(found=["a"]), a_run("script"))
        self.record(a_run("block"), a_run())
        self.assertEqual(self.lines()[2:], [
            "| block | 2024-10-04 | 10.0 | 60,000 | 100 | 900 | 0 |",
            "| psbt | 2024-10-04 | 20.0 | 120,000 | 100 | 900 | 1 |",
            "| script | 2024-10-04 | 10.0 | 60,000 | 100 | 900 | 0 |",
        ])

    def test_counts_no_run_twice(self):
        self.record(a_run())
        with self.assertRaises(SystemExit):
            run.record(self.log, self.table)
        self.record(a_run("script"))
        self.assertEqual([line.split(" | ")[2] for line in self.lines()[2:]], ["10.0", "10.0"])

    def test_reads_back_unknown_values(self):
        rows = {"psbt": {"target": "psbt", "last_run": "2024-10-04", "minutes": 1_234.5, "executions": 1,
                         "per_s": None, "edges": None, "found": 0}}
        run.write_record(self.table, rows)
        self.assertEqual(run.read_record(self.table), rows)

    def test_reads_its_own_table(self):
        rows = run.read_record(run.RECORD)
        rewritten = self.log / "rewritten.md"
        run.write_record(rewritten, rows)
        self.assertEqual(rewritten.read_text(encoding="ascii"), run.RECORD.read_text(encoding="ascii"))
        sources = {file.name.removesuffix("_fuzz.cpp") for file in run.HERE.glob("*_fuzz.cpp")}
        self.assertLessEqual(set(rows), sources)


class Seeds(unittest.TestCase):
    INPUTS = {b"a": {1}, b"long": {1, 2, 3, 4, 5}, b"b" * 40: {6}, b"known": {7}}

    def test_are_those_that_reach_the_most_for_their_size(self):
        self.assertEqual(run.choose_seeds(self.INPUTS, {7}, 1_000), ([b"long", b"b" * 40], 0))

    def test_have_no_room_for_everything(self):
        self.assertEqual(run.choose_seeds(self.INPUTS, {7}, 20), ([b"long"], 1))
        self.assertEqual(run.choose_seeds(self.INPUTS, {7}, 4), ([], 6))


if __name__ == "__main__":
    unittest.main()
