"""petal-bitcoind, started and ended as test fixtures start and end bitcoind."""

import importlib.util
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time
import unittest

from bitcoind_node import BITCOIND, BitcoindCase
from core_node import BITCOIN_CLI, needs_core
from petal_process import ADDRESS, LIMIT
from rpc_client import RpcClient, RpcError, free_ports

class BitcoindTest(BitcoindCase):
    def test_tells_what_fixtures_wait_for(self):
        node = self.start()
        self.assertEqual((node.folder / "bitcoind.pid").read_text(), f"{node.process.pid}\n")
        self.assertEqual((node.folder / ".cookie").stat().st_mode & 0o777, 0o600)
        rpc = self.client(node)
        self.assertEqual(rpc.getblockcount(), 0)
        self.assertTrue(rpc.getblockchaininfo()["initialblockdownload"])
        [block] = rpc.generatetoaddress(1, ADDRESS)
        self.assertFalse(rpc.getblockchaininfo()["initialblockdownload"])
        network = rpc.getnetworkinfo()
        self.assertEqual((network["version"], network["subversion"]), (310000, "/Satoshi:31.0.0/"))
        node.wait_for_line(f"UpdateTip: new best={block} height=1 ")
        rpc.invalidateblock(block)
        node.wait_for_line("UpdateTip: new best=[0-9a-f]* height=0 ")
        node.wait_for_line(f"InvalidChainFound: invalid block={block}  height=1 ")
        self.assertEqual(rpc.stop(), "Bitcoin Core stopping")
        self.assertEqual(node.end(), 0)
        self.assertTrue(node.lines[-1].endswith(" Shutdown done"), node.lines)
        self.assertFalse((node.folder / ".cookie").exists())
        self.assertFalse((node.folder / "bitcoind.pid").exists())
        self.assertEqual((node.folder / "debug.log").read_text().splitlines(), node.lines)

    def test_goes_on_with_its_chain(self):
        node = self.start()
        blocks = self.client(node).generatetoaddress(3, ADDRESS)
        node.process.kill()
        node.end()
        self.assertTrue((node.folder / ".cookie").exists())
        again = self.start()
        self.assertEqual(self.client(again).getbestblockhash(), blocks[-1])
        for sent in signal.SIGTERM, signal.SIGINT:
            again.process.send_signal(sent)
            self.assertEqual(again.end(), 0, again.process.stderr.read())
            self.assertFalse((again.folder / ".cookie").exists())
            again = self.start()
            self.assertEqual(self.client(again).getblockcount(), 3)

    def test_has_one_node_on_a_folder(self):
        node = self.start()
        self.assertEqual(
            self.refusal("-regtest", f"-datadir={self.data}", "-port=0", "-rpcport=0"),
            f"Error: Cannot obtain a lock on directory {node.folder}. Bitcoin Core is probably already running.")
        self.assertEqual(self.client(node).getblockcount(), 0)

    def test_names_the_address_that_is_taken(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            here = f"-datadir={self.data}"
            self.assertEqual(self.refusal("-regtest", here, f"-port={port}", "-rpcport=0"),
                             f"Error: Unable to bind to 127.0.0.1:{port} on this computer. Bitcoin Core is probably "
                             "already running.")
            self.assertEqual(self.refusal("-regtest", here, "-port=0", f"-rpcport={port}"),
                             f"Error: Unable to start HTTP server on 127.0.0.1:{port}: bind: Address already in use")

    def test_says_why_it_does_not_start(self):
        here = f"-datadir={self.data}"
        self.assertEqual(self.refusal("-regtest", here, "-nonsense"),
                         "Error: Error parsing command line arguments: Invalid parameter -nonsense")
        self.assertIn("regtest alone", self.refusal(here))
        self.assertIn("chain signet", self.refusal(here, "-signet"))
        self.assertEqual(self.refusal("-regtest", "-datadir=/nowhere/at/all"),
                         'Error: Specified data directory "/nowhere/at/all" does not exist.')
        self.assertIn("could not be opened", self.refusal("-regtest", here, "-conf=none"))
        config = self.data / "bitcoin.conf"
        config.write_text("server\n")
        self.assertEqual(self.refusal("-regtest", here),
                         "Error: Error reading configuration file: parse error on line 1: server")
        config.write_text("rpcport=1\n")
        self.assertIn("[regtest] section", self.refusal("-regtest", here))
        config.write_bytes(b"#" * 2_000_000)
        self.assertIn("larger than", self.refusal("-regtest", here))
        config.write_text("includeconf=none\n")
        self.assertIn("Failed to include", self.refusal("-regtest", here))
        config.unlink()
        config.mkdir()
        self.assertIn("is a directory", self.refusal("-regtest", here))
        config.rmdir()
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            self.assertIn("Unable to start HTTP server",
                          self.refusal("-regtest", here, "-port=0", f"-rpcport={port}"))
            self.assertIn(f"Unable to bind to 127.0.0.1:{port}",
                          self.refusal("-regtest", here, f"-port={port}", "-rpcport=0"))
        self.assertFalse((self.data / "regtest" / ".cookie").exists())
        self.assertFalse((self.data / "regtest" / "bitcoind.pid").exists())
        chain = self.data / "regtest" / "chain.dat"
        chain.write_bytes(b"something else")
        self.assertIn("chain.dat", self.refusal("-regtest", here, "-port=0", "-rpcport=0"))
        self.assertEqual(chain.read_bytes(), b"something else")

    def test_reads_its_config_files(self):
        [rpc_port] = free_ports(1)
        (self.data / "more.conf").write_text("rpcuser=bob\nincludeconf=third.conf\nfoo=1\n")
        (self.data / "bitcoin.conf").write_text(
            f"regtest=1\nincludeconf=more.conf\nrpcpassword=secret\nuacomment=x\nprinttoconsole=0\n"
            f"[regtest]\nport=0\nrpcport={rpc_port}\n[signet]\nrpcport=1\n")
        process = subprocess.Popen([BITCOIND, f"-datadir={self.data}"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, process)
        log = self.data / "regtest" / "debug.log"
        deadline = time.monotonic() + LIMIT
        while not (log.exists() and "Done loading" in log.read_text()):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        self.assertIn("Ignoring unknown configuration value foo", log.read_text())
        rpc = RpcClient(rpc_port, "bob:secret")
        self.addCleanup(rpc.close)
        self.assertEqual(rpc.getnetworkinfo()["subversion"], "/Satoshi:31.0.0(x)/")
        self.assertFalse((self.data / "regtest" / ".cookie").exists())
        rpc.stop()
        self.assertEqual(process.communicate(timeout=LIMIT), ("", ""))
        self.assertEqual(process.returncode, 0)

    def test_documents_its_options(self):
        done = subprocess.run([BITCOIND, "-help"], capture_output=True, text=True, timeout=LIMIT, check=True)
        groups = [re.findall("^  (-[^=\n]*)", part, re.M) for part in done.stdout.split("\n\n")]
        groups = [group for group in groups if group]
        self.assertEqual(len(groups), 4, done.stdout)
        page = pathlib.Path(__file__).parents[3] / "docs" / "petal-bitcoind.md"
        options = page.read_text(encoding="utf-8").split("## Options")[1]
        listed = [re.findall("`(-[^`]*)`", part) for part in options.split(":\n")[1:]]
        self.assertEqual([sorted(part) for part in listed], [sorted(group) for group in groups])

    def test_runs_as_a_daemon(self):
        [rpc_port] = free_ports(1)
        options = self.arguments("-port=0", f"-rpcport={rpc_port}", "-daemonwait")
        done = subprocess.run(options, capture_output=True, text=True, timeout=LIMIT, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "Bitcoin Core starting\n", ""))
        folder = self.data / "regtest"
        number = int((folder / "bitcoind.pid").read_text())
        rpc = RpcClient(rpc_port, (folder / ".cookie").read_text(encoding="ascii"))
        self.addCleanup(rpc.close)
        self.assertEqual(rpc.getblockcount(), 0)
        for mode in "-daemonwait", "-daemon":
            second = subprocess.run(self.arguments("-port=0", "-rpcport=0", mode), capture_output=True, text=True,
                                    timeout=LIMIT, check=False)
            self.assertEqual((second.returncode, second.stdout), (1, ""))
            self.assertIn("Error: Cannot obtain a lock", second.stderr)
        rpc.stop()
        deadline = time.monotonic() + LIMIT
        while pathlib.Path(f"/proc/{number}").exists() and (folder / "bitcoind.pid").exists():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        self.assertFalse((folder / ".cookie").exists())

    def test_runs_commands(self):
        told = self.folder / "told"
        node = self.start(f"-startupnotify=echo up >> {told}", f"-blocknotify=echo %s >> {told}",
                          f"-shutdownnotify=echo down >> {told}")
        deadline = time.monotonic() + LIMIT
        blocks = self.client(node).generatetoaddress(2, ADDRESS)
        while not (told.exists() and len(told.read_text().splitlines()) == 3):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        self.client(node).stop()
        self.assertEqual(node.end(), 0)
        self.assertEqual(sorted(told.read_text().splitlines()), sorted(["up", *blocks, "down"]))

    def test_has_no_wallet_calls_without_a_wallet(self):
        rpc = self.client(self.start("-disablewallet"))
        with self.assertRaises(RpcError) as refused:
            rpc.getnewaddress()
        self.assertEqual(refused.exception.code, -32601)

    def test_two_nodes_have_the_same_chain(self):
        [port] = free_ports(1)
        first = self.start(f"-bind=127.0.0.1:{port}")
        self.data = self.folder / "second"
        self.data.mkdir()
        second = self.start(f"-connect=127.0.0.1:{port}", "-txindex", "-fallbackfee=0.0002")
        self.assertFalse(any("Bound to" in line for line in second.lines))
        self.client(first).generatetoaddress(2, ADDRESS)
        second.wait_for_line("UpdateTip: .* height=2 ")

    def test_wrong_credentials_get_no_json(self):
        node = self.start("-rpcuser=a", "-rpcpassword=b",
                          "-rpcauth=rt:93648e835a54c573682c2eb19f882535$"
                          "7681e9c5b74bdd85e78166031d2058e1069b3ed7ed967c93fc63abba06f31144")
        for credentials in "a:b", "rt:cA773lm788buwYe4g4WT+05pKyNruVKjQ25x3n0DQcM=":
            rpc = RpcClient(node.rpc_port, credentials)
            self.addCleanup(rpc.close)
            self.assertEqual(rpc.getblockcount(), 0)
        wrong = RpcClient(node.rpc_port, "a:c")
        self.addCleanup(wrong.close)
        self.assertEqual(wrong.post("{}"), (401, ""))

    @needs_core
    def test_bitcoin_cli_finds_it(self):
        node = self.start()
        command = [BITCOIN_CLI, "-regtest", f"-datadir={self.data}", f"-rpcport={node.rpc_port}"]
        done = subprocess.run([*command, "-rpcwait", "generatetoaddress", "1", ADDRESS],
                              capture_output=True, text=True, timeout=LIMIT, check=True)
        self.assertIn("[\n", done.stdout)
        done = subprocess.run([*command, "-getinfo"], capture_output=True, text=True, timeout=LIMIT, check=False)
        self.assertIn("Blocks: 1", done.stdout, done.stderr)
        done = subprocess.run([*command, "stop"], capture_output=True, text=True, timeout=LIMIT, check=True)
        self.assertEqual(done.stdout, "Bitcoin Core stopping\n")
        self.assertEqual(node.end(), 0)

    @needs_core
    @unittest.skipUnless(importlib.util.find_spec("pytest"), "pytest is not installed")
    def test_runs_the_documented_fixture(self):
        page = (pathlib.Path(__file__).parents[3] / "docs" / "petal-bitcoind.md").read_text(encoding="utf-8")
        [fixture] = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
        (self.folder / "test_fixture.py").write_text(fixture, encoding="utf-8")
        programs = [str(pathlib.Path(program).resolve().parent) for program in (BITCOIND, BITCOIN_CLI)]
        path = os.pathsep.join([*programs, os.environ["PATH"]])
        done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_fixture.py"],
                              cwd=self.folder, env={**os.environ, "PATH": path}, capture_output=True, text=True,
                              timeout=LIMIT, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("1 passed", done.stdout)


if __name__ == "__main__":
    unittest.main()
