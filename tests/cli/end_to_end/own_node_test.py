"""The options of Bitcoin Core that docs/own-node.md describes, if there is a bitcoind."""

import pathlib
import re
import subprocess
import unittest

from core_node import BITCOIN_CLI, BITCOIND, needs_core
from petal_process import LIMIT, PetalTest, environment
from rpc_client import free_ports

DOCUMENT = pathlib.Path(__file__).resolve().parents[3] / "docs" / "own-node.md"


def documented(option):
    """The only line of the document's bitcoin.conf that sets this option, with the address of this machine."""
    [line] = set(re.findall(rf"^    ({option}=.*)$", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE))
    return line.replace("192.168.1.7", "127.0.0.1")


@needs_core
class OwnNodeTest(PetalTest):
    def start_bitcoind(self, *lines):
        """Starts Bitcoin Core with ten blocks, these lines in its configuration, and an additional plain port."""
        self.plain, self.rpc, self.special = free_ports(3)
        core = self.folder / "core"
        core.mkdir()
        lines = [line.replace("48340", str(self.special)) for line in lines]
        bound = [line for line in lines if line.startswith(("bind", "whitebind"))]
        general = [line for line in lines if line not in bound]
        (core / "bitcoin.conf").write_text("\n".join([
            "regtest=1", "listenonion=0", "dnsseed=0", "disablewallet=1", *general, "[regtest]",
            f"bind=127.0.0.1:{self.plain}", f"rpcport={self.rpc}", *bound, ""]), encoding="utf-8")
        node = subprocess.Popen([BITCOIND, f"-datadir={core}", "-printtoconsole=0"],
                                stdin=subprocess.DEVNULL, env=environment())
        self.addCleanup(node.wait, LIMIT)
        self.addCleanup(node.terminate)
        self.core = core
        self.cli("-rpcwait", "generatetodescriptor", "10", "raw(51)")
        self.succeed("create", "--json")

    def cli(self, *arguments):
        return subprocess.run([BITCOIN_CLI, f"-datadir={self.core}", *arguments], check=True, timeout=LIMIT,
                              capture_output=True, text=True, env=environment()).stdout

    def sync(self, port, *options):
        return self.run_petal("sync", "--connect", f"127.0.0.1:{port}", "--json", *options)

    def assert_syncs(self, port):
        result = self.sync(port)
        self.assertEqual(result.status, 0, result.err)
        self.assertEqual(result.json["stats"]["filtered_blocks"], 10)

    def assert_refused(self, port, why, *options):
        result = self.sync(port, *options)
        self.assertEqual(result.status, 3)
        self.assertIn(why, result.err)
        self.assertIn(f"`{why}`", DOCUMENT.read_text(encoding="utf-8"))

    def test_whitelist_serves_the_named_machine(self):
        self.start_bitcoind(documented("whitelist"))
        self.assert_syncs(self.plain)
        self.assertNotIn("BLOOM", self.cli("getnetworkinfo"))

    def test_whitelist_serves_no_other_machine(self):
        self.start_bitcoind("whitelist=bloomfilter@127.0.0.2")
        self.assert_refused(self.plain, "does not serve Bloom filters (BIP37)")

    def test_whitebind_serves_all_that_come_by_its_port(self):
        self.start_bitcoind(documented("whitebind"))
        self.assert_refused(self.plain, "does not serve Bloom filters (BIP37)")
        self.assert_syncs(self.special)

    def test_whitelist_does_not_apply_to_visitors_of_an_onion_service(self):
        self.start_bitcoind(documented("whitelist"), "bind=127.0.0.1:48340=onion")
        self.assert_refused(self.special, "does not serve Bloom filters (BIP37)")

    def test_pruned_node_serves_its_last_blocks(self):
        self.start_bitcoind("peerbloomfilters=1", "prune=550")
        self.assert_syncs(self.plain)
        self.cli("generatetodescriptor", "300", "raw(51)")
        self.assert_refused(self.plain, "is a pruned node, and lacks the old blocks")

    def test_pruned_node_sends_older_blocks_with_permission(self):
        self.start_bitcoind("whitelist=bloomfilter,noban@127.0.0.1", "prune=550")
        self.cli("generatetodescriptor", "300", "raw(51)")
        result = self.sync(self.plain)
        self.assertEqual(result.status, 0, result.err)
        self.assertEqual(result.json["stats"]["filtered_blocks"], 310)

    def test_upload_target_needs_the_permission_to_download(self):
        self.start_bitcoind("whitelist=bloomfilter@127.0.0.1", "maxuploadtarget=100M")
        self.assert_refused(self.plain, "closed the connection when data were requested")

    def test_upload_target_needs_the_permission_for_unconfirmed_transactions(self):
        self.start_bitcoind("whitelist=bloomfilter,download@127.0.0.1", "maxuploadtarget=1K")
        self.assert_syncs(self.plain)
        follower = self.start("sync", "--follow", "--json", "--connect", f"127.0.0.1:{self.plain}")
        self.next_event(follower, "peer", connected=False, reason="upload-limit")

    def test_rpc_port_is_named(self):
        self.start_bitcoind("peerbloomfilters=1")
        result = self.sync(self.rpc)
        self.assertEqual(result.status, 3)
        self.assertRegex(result.err, "it speaks HTTP|did not answer in time; is it a node of regtest")
        self.assertIn("the port of nodes of regtest, not their RPC port, is 18444", result.err)

    def test_permission_to_download_is_enough(self):
        self.start_bitcoind("whitelist=bloomfilter,download@127.0.0.1", "maxuploadtarget=100M")
        self.assert_syncs(self.plain)


if __name__ == "__main__":
    unittest.main()
