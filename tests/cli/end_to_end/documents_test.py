"""Runs every command of README.md and docs/ as it stands there, in bash, in a network of its own where each address is
this machine's. A command of a document that is neither run nor listed in NOT_RUN fails the test."""

import ast
import json
import pathlib
import re
import shutil
import signal
import subprocess
import time
import unittest

import isolated
from petal_process import ADDRESS, EXECUTABLE, LIMIT, PAYEE, WORDS, PetalTest, environment
from terminal_test import Terminal

ROOT = pathlib.Path(__file__).resolve().parents[3]

BLOCK = re.compile(r"^```(\w*)\n([\s\S]*?)^```$|((?:^(?: {4}|\n {4})[^\n]*\n)+)", re.MULTILINE)
# The first words of a line of shell. A block that has none of them is a diagram, a file or a table.
SHELL = re.compile(r"(?:petal|\./\w+|sudo|cmake|cpack|export|ssh|bitcoin-cli|g\+\+|curl|apt|systemctl)(?!\w)")

BUILDS = "test.sh and .ci/bare_system.sh build petal, and install and pack it"
ASKS_FOR_WORDS = "asks for words at a terminal: terminal_test.py"
NEEDS_CORE = "needs Bitcoin Core's bitcoin-cli; own_node_test.py and rpc_test.py do the same"
NOT_RUN = {
    "./demo.sh": BUILDS,
    "./test.sh": BUILDS,
    "sudo cmake --install build/release": BUILDS,
    "sudo cmake --install build/release --component command": BUILDS,
    "cpack --config build/release/CPackConfig.cmake": BUILDS,
    "g++ -std=c++20 app.cpp $(pkg-config --cflags --libs petal-bloom)": "install_test.py does this",
    "ssh -N -L 48333:127.0.0.1:48333 user@node &": "needs a host to log in to",
    "bitcoin-cli getpeerinfo": NEEDS_CORE,
    "petal-bitcoind -regtest -datadir=DIR &": "bitcoind_test.py starts it",
    "bitcoin-cli -regtest -datadir=DIR -rpcwait generatetoaddress 101 bcrt1q…": "bitcoind_test.py does the same",
    "bitcoin-cli -regtest -rpcport=PORT -rpccookiefile=FILE generatetoaddress 1 bcrt1q…": NEEDS_CORE,
    "bitcoin-cli listdescriptors true | jq -r '.descriptors[].desc' | petal --wallet core restore --descriptor-file -":
        NEEDS_CORE,
    "petal sync --proxy 127.0.0.1:9050 --onion-only --connect NAME.onion": "needs Tor: proxy_test.py",
    "petal peers --census": "asks the network's DNS seeds: seeds_test.py",
    "petal restore --type wpkh --birthday 2024-05-31": ASKS_FOR_WORDS,
    "petal --wallet old restore": ASKS_FOR_WORDS,
    "petal --wallet core restore --descriptor-file -": "reads private descriptors from a terminal: descriptors_test.py",
    "petal backup - | gpg --symmetric > savings.petal.gpg": "gpg asks for a password in a window of its own",
}
# Interrupted once it has printed something, a node only at the end of the block.
ENDLESS = re.compile(r"petal (?:regtest-node|sync --follow)")
# They ask before they go on.
ASKING = re.compile(r"petal .*(?:\b(?:send|bump|sign|broadcast|rescan)\b|info --private)")


def blocks_of(text):
    """The blocks of shell in a Markdown text, each as its commands without comments."""
    for language, fenced, indented in BLOCK.findall(text):
        if language not in ("", "sh"):
            continue
        joined = re.sub(r"\\\n\s*", "", fenced or indented)
        lines = [re.sub(r"\s+#.*", "", line).strip() for line in joined.splitlines()]
        if any(SHELL.match(line) for line in lines):
            yield [line for line in lines if line]


def documents():
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


class Scene(PetalTest):
    """A folder and a node in which the commands of a block find what they name."""

    @classmethod
    def setUpClass(cls):
        isolated.enter()

    def setUp(self):
        super().setUp()
        commands = self.folder / "bin"
        commands.mkdir()
        (commands / "petal").symlink_to(pathlib.Path(EXECUTABLE).resolve())
        self.home = self.folder / "home"
        self.home.mkdir()
        self.variables = environment(HOME=str(self.home), TMPDIR=str(self.folder), PETAL_NETWORK="regtest")
        self.variables["PATH"] = f"{commands}:{self.variables['PATH']}"
        self.placeholders = {"tb1q…": PAYEE}
        self.node = None
        # All nodes have one chain, whose 120 blocks and more are ten minutes apart and not ahead of the clock.
        self.start_time = str(int(time.time()) - 140 * 600)
        self.services = []
        self.then = {}  # what happens after a line

    def bash(self, line, stdin=""):
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", line], cwd=self.home, env=self.variables, input=stdin,
                              capture_output=True, text=True, timeout=LIMIT, check=False)
        self.assertEqual(done.returncode, 0, f"{line}\n{done.stdout}{done.stderr}")
        return done.stdout

    def ask_json(self, line, **options):
        return json.loads(self.bash(line + " --json", **options))

    def serve(self, port="18444"):
        """A node with coins of the wallet of WORDS, on every address of this machine. Its last block is of now."""
        pays = [word for amount in ("0.5", "0.4", "0.3") for word in ("--pay", f"{ADDRESS}={amount}")]
        self.node = self.start("regtest-node", "--bind", "0.0.0.0", "--port", port, "--json", "--rpc", "0",
                               "--start-time", self.start_time, *pays)
        self.read_listening(self.node)

    def make_wallet(self):
        self.bash("petal restore --type wpkh --mnemonic-file - --json", stdin=WORDS)
        self.bash("petal sync --json")

    def answer(self, line):
        """Runs a command that asks: answers yes, and gives no password."""
        script = f"cd {self.home}; {line}; echo; echo all is done"
        terminal = Terminal(["bash", "-euo", "pipefail", "-c", script], self.variables)
        self.addCleanup(terminal.close)
        question = re.compile(r"Type yes|assword[^\n]*: $|all is done|error: ")
        while True:
            terminal.read_until_match(question)
            asked = question.search(terminal.shown)[0]
            if asked in ("all is done", "error: "):
                break
            terminal.shown = ""
            terminal.write("yes\n" if asked == "Type yes" else "\n")
        self.assertEqual(terminal.finish(), 0, f"{line}\n{terminal.shown}")

    def pay_wallet(self, wallet=""):
        """A confirmed payment to a wallet's address."""
        address = self.ask_json(f"petal {wallet} receive")["address"]
        self.pay(address, 1)
        self.mine()

    def run_line(self, line):
        for placeholder, text in self.placeholders.items():
            line = line.replace(placeholder, text)
        if exported := re.fullmatch(r"export (\w+)=(\S+)", line):
            self.variables[exported[1]] = exported[2]
        elif ENDLESS.match(line):
            service = subprocess.Popen(["bash", "-c", f"exec {line}"], cwd=self.home, env=self.variables,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.addCleanup(self.end, service)
            self.assertTrue(service.stdout.readline(), line)
            self.services.append(service)
            self.end_services() if "--follow" in line else None
        elif ASKING.match(line) and "--yes" not in line and "--dry-run" not in line:
            self.answer(line)
        else:
            self.bash(line)

    def end_services(self):
        for service in self.services:
            service.send_signal(signal.SIGINT)
            _, errors = service.communicate(timeout=LIMIT)
            self.assertIn(service.returncode, (0, 130), errors)
        self.services = []


class DocumentsTest(Scene):
    def run_block(self, document, first, before=lambda line: None):
        """Runs the block of the document that starts with this command. `before` is called with each line."""
        [block] = [block for block in blocks_of((ROOT / document).read_text(encoding="utf-8")) if block[0] == first]
        for line in block:
            if line not in NOT_RUN:
                before(line)
                self.run_line(line)
                self.then.get(line, lambda: None)()
        self.end_services()

    def make_filters(self):
        (self.home / "addresses.txt").write_text(f"{ADDRESS}\n{PAYEE}\n", encoding="ascii")
        (self.home / "urls.txt").write_text("https://a.example/\nhttps://c.example/\n", encoding="ascii")
        for name in "monday.hex", "tuesday.hex", "filterload.bin":
            self.bash(f"petal filter make --fpr 0.1 --stdin < addresses.txt > {name}")

    def test_a_test_wallet_in_five_commands(self):
        self.serve()
        self.then["petal receive"] = self.pay_wallet
        self.run_block("README.md", "petal create")

    def test_a_regtest_node_for_tests(self):
        self.run_block("README.md", "petal regtest-node --port 0 --rpc 0 --json")

    def test_the_wallet_on_a_regtest_node(self):
        del self.variables["PETAL_NETWORK"]
        self.placeholders["bcrt1q…"] = ADDRESS
        self.run_block("README.md", "export PETAL_NETWORK=regtest")

    def test_filters(self):
        self.serve()
        self.make_wallet()
        self.make_filters()
        self.run_block("README.md", "petal filter make --fpr 1e-4 --stdin < addresses.txt > a.hex")
        self.run_block("docs/filters.md", "petal filter make --fpr 1e-4 --stdin < addresses.txt > a.hex")
        self.run_block("docs/filters.md", "petal filter inspect filterload.bin --fail-at weak --json > verdict.json")
        self.run_block("docs/filters.md", "petal filter create seen.filter --expected 1000000")

    def test_an_own_node(self):
        self.serve()
        self.serve("48333")
        self.make_wallet()
        self.run_block("docs/own-node.md", "petal sync --connect 192.168.1.5")
        self.run_block("docs/own-node.md", "ssh -N -L 48333:127.0.0.1:48333 user@node &")
        self.run_block("docs/own-node.md", "petal sync --connect 192.168.1.5 -v")

    def test_psbts(self):
        self.serve()
        self.make_wallet()
        [receive, *_] = self.ask_json("petal info")["descriptors"]
        self.bash("petal --wallet hot restore --type wpkh --mnemonic-file - --json", stdin=WORDS)
        self.bash(f"petal --wallet cold watch '{receive}' --json")
        self.bash("petal --wallet cold sync --json")
        self.run_block("docs/payments.md", "petal --wallet cold psbt create tb1q… 0.001 > payment.psbt")

    def test_multisig(self):
        self.serve()
        for name in "alice", "bob", "carol":
            self.bash(f"petal --wallet {name} create --json")
        self.placeholders["ADDRESS"] = PAYEE
        self.run_block("docs/payments.md", "petal --wallet alice info --key-origin m/48h/1h/0h/2h > alice.key")
        self.run_block("docs/payments.md", 'petal --wallet joint watch "wsh(sortedmulti(2,'
                       '$(cat alice.key)/<0;1>/*,$(cat bob.key)/<0;1>/*,$(cat carol.key)/<0;1>/*))"')
        self.pay_wallet("--wallet joint")
        self.run_block("docs/payments.md", "petal --wallet joint sync")

    def test_payments(self):
        self.run_block("docs/payments.md", "petal send tb1q… 0.001 --dry-run", self.begin_with_payments)

    def begin_with_payments(self, line):
        """A new scene for the line, with an unconfirmed payment of the wallet, and one to it."""
        if self.node:
            self.node.kill()
            self.node.wait()
            shutil.rmtree(self.home)
            self.home.mkdir()
        self.serve()
        self.make_wallet()
        sent = self.ask_json(f"petal send {PAYEE} 0.3 --yes")["txid"]
        received = self.pay(ADDRESS, 0.2)
        self.bash("petal sync --wait-unconfirmed 1 --json")
        coin = self.ask_json("petal utxos")["utxos"][0]
        signed = self.ask_json(f"petal send {PAYEE} 0.1 --no-broadcast --yes")["hex"]
        (self.home / "signed.txn").write_text(signed, encoding="ascii")
        self.placeholders |= {"TXID:VOUT": f"{coin['txid']}:{coin['vout']}", "--child TXID": f"--child {received}",
                              "TXID": sent}

    def test_messages(self):
        self.serve()
        self.make_wallet()
        self.placeholders["tb1q…"] = ADDRESS
        self.run_block("docs/payments.md", 'petal sign-message tb1q… "Hello World" > signature')

    def test_the_beginning_of_a_wallet(self):
        self.serve()
        self.make_wallet()
        self.name_keys()
        self.run_block("docs/syncing.md", "petal restore --type wpkh --birthday 2024-05-31")

    def test_watching(self):
        self.serve()
        self.make_wallet()
        self.name_keys()
        self.run_block("docs/wallets.md", 'petal --wallet cold watch "wpkh([…/84h/1h/0h]tpub…/<0;1>/*)"')
        self.run_block("docs/wallets.md", "bitcoin-cli listdescriptors true | jq -r '.descriptors[].desc' | "
                       "petal --wallet core restore --descriptor-file -")

    def name_keys(self):
        """Keys of another wallet in place of the abbreviated ones."""
        self.bash("petal --wallet owner create --json")
        key, *others = (self.bash(f"petal --wallet owner info --key-origin {path}").strip()
                        for path in ("m/84h/1h/0h", "m/48h/1h/0h/2h", "m/48h/1h/1h/2h"))
        self.placeholders["[…/84h/1h/0h]tpub…"] = key
        self.placeholders["sortedmulti(2,…)"] = f"sortedmulti(2,{','.join(f'{other}/<0;1>/*' for other in others)})"

    def test_regtest_nodes(self):
        self.run_block("docs/regtest-node.md", "petal regtest-node --port 0 --rpc 0 --json")

    def test_backups(self):
        self.serve()
        self.make_wallet()
        self.run_block("docs/syncing.md", "petal backup savings.petal")

    def test_every_command_is_run_or_listed(self):
        """The tests below name the first command of each block that has anything to run."""
        source = pathlib.Path(__file__).read_text(encoding="utf-8")
        calls = [call for call in ast.walk(ast.parse(source)) if isinstance(call, ast.Call)]
        named = {tuple(argument.value for argument in call.args[:2]) for call in calls
                 if isinstance(call.func, ast.Attribute) and call.func.attr == "run_block"}
        found = set()
        for document in documents():
            for block in blocks_of(document.read_text(encoding="utf-8")):
                found.update(block)
                runs = any(line not in NOT_RUN for line in block)
                name = document.relative_to(ROOT).as_posix()
                self.assertTrue(not runs or (name, block[0]) in named, f"{name}: no test runs {block}")
        self.assertLessEqual(set(NOT_RUN), found, "commands that no document has any more")
