"""The output on terminals of several widths, and in a pipe."""

import json
import re
import unittest

from petal_process import ADDRESS, PAYEE, PetalTest, environment
from terminal_test import Terminal

WIDTHS = (60, 80, 120)
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
TXID = re.compile(r"\b[0-9a-f]{64}\b")


class WidthsTest(PetalTest):
    def setUp(self):
        super().setUp()
        # Widths are compared with the words of a pipe, so both have the same environment.
        # Nothing is drawn that a pipe does not get.
        self.environment = environment(TERM="xterm", LC_ALL="C", TMPDIR=str(self.folder))

    def shown(self, columns, *arguments, status=0):
        """The lines that a command shows on a terminal."""
        terminal = Terminal(self.command(*arguments), self.environment, columns)
        self.addCleanup(terminal.close)
        self.assertEqual(terminal.finish(), status, terminal.shown)
        return COLOURS.sub("", terminal.shown).replace("\r\n", "\n").splitlines()

    def piped(self, *arguments, status=0):
        result = self.run_petal(*arguments, env=self.environment)
        self.assertEqual(result.status, status, result.err)
        return result.out + result.err

    def assert_fits(self, *arguments, status=0):
        """Expects that no line is wider than the terminal, unless it is a single word, and no word is broken. A table may
        shorten ids and omit columns."""
        whole = set(self.piped(*arguments, status=status).split())

        def is_whole(word):
            begin, ellipsis, end = word.partition("…")
            return word in whole or (ellipsis and any(each.startswith(begin) and each.endswith(end) for each in whole))

        for columns in WIDTHS:
            with self.subTest(arguments=arguments, columns=columns):
                lines = self.shown(columns, *arguments, status=status)
                self.assertGreater(len(lines), 0)
                wide = [line for line in lines if len(line) > columns and len(line.split()) > 1]
                self.assertEqual(wide, [])
                self.assertEqual([word for word in " ".join(lines).split() if not is_whole(word)], [])

    def commands(self):
        """The words of every command, from the helps."""
        commands = [[]]
        for command in commands:
            text = self.piped(*command, "--help")
            sections = re.findall(r"^(\S.*):\n((?:  .*\n)+)", text, re.MULTILINE)
            for title, rows in sections:
                if title == "Commands" or (not command and "option" not in title and title != "Try it"):
                    commands += [[*command, name] for name in re.findall(r"^  ([a-z][a-z-]*)(?:  .*)?$", rows, re.MULTILINE)]
        return commands

    def test_helps_fit(self):
        commands = self.commands()
        self.assertGreater(len(commands), 45)
        for command in commands:
            for columns in WIDTHS:
                lines = self.shown(columns, *command, "--help")
                self.assertLessEqual(max(map(len, lines)), columns, command)

    def test_a_missing_command_is_helped(self):
        self.assertEqual(self.shown(60, "psbt", status=2), self.shown(60, "psbt", "help"))

    def test_wallets_fit(self):
        node, listening = self.start_node("--blocks", "110", "--pay", ADDRESS, "--pay", ADDRESS)
        self.restore()
        connect = ["--connect", listening["address"]]
        self.succeed("sync", *connect)
        coin = self.succeed("utxos", "--json").json["utxos"][0]
        self.succeed("label", coin["txid"], "the rent of May, and of June in advance")
        self.succeed("freeze", f"{coin['txid']}:{coin['vout']}")
        self.succeed("send", PAYEE, "0.25", "--yes", *connect)
        self.succeed("peers", "add", "203.0.113.5", "198.51.100.7:18444")
        psbt = self.folder / "payment.psbt"
        psbt.write_text(self.succeed("psbt", "create", PAYEE, "0.1").out)
        missing = "00" * 32
        for arguments in (
            ["balance"], ["utxos"], ["history"], ["addresses"], ["wallets"], ["info"], ["peers"], ["headers", "status"],
            ["tx", coin["txid"]], ["psbt", "decode", psbt], ["psbt", "analyze", psbt],
            ["filter", "inspect", "--wallet-filter"], ["filter", "plan"],
            ["filter", "design", "--elements", "2000", "--fpr", "1e-4"],
            ["send", PAYEE, "0.1", "--dry-run"],
        ):
            self.assert_fits(*map(str, arguments))
        self.assert_fits("tx", missing, status=1)
        self.check_ids(coin["txid"])

    def check_ids(self, txid):
        """Ids are short where a terminal is narrow, and nowhere else."""
        for command, key in ("utxos", "utxos"), ("history", "transactions"):
            narrow = "\n".join(self.shown(80, command))
            self.assertIn(f"{txid[:6]}…{txid[-6:]}", narrow)
            self.assertIsNone(TXID.search(narrow))
            self.assertIn(txid, self.piped(command))
            self.assertIn(txid, "\n".join(self.shown(80, command, "--full")))
            shown = json.loads("".join(self.shown(60, command, "--json")))
            self.assertEqual(shown[key], self.succeed(command, "--json").json[key])


if __name__ == "__main__":
    unittest.main()
