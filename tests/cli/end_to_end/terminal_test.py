"""The behaviour on a terminal."""

import codecs
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
import unittest

from petal_process import ADDRESS, LIMIT, WORDS, PetalTest, environment, has_sanitizer


# A shell that runs one command in the foreground. It reports when the command is stopped, sets the terminal as shells
# do at their prompt, and continues the command at the next line.
SHELL = """
import fcntl, os, signal, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
child = os.fork()
if child == 0:
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpgrp())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    os.execv(sys.argv[1], sys.argv[1:])
while True:
    _, status = os.waitpid(child, os.WUNTRACED)
    os.tcsetpgrp(0, os.getpgrp())
    if not os.WIFSTOPPED(status):
        sys.exit(os.waitstatus_to_exitcode(status))
    mode = termios.tcgetattr(0)
    print("stopped, echo", bool(mode[3] & termios.ECHO), flush=True)
    mode[3] |= termios.ECHO
    termios.tcsetattr(0, termios.TCSANOW, mode)
    sys.stdin.readline()
    os.tcsetpgrp(0, child)
    os.killpg(child, signal.SIGCONT)
"""


class Terminal:
    """A pseudo terminal with a command that runs on it."""

    def __init__(self, command, env, columns=100):
        self.terminal, inside = pty.openpty()
        termios.tcsetwinsize(inside, (40, columns)) if hasattr(termios, "tcsetwinsize") else None
        self.inside = inside
        self.process = subprocess.Popen(command, stdin=inside, stdout=inside, stderr=inside,
                                        env=env, start_new_session=True)
        self.shown = ""
        # A read may end within a character.
        self.decoder = codecs.getincrementaldecoder("utf-8")()

    def read(self):
        """Reads the available output; false at the end."""
        piece = os.read(self.terminal, 65536)
        self.shown += self.decoder.decode(piece)
        return bool(piece)

    def read_until(self, text, times=1):
        self.read_while(lambda: self.shown.count(text) < times, text)

    def read_until_match(self, pattern):
        self.read_while(lambda: not pattern.search(self.shown), pattern)

    def read_while(self, waits, awaited):
        end = time.monotonic() + LIMIT
        while waits():
            ready, _, _ = select.select([self.terminal], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise AssertionError(f"{awaited!r} did not come: {self.shown!r}")
            self.read()

    def write(self, text):
        os.write(self.terminal, text.encode())

    def finish(self):
        os.close(self.inside)
        status = self.process.wait(LIMIT)
        try:
            while self.read():
                pass
        except OSError:
            pass  # the other side is closed
        return status

    def echoes(self):
        return bool(termios.tcgetattr(self.terminal)[3] & termios.ECHO)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.terminal)


class TerminalTest(PetalTest):
    def open(self, *arguments, columns=100, **variables):
        variables.setdefault("TERM", "xterm")
        terminal = Terminal(self.command(*arguments), environment(**variables), columns)
        self.addCleanup(terminal.close)
        return terminal

    def test_asks_for_a_new_password_unseen(self):
        terminal = self.open("create")
        terminal.read_until("Password to encrypt")
        self.assertFalse(terminal.echoes())
        terminal.write("hunter2\n")
        terminal.read_until("again")
        terminal.write("hunter2\n")
        terminal.read_until("cannot be shown later")
        terminal.read_until("Enter skips the check")
        terminal.write("\n")
        terminal.read_until("check-words` checks")
        self.assertEqual(terminal.finish(), 0)
        self.assertNotIn("hunter2", terminal.shown)
        self.assertTrue(self.succeed("info", "--json").json["encrypted"])

    def test_asks_for_three_of_the_new_words(self):
        terminal = self.open("create", NO_COLOR="1")
        terminal.read_until("Password to encrypt")
        terminal.write("\n")
        terminal.read_until("Enter skips the check): ")
        words = dict(re.findall(r"(\d+) ([a-z]+)", terminal.shown))
        for time_asked in range(3):
            terminal.read_until("Enter skips the check): ")
            place = re.findall(r"Word (\d+)", terminal.shown)[-1]
            self.assertFalse(terminal.echoes())
            terminal.shown = ""
            if time_asked == 0:
                terminal.write("abandoned\n")
                terminal.read_until(f"That is not word {place}.")
                terminal.read_until("Enter skips the check): ")
                terminal.shown = ""
                terminal.write("?\n")
                terminal.read_until("Enter skips the check): ")
                self.assertEqual(dict(re.findall(r"(\d+) ([a-z]+)", terminal.shown.split("Word")[0])), words)
                terminal.shown = ""
            terminal.write(words[place].upper() + "\n")
        terminal.read_until("All three are right. `petal")
        terminal.read_until("receive` shows")
        self.assertEqual(terminal.finish(), 0)
        self.assertEqual(self.succeed("wallets", "--json").json["wallets"][0]["wallet"], "default")

        for arguments in ["--no-check"], ["--json"]:
            terminal = self.open("--wallet", arguments[0].strip("-"), "create", *arguments)
            if arguments == ["--no-check"]:
                terminal.read_until("Password to encrypt")
                terminal.write("\n")
            self.assertEqual(terminal.finish(), 0)
            self.assertNotIn("Enter skips", terminal.shown)

    def test_checks_typed_words_unseen(self):
        self.restore()
        for typed, answer, status in ((WORDS, "These are the words of wallet 'default' (fingerprint 73c5da0a)", 0),
                                      ("zoo " * 11 + "wrong", "do not make the keys", 1)):
            terminal = self.open("check-words")
            terminal.read_until("words")
            self.assertFalse(terminal.echoes())
            terminal.write(typed + "\n\n")
            terminal.read_until(answer)
            self.assertEqual(terminal.finish(), status)
            self.assertNotIn(typed.split()[0], terminal.shown)

    def test_notices_two_different_passwords(self):
        terminal = self.open("create")
        terminal.read_until("Password to encrypt")
        terminal.write("one\n")
        terminal.read_until("again")
        terminal.write("other\n")
        terminal.read_until("error: ")
        self.assertEqual(terminal.finish(), 1)
        self.assertEqual(self.succeed("wallets", "--json").json["wallets"], [])

    def test_takes_the_words_in_the_rows_that_create_prints(self):
        terminal = self.open("restore")
        terminal.read_until("words")
        words = WORDS.split()
        for first in range(0, 12, 4):
            row = [f"{i + 1} {words[i]}" for i in range(first, first + 4)]
            terminal.write("  ".join(row) + "\n")
            terminal.read_until(f"  {first + 4} words")
        terminal.read_until("12 words; press Enter once more, or type the others")
        terminal.write("\n")
        terminal.read_until("Password to encrypt")
        terminal.write("\n")
        terminal.read_until("73c5da0a")
        self.assertEqual(terminal.finish(), 0)
        self.assertNotIn("abandon", terminal.shown)

    def test_takes_24_words_in_two_rows_with_numbers(self):
        terminal = self.open("restore")
        terminal.read_until("words")
        words = ["abandon"] * 23 + ["art"]
        for first in 0, 12:
            row = [f"{i + 1}.{words[i]}" for i in range(first, first + 12)]
            terminal.write(" ".join(row) + "\n")
        terminal.read_until("Password to encrypt")
        terminal.write("\n")
        terminal.read_until("5436d724")
        self.assertEqual(terminal.finish(), 0)

    @unittest.skipUnless(hasattr(termios, "tcsetwinsize"), "Python before 3.11")
    def test_draws_no_qr_code_that_would_wrap(self):
        self.succeed("create")
        wide = self.open("receive")
        self.assertEqual(wide.finish(), 0)
        self.assertIn("█", wide.shown)
        *_, address, link = wide.shown.splitlines()
        self.assertEqual(link, "bitcoin:" + address, "the code has scrolled them off no screen")
        self.assertEqual(self.succeed("receive", "--qr").out.splitlines()[:2], [address, link])
        for arguments in ["receive"], ["receive", "--qr"]:
            narrow = self.open(*arguments, columns=40)
            self.assertEqual(narrow.finish(), 0)
            self.assertIn("bitcoin:bcrt1", narrow.shown)
            self.assertNotIn("█", narrow.shown)
        self.assertIn("would wrap on this terminal", narrow.shown)

    def test_deletes_a_wallet_whose_name_is_typed(self):
        self.succeed("create")
        for answer, status in ("yes", 1), ("default", 0):
            terminal = self.open("delete")
            terminal.read_until("Type its name")
            terminal.write(answer + "\n")
            self.assertEqual(terminal.finish(), status)
        self.assertEqual(self.succeed("wallets", "--json").json["wallets"], [])

    def test_renames_a_wallet_once_that_is_confirmed(self):
        self.succeed("create")
        for answer, status in ("no", 1), ("Y", 0):
            terminal = self.open("rename", "savings")
            terminal.read_until("Type yes")
            terminal.write(answer + "\n")
            self.assertEqual(terminal.finish(), status)
        self.assertEqual(self.succeed("wallets", "--json").json["wallets"][0]["wallet"], "savings")

    def test_says_what_a_rescan_costs(self):
        _, listening = self.start_node("--blocks", "30")
        self.restore()
        fresh = self.open("rescan")  # nothing is searched yet
        self.assertEqual(fresh.finish(), 0)
        self.assertNotIn("Type yes", fresh.shown)
        self.succeed("sync", "--connect", listening["address"])
        for answer, status in ("no", 1), ("yes", 0):
            terminal = self.open("rescan", "--from", "11", columns=300)
            terminal.read_until("searches 20 blocks again, from 11 to 30.")
            terminal.read_until("Type yes")
            terminal.write(answer + "\n")
            self.assertEqual(terminal.finish(), status)
            height = self.succeed("info", "--json").json["synced_height"]
            self.assertEqual(height, 30 if status else 10)
        self.assertEqual(self.open("rescan", "--yes").finish(), 0)
        self.assertIsNone(self.succeed("rescan", "--json").json["synced_height"])

    def test_asks_for_the_words(self):
        terminal = self.open("restore")
        terminal.read_until("words")
        self.assertFalse(terminal.echoes())
        terminal.write(WORDS + "\n\n")
        terminal.read_until("Password to encrypt")
        terminal.write("\n")
        terminal.read_until("73c5da0a")
        self.assertEqual(terminal.finish(), 0)
        self.assertNotIn("abandon", terminal.shown)
        self.assertFalse(self.succeed("info", "--json").json["encrypted"])

    def test_a_wrong_word_is_corrected_by_itself(self):
        terminal = self.open("restore")
        terminal.read_until("words")
        terminal.write(WORDS.replace("about", "abuot") + "\n\n")
        terminal.read_until("word 12 of 12, 'abuot', is not in the English word list")
        terminal.read_until("Word 12 again")
        self.assertFalse(terminal.echoes())
        terminal.write("zoo\n")
        terminal.read_until("wrong checksum")
        terminal.read_until("A number and the words")
        terminal.write("12 about\n")
        terminal.read_until("Password to encrypt")
        terminal.write("\n")
        terminal.read_until("73c5da0a")
        self.assertEqual(terminal.finish(), 0)

    def test_words_that_are_too_many_are_taken_out(self):
        terminal = self.open("restore")
        terminal.read_until("words")
        terminal.write(" ".join(["zoo"] * 13) + " " + WORDS + "\n")
        terminal.read_until("25 words; a mnemonic has")
        terminal.read_until("-3 to take out word 3")
        terminal.write(" ".join(f"-{number}" for number in range(1, 14)) + "\n")
        terminal.read_until("Password to encrypt")
        terminal.write("\n")
        terminal.read_until("73c5da0a")
        self.assertEqual(terminal.finish(), 0)

    def test_stops_asking_for_the_words_at_an_empty_line(self):
        terminal = self.open("restore")
        terminal.read_until("words")
        terminal.write("abandon abandon\n\n")
        terminal.read_until("2 words; a mnemonic has")
        terminal.read_until("give up")
        terminal.write("\n")
        terminal.read_until("error: no valid words were given")
        self.assertEqual(terminal.finish(), 1)

    def test_names_a_wrong_word_here_and_in_no_log(self):
        words = self.folder / "words"
        words.write_text(WORDS.replace("about", "abuot"))
        terminal = self.open("restore", "--mnemonic-file", words)
        terminal.read_until("word 12 of 12, 'abuot', is not in the English word list")
        self.assertEqual(terminal.finish(), 1)
        result = self.run_petal("restore", "--mnemonic-file", words)
        self.assertIn("word 12 of 12 is not in the English word list", result.err)

    def test_an_interrupted_prompt_gives_the_echo_back(self):
        terminal = self.open("create")
        terminal.read_until("Password to encrypt")
        terminal.process.send_signal(signal.SIGINT)
        self.assertEqual(terminal.process.wait(LIMIT), 130)
        self.assertTrue(terminal.echoes())
        self.assertEqual(terminal.finish(), 130)
        self.assertTrue(terminal.shown.endswith("error: interrupted; nothing was done\r\n"), terminal.shown)

    def test_an_interrupted_word_check_names_the_later_one(self):
        terminal = self.open("create", columns=400)
        terminal.read_until("Password to encrypt")
        terminal.write("\n")
        terminal.read_until("Enter skips the check): ")
        terminal.process.send_signal(signal.SIGINT)
        terminal.read_until("error: interrupted; the wallet is made, and `petal")
        terminal.read_until("check-words` checks its words later\r\n")
        self.assertEqual(terminal.finish(), 130)
        self.assertEqual(self.succeed("wallets", "--json").json["wallets"][0]["wallet"], "default")

    def test_an_interrupted_question_changes_nothing(self):
        _, node = self.start_node("--blocks", "121", "--pay", ADDRESS)
        self.restore()
        self.succeed("sync", "--connect", node["address"])
        before = self.succeed("balance", "--json").json["confirmed_sat"]
        payee = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"
        for words, question, done in (
                (("send", payee, "0.1", "--connect", node["address"]), "Type yes: ", "sent"),
                (("delete",), "Type its name", "deleted"),
                (("headers", "reset"), "Type yes to go on: ", "removed")):
            terminal = self.open(*words)
            terminal.read_until(question)
            terminal.process.send_signal(signal.SIGINT)
            self.assertEqual(terminal.finish(), 130)
            end = f"\r\nerror: interrupted; nothing was {done}\r\n"
            self.assertTrue(terminal.shown.endswith(end), terminal.shown)
            self.assertEqual(self.succeed("balance", "--json").json["confirmed_sat"], before)

    def test_a_regtest_node_prints_what_happens(self):
        terminal = self.open("regtest-node", "--port", "0", "--pay", ADDRESS, "--mine-every", "0.5", columns=80)
        terminal.read_until("a line for each block")
        first, *_ = terminal.shown.splitlines()
        self.assertRegex(first, r"^regtest node at 127.0.0.1:\d+, block 120, 1 payment$")
        self.assertRegex(terminal.shown, r"\nown address bcrt1q\w{38}\r\nuntil interrupted, ")
        terminal.read_until("\nblock 121 with 1 transaction, ")
        self.restore()
        self.succeed("sync", "--connect", first.split()[3].rstrip(","))
        terminal.read_until("client 1 left")
        self.assertRegex(terminal.shown, r"client 1 at 127.0.0.1:\d+: /petal:")
        self.assertRegex(terminal.shown, r"client 1 loaded a filter of [\d,]+ bytes with \d+ hash functions")
        self.assertLessEqual(max(map(len, terminal.shown.splitlines())), 80)
        terminal.process.send_signal(signal.SIGINT)
        self.assertEqual(terminal.finish(), 0)

    def test_the_demo_says_what_it_does_first(self):
        terminal = self.open("demo", "--blocks", "500")
        terminal.read_until("mining 500 blocks with payments of a new wallet")
        terminal.read_until("syncing the wallet from this node with a Bloom filter")
        terminal.read_until("and no other.")
        self.assertEqual(terminal.finish(), 0)

    @unittest.skipIf(has_sanitizer("tsan"), "ThreadSanitizer may hold SIGCONT back until the answer is typed")
    def test_a_suspended_prompt_hides_what_is_typed_when_it_goes_on(self):
        command = [sys.executable, "-c", SHELL, *self.command("create")]
        for keys in "\x1a", None:  # Ctrl-Z, which can be caught, and SIGSTOP, which cannot
            terminal = Terminal(command, environment(TERM="xterm"))
            self.addCleanup(terminal.close)
            terminal.read_until("Password to encrypt")
            if keys:
                terminal.write(keys)
                terminal.read_until("stopped, echo True")
            else:
                children = f"/proc/{terminal.process.pid}/task/{terminal.process.pid}/children"
                os.kill(int(pathlib.Path(children).read_text()), signal.SIGSTOP)
                terminal.read_until("stopped, echo False")
            terminal.write("fg\n")
            terminal.read_until("Password to encrypt", times=2)
            self.assertFalse(terminal.echoes())
            terminal.write("hunter2\n")
            terminal.read_until("again")
            terminal.write("other\n")
            terminal.read_until("the two differ")
            self.assertEqual(terminal.finish(), 1)
            self.assertTrue(terminal.echoes())
            self.assertNotIn("hunter2", terminal.shown)

    def test_asks_twice_for_a_new_passphrase(self):
        terminal = self.open("create", "--passphrase-file", "-")
        terminal.read_until("--passphrase-file: ")
        terminal.write("salt\n")
        terminal.read_until("The same again: ")
        terminal.write("salz\n")
        terminal.read_until("the two differ; nothing was done")
        self.assertEqual(terminal.finish(), 1)

    def test_makes_no_wallet_if_the_input_ends_at_the_password(self):
        terminal = self.open("create")
        terminal.read_until("Password to encrypt")
        terminal.write("\x04")  # Ctrl-D
        terminal.read_until("\nerror: no answer; nothing was done")
        self.assertEqual(terminal.finish(), 1)
        self.assertEqual(self.succeed("wallets", "--json").json["wallets"], [])

    def test_explains_a_pending_amount_once(self):
        node, listening = self.start_node()
        self.restore()
        self.pay(ADDRESS, 0.25, node)
        terminal = self.open("sync", "--wait-unconfirmed", "1", "--connect", listening["address"])
        terminal.read_until("Pending amounts are in no block yet")
        self.assertEqual(terminal.finish(), 0)
        self.assertNotIn("Pending amounts", self.succeed("balance").out)
        self.assertIn("Pending amounts", self.succeed("balance", "--explain").out)

    def test_explains_again_if_the_disk_is_full(self):
        _, listening = self.start_node("--pay", ADDRESS)
        self.restore()
        self.succeed("sync", "--connect", listening["address"])
        coin = self.succeed("utxos", "--json").json["utxos"][0]
        self.succeed("freeze", f"{coin['txid']}:{coin['vout']}")
        # Each write to a file fails.
        full = ["sh", "-c", "trap '' XFSZ; ulimit -f 0; exec \"$@\"", "sh", *self.command("balance")]
        for command, explains in (full, True), (self.command("balance"), True), (self.command("balance"), False):
            terminal = Terminal(command, environment(TERM="xterm"), 100)
            self.addCleanup(terminal.close)
            self.assertEqual(terminal.finish(), 0)
            self.assertEqual("No payment spends" in terminal.shown, explains, terminal.shown)
            self.assertNotIn("warning", terminal.shown)

    def test_ends_the_line_if_the_input_ends_at_the_words(self):
        terminal = self.open("restore")
        terminal.read_until("words")
        terminal.write("\x04")
        terminal.read_until("\nerror: ")
        self.assertEqual(terminal.finish(), 1)

    def test_encrypts_a_wallet_that_is_there(self):
        self.restore()
        terminal = self.open("encrypt")
        for _ in range(2):
            terminal.read_until(": ")
            terminal.shown = ""
            terminal.write("hunter2\n")
        terminal.read_until("is encrypted")
        self.assertEqual(terminal.finish(), 0)

        terminal = self.open("encrypt")
        terminal.read_until("The password so far: ")
        self.assertFalse(terminal.echoes())
        terminal.write("hunter3\n")
        terminal.read_until("error: wrong password")
        self.assertEqual(terminal.finish(), 4)

        for passwords, status in (["hunter3", "hunter2"], 0), (["hunter3"] * 3, 4):
            terminal = self.open("sign-message", ADDRESS, "hello")
            for question, password in zip(["Password: "] + ["Wrong password; try again: "] * 2, passwords):
                terminal.read_until(question)
                self.assertFalse(terminal.echoes())
                terminal.shown = ""
                terminal.write(password + "\n")
            self.assertEqual(terminal.finish(), status)
            self.assertEqual("error: wrong password; nothing was done" in terminal.shown, status == 4)

    def test_json_asks_nothing(self):
        terminal = self.open("create", "--json")
        terminal.read_until("}")
        self.assertEqual(terminal.finish(), 0)

    def test_shows_a_code_of_its_own_colours(self):
        self.restore()
        terminal = self.open("receive")
        terminal.read_until("\x1b[38;5;231;48;5;16m█")
        terminal.finish()
        self.assertIn("bitcoin:" + ADDRESS, terminal.shown)

    def test_respects_no_color(self):
        self.restore()
        for variables in {"NO_COLOR": "1"}, {"TERM": "dumb"}:
            terminal = self.open("receive", **variables)
            terminal.read_until("█")
            terminal.finish()
            self.assertNotIn("\x1b[", terminal.shown)

    def test_draws_the_balance_over_time(self):
        # In blocks of ten minutes: 25 hours, on two days at least.
        _, listening = self.start_node(*["--pay", ADDRESS] * 150)
        self.restore()
        self.succeed("sync", "--connect", listening["address"])
        drawn = self.open("history", LC_ALL="C.UTF-8")
        self.assertEqual(drawn.finish(), 0)
        self.assertRegex(drawn.shown, "(?m)^[▁▂▃▄▅▆▇█]+\r$")
        self.assertRegex(drawn.shown, r"\d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d, highest [0-9.]+ BTC")
        for arguments, locale in (["history"], "C"), (["history", "--since", "2009-01-03"], "C.UTF-8"):
            plain = self.open(*arguments, LC_ALL=locale)
            self.assertEqual(plain.finish(), 0)
            self.assertNotIn("highest", plain.shown)
        self.assertNotIn("highest", self.succeed("history").out)

    def test_draws_progress_in_one_line(self):
        _, listening = self.start_node("--blocks", "3000", "--pay", ADDRESS)
        self.restore()
        terminal = self.open("sync", "--connect", listening["address"])
        terminal.read_until("is synced to block 3,000")
        self.assertEqual(terminal.finish(), 0)
        self.assertIn("\r\x1b[K", terminal.shown)
        before_report = terminal.shown.split("Wallet")[0].split("\x1b[1m")[0]
        self.assertNotIn("\n", before_report)
        self.assertIn("\x1b[1mWallet", terminal.shown)

    def test_clears_the_progress_before_a_line_of_the_log(self):
        _, listening = self.start_node("--blocks", "300", "--pay", ADDRESS)
        self.restore()
        terminal = self.open("-v", "sync", "--connect", listening["address"])
        terminal.read_until("is synced to block 300")
        self.assertEqual(terminal.finish(), 0)
        self.assertIn("\r\x1b[K", terminal.shown)
        for log in re.finditer("connected to |phase |filter loaded", terminal.shown):
            before = terminal.shown[:log.start()]
            self.assertTrue(before.endswith(("\n", "\r\x1b[K")) or not before, repr(before[-80:]))


if __name__ == "__main__":
    unittest.main()
