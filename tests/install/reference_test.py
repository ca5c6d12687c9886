#!/usr/bin/env python3
"""The behaviour of petal's completion scripts in shells, and of its manual pages in groff. PETAL_REFERENCE names the
folder with the scripts and pages."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

REFERENCE = pathlib.Path(os.environ["PETAL_REFERENCE"])

BASH = """
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_petal
[ "${#COMPREPLY[@]}" -eq 0 ] || printf '%s\\n' "${COMPREPLY[@]}"
"""

# Replaces functions of zsh's completion system by functions that print the completions.
ZSH = """
script=$1
shift
words=("$@")
CURRENT=$#
offer() { print -rl -- ${(M)@:#${words[CURRENT]##*=}*} }
_describe() { [[ $1 == -o ]] && shift; local -a all=("${(@P)2}"); offer "${(@)all%%:*}" }
compadd() { offer "${(@P)2}" }
compset() { }
_message() { }
_files() {
    local -a found
    if [[ $1 == -/ ]]; then found=(*(N/)); else found=(*(N)); fi
    offer "${(@)found}"
}
source $script
"""

# (the words before the cursor, completions that must be offered, completions that must not be)
OFFERS = [
    (["petal", "s"], {"sync", "send", "sign-message"}, {"balance"}),
    (["petal", "--network", "regtest", "ba"], {"backup", "balance"}, {"sync"}),
    (["petal", "--network", "re"], {"regtest"}, {"rename"}),
    (["petal", "--wallet", "sync", "bal"], {"balance"}, set()),
    (["petal", "sync", "--c"], {"--connect", "--cross-check", "--config"}, {"--peers"}),
    (["petal", "sync", "--cross-check", ""], {"none", "sample", "all"}, {"sync"}),
    (["petal", "sync", "--json", "--progress", "j"], {"json"}, {"none"}),
    (["petal", "filter", ""], {"design", "inspect"}, {"sync", "--help"}),
    (["petal", "filter", "design", "--f"], {"--flags", "--fpr"}, {"--hex"}),
    (["petal", "labels", "im"], {"import"}, set()),
    (["petal", "labels", "import", "--b"], set(), {"--birthday"}),
    (["petal", "import", "--b"], {"--birthday"}, set()),
    (["petal", "label", "s"], set(), {"sync", "send"}),
]


def output(command, **options):
    """The standard output of a command that must succeed without any error output."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode or done.stderr:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stderr}")
    return done.stdout


class Completion:
    """The tests for all shells; self.complete(words) returns the completions that the shell offers."""

    def test_offers_commands_options_and_words(self):
        for words, offered, refused in OFFERS:
            with self.subTest(words=words):
                found = set(self.complete(words))
                self.assertLessEqual(offered, found)
                self.assertFalse(refused & found)

    def test_offers_files_and_folders(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "words.txt").touch()
            (pathlib.Path(folder) / "wallets").mkdir()
            for words, expected in (
                (["petal", "restore", "--mnemonic-file", "w"], {"words.txt", "wallets"}),
                (["petal", "psbt", "sign", "w"], {"words.txt", "wallets"}),
                (["petal", "--datadir", "w"], {"wallets"}),
                (["petal", "sync", "--connect", "w"], set()),
            ):
                with self.subTest(words=words):
                    found = {word.rstrip("/") for word in self.complete(words, cwd=folder)}
                    self.assertEqual(found, expected)


class BashTest(Completion, unittest.TestCase):
    def complete(self, words, **options):
        script = ["bash", "--norc", "-c", BASH, "bash", REFERENCE / "petal.bash", *words]
        return output(script, **options).splitlines()

    def test_the_equals_sign_is_a_word_of_its_own(self):
        self.assertEqual(self.complete(["petal", "--network", "=", "reg"]), ["regtest"])
        self.assertIn("mainnet", self.complete(["petal", "--network", "="]))
        self.assertEqual(self.complete(["petal", "--network", "=", "regtest", "bal"]), ["balance"])

    def test_words_are_quoted_for_the_shell(self):
        offered = self.complete(["petal", "psbt", "sign", "--sighash", "ALL"])
        self.assertEqual(offered, ["ALL", "ALL\\|ANYONECANPAY"])


@unittest.skipUnless(shutil.which("fish"), "there is no fish")
class FishTest(Completion, unittest.TestCase):
    def complete(self, words, **options):
        script = f"source {REFERENCE / 'petal.fish'}; complete -C \"$argv\""
        lines = output(["fish", "--no-config", "-c", script, " ".join(words)], **options)
        return [line.split("\t")[0] for line in lines.splitlines()]


@unittest.skipUnless(shutil.which("zsh"), "there is no zsh")
class ZshTest(Completion, unittest.TestCase):
    def complete(self, words, **options):
        script = ["zsh", "-f", "-c", ZSH, "zsh", REFERENCE / "_petal", *words]
        return output(script, **options).split()

    def test_the_equals_sign_parts_option_and_value(self):
        self.assertEqual(self.complete(["petal", "--network=reg"]), ["regtest"])

    def test_zsh_knows_whose_completion_it_is(self):
        self.assertTrue((REFERENCE / "_petal").read_text().startswith("#compdef petal\n"))


@unittest.skipUnless(shutil.which("groff"), "there is no groff")
class ManTest(unittest.TestCase):
    def test_groff_has_nothing_to_warn_of(self):
        pages = sorted((REFERENCE / "man1").glob("*.1"))
        self.assertIn("petal-psbt.1", [page.name for page in pages])
        for page in pages:
            with self.subTest(page=page.name):
                output(["groff", "-K", "utf8", "-man", "-ww", "-Tutf8", "-z", page])

    def test_the_pages_read_as_the_help_does(self):
        command = ["groff", "-K", "utf8", "-man", "-Tutf8", "-P-cbou", REFERENCE / "man1/petal-sync.1"]
        page = " ".join(output(command).split())
        for part in (
            "petal-sync - sync the headers and the wallet to the best chain",
            "petal sync [OPTIONS]",
            "--cross-check none|sample|all blocks to request from a second peer",
            "petal sync --connect mynode.lan --follow",
        ):
            self.assertIn(part, page)


if __name__ == "__main__":
    unittest.main()
