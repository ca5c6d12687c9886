"""Damaged or unsuitable files and folders, and secrets."""

import hashlib
import hmac
import os
import pathlib
import resource
import signal
import subprocess
import unittest

from petal_process import ADDRESS, EXECUTABLE, LIMIT, WORDS, PetalTest, environment
from relay import lead_messages_to
from wire import spend

ANOTHER_USER = 65534  # nobody
ANY_COIN = {"txid": "11" * 32, "vout": 0, "amount_sat": 100_000}


class FilesTest(PetalTest):
    def test_full_disk_while_syncing_loses_nothing(self):
        _, listening = self.start_node("--blocks", "2000", "--pay", ADDRESS)
        self.restore()
        wallet = self.data / "regtest" / "wallets" / "default.db"
        before = self.succeed("info", "--json").json
        # A header takes 128 bytes, so neither file can grow as far as it needs to.
        limit = max(wallet.stat().st_size // 2, 60_000)

        def no_more_room():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        arguments = ["sync", "--connect", listening["address"], "--json"]
        result = self.run_petal(*arguments, preexec_fn=no_more_room)
        self.assertEqual(result.status, 1, result.err)
        self.assertTrue(result.err.splitlines()[-1].startswith("error: "))
        self.assertEqual(self.succeed("info", "--json").json["fingerprint"], before["fingerprint"])
        report = self.succeed(*arguments).json
        self.assertEqual(report["balance"]["confirmed_sat"], 100_000_000)
        self.assertEqual(report["tip"]["hash"], listening["tip"])

    def test_full_disk_while_creating_leaves_no_wallet(self):
        for limit in range(4096, 1_000_000, 8192):
            def little_room():
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

            result = self.run_petal("create", "--json", preexec_fn=little_room)
            made = self.succeed("wallets", "--json").json["wallets"]
            if result.status == 0:
                break
            with self.subTest(bytes=limit):
                self.assert_fails(result, 1, "storage")
                self.assertEqual(made, [])
                left = [file.name for file in self.data.rglob("*") if file.is_file()]
                self.assertEqual(left, ["default.db.lock"])
        self.assertGreater(limit, 40_000)
        self.assertEqual([wallet["wallet"] for wallet in made], ["default"])

    def open_full(self):
        """A file on a full disk."""
        full = open("/dev/full", "w")
        self.addCleanup(full.close)
        return full

    def open_unread(self):
        """A pipe without a reader."""
        reader, writer = os.pipe()
        os.close(reader)
        unread = os.fdopen(writer, "w")
        self.addCleanup(unread.close)
        return unread

    def test_full_standard_output(self):
        self.succeed("create")
        done = "; the command is done, only its output is lost"
        for arguments, consequence in ((["--help"], ""), (["info"], done), (["wallets", "--json"], done),
                                       (["rename", "other", "--yes"], done)):
            process = self.run_petal(*arguments, stdout=self.open_full())
            self.assertEqual(process.status, 1)
            self.assertEqual(process.err, f"error: cannot write to standard output{consequence}\n")
        self.assertEqual(self.succeed("wallets", "--json").json["wallets"][0]["wallet"], "other")

    def test_a_payment_whose_output_is_lost_is_not_to_be_made_again(self):
        _, listening = self.start_node("--pay", ADDRESS)
        connect = "--connect", listening["address"]
        self.restore()
        self.succeed("sync", *connect)
        payment = "send", ADDRESS, "0.001", "--yes", *connect
        for arguments, output in ((payment, self.open_full()), ((*payment, "--json"), self.open_full()),
                                  ((*payment, "--json"), self.open_unread())):
            result = self.run_petal(*arguments, stdout=output)
            txid = self.succeed("history", "--json").json["transactions"][0]["txid"]
            self.assertEqual(result.status, 1)
            self.assertRegex(result.err.splitlines()[-1],
                             "^error: cannot write to standard output; the payment is sent and in the wallet, "
                             f"do not make it again: `petal .*tx {txid}` shows it$")
        result = self.run_petal("bump", txid, "--yes", *connect, stdout=self.open_full())
        self.assertRegex(result.err, "the payment is sent and in the wallet")

    def test_closed_standard_streams(self):
        def close_them():
            for stream in 0, 1, 2:
                os.close(stream)

        self.succeed("create")
        # Files that petal opens would otherwise get the numbers of the streams, and its messages.
        for arguments, status in (["balance"], 1), (["receive", "--new"], 1), (["sync", "--timeout", "1"], 3):
            process = subprocess.run(self.command(*arguments), preexec_fn=close_them, timeout=LIMIT, env=environment())
            self.assertEqual(process.returncode, status, arguments)
        for file in self.data.rglob("*"):
            if file.is_file():
                self.assertNotIn(b"error: ", file.read_bytes(), file)
        self.succeed("balance")

    def test_makes_no_wallet_whose_words_were_not_shown(self):
        for output in self.open_full(), self.open_unread():
            for arguments in ["create"], ["create", "--json"]:
                process = self.run_petal(*arguments, stdout=output)
                self.assertEqual(process.status, 1)
                self.assertIn("no wallet was made", process.err)
                self.assertEqual(self.succeed("wallets", "--json").json["wallets"], [])
        self.succeed("create")

    def admit_another_user(self):
        if os.geteuid() != 0:
            self.skipTest("takes root's rights away, so that it must have them")
        self.folder.chmod(0o755)
        if subprocess.run([EXECUTABLE, "--version"], user=ANOTHER_USER, capture_output=True).returncode:
            self.skipTest("the command is where other users can't run it")

    def test_read_only_folder_as_another_user(self):
        self.admit_another_user()
        self.succeed("create")
        subprocess.run(["chmod", "-R", "a+rX", self.data], check=True)
        for arguments in ["--wallet", "b", "create"], ["receive", "--new"], ["sync"]:
            self.assert_fails(self.run_petal("--json", *arguments, user=ANOTHER_USER), 1, "storage")
        for command in "balance", "history", "info", "receive":
            self.succeed(command, user=ANOTHER_USER)

    def test_reads_on_a_full_disk(self):
        def fill_disk():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # each write to a file fails

        _, listening = self.start_node("--pay", ADDRESS)
        self.restore()
        self.succeed("sync", "--connect", listening["address"])
        txid = self.succeed("history", "--json").json["transactions"][0]["txid"]
        self.assert_fails(self.run_petal("receive", "--new", "--json", preexec_fn=fill_disk), 1, "storage")
        for command in (["balance"], ["history"], ["utxos"], ["addresses"], ["tx", txid], ["info"], ["wallets"],
                        ["receive"], ["filter", "inspect", "--wallet-filter"]):
            before = self.succeed(*command).out
            self.assertEqual(self.succeed(*command, preexec_fn=fill_disk).out, before)

    def test_changes_no_name_in_a_folder_that_cannot_be_opened(self):
        self.admit_another_user()
        self.succeed("create")
        wallets = self.data / "regtest" / "wallets"
        subprocess.run(["chown", "-R", str(ANOTHER_USER), self.data], check=True)
        wallets.chmod(0o300)
        before = sorted(wallets.iterdir())
        for arguments in ["rename", "other", "--yes"], ["delete", "--yes"]:
            self.assert_fails(self.run_petal("--json", *arguments, user=ANOTHER_USER), 1, "storage")
            self.assertEqual(sorted(wallets.iterdir()), before)
        result = self.broadcast_as_another_user()
        self.assertIn("cannot read which nodes have a wallet's filter", result.err)
        self.assertEqual(result.status, 3, result.err)

    def test_connects_nowhere_if_a_config_file_may_be_in_a_closed_folder(self):
        self.admit_another_user()
        self.data.mkdir(exist_ok=True)
        (self.data / "petal.toml").write_text('proxy = "127.0.0.1:1"\n')
        self.data.chmod(0o755)
        self.assertIn("proxy", self.broadcast_as_another_user().err)
        self.data.chmod(0)
        self.assert_fails(self.broadcast_as_another_user(), 1, "unusable-data-directory")

    def test_connects_nowhere_if_a_config_file_may_be_in_a_folder_that_is_not_mounted(self):
        self.data.symlink_to("elsewhere")
        self.assert_fails(self.run_petal("broadcast", spend(ANY_COIN), "--connect", "127.0.0.1:1", "--json"),
                          1, "unusable-data-directory")

    def broadcast_as_another_user(self):
        arguments = ["broadcast", spend(ANY_COIN), "--connect", "127.0.0.1:1", "--json"]
        return self.run_petal(*arguments, user=ANOTHER_USER)

    def test_notes_a_host_before_it_gets_the_filter(self):
        _, listening = self.start_node("--pay", ADDRESS)
        self.restore()
        hosts = self.data / "regtest" / "wallets" / "default.db.filter-hosts"
        process = None

        def kill_at_filter(command):
            if command == b"filterload":
                process.kill()

        server = self.start_server(lead_messages_to(listening["address"], kill_at_filter))
        process = self.start("sync", "--connect", server.address)
        self.assertEqual(self.finish(process).status, -9)
        self.assertEqual(len(hosts.read_text().splitlines()), 1)

    def test_damaged_wallet(self):
        self.succeed("create")
        wallet = self.data / "regtest" / "wallets" / "default.db"
        content = bytearray(wallet.read_bytes())
        content[1000:] = bytes(len(content) - 1000)
        wallet.write_bytes(content)
        for command in "balance", "sync", "info":
            self.assert_fails(self.run_petal(command, "--json"), 5, "wallet-damaged")
        self.assertEqual(wallet.read_bytes(), bytes(content))

    def test_secrets_are_not_stored_in_plain_text_under_a_password(self):
        words = "legal winner thank year wave sausage worth useful legal winner thank yellow"
        seed = hashlib.pbkdf2_hmac("sha512", words.encode(), b"mnemonic", 2048)
        key = hmac.digest(b"Bitcoin seed", seed, "sha512")[:32]
        secrets = {"words": b"legal winner", "entropy": b"\x7f" * 16, "seed": seed,
                   "master key": key, "password": b"correct horse"}
        password = self.folder / "password"
        password.write_text("correct horse battery staple\n")

        def stored(wallet, *options):
            self.succeed("--wallet", wallet, "restore", "--mnemonic-file", "-", *options,
                         stdin=words)
            content = b"".join(file.read_bytes() for file in self.data.rglob(f"{wallet}.db*"))
            return [name for name, secret in secrets.items() if secret in content]

        self.assertEqual(stored("locked", "--password-file", str(password)), [])
        self.assertNotEqual(stored("plain"), [])

    def test_encrypts_a_wallet_in_place(self):
        password, other = self.folder / "password", self.folder / "other"
        password.write_text("correct horse\n")
        other.write_text("battery staple\n")
        self.assertIn("the seed is not encrypted", self.restore().err)
        seed = hashlib.pbkdf2_hmac("sha512", WORDS.encode(), b"mnemonic", 2048)

        def files_with_seed():
            return [file.name for file in self.data.rglob("*")
                    if file.is_file() and seed[:8] in file.read_bytes()]

        self.assertEqual(files_with_seed(), ["default.db"])
        self.assert_fails(self.run_petal("encrypt", "--json"), 2, "usage")
        self.assertEqual(files_with_seed(), ["default.db"])
        result = self.succeed("encrypt", "--json", "--password-file", password)
        self.assertTrue(result.json["encrypted"])
        self.assertEqual(files_with_seed(), [])
        self.assertTrue(self.succeed("info", "--json").json["encrypted"])

        self.assert_fails(self.run_petal("encrypt", "--json", "--password-file", other), 4, "locked")
        self.succeed("encrypt", "--password-file", other, "--old-password-file", password)
        self.assert_fails(self.run_petal("encrypt", "--json", "--password-file", password,
                                         "--old-password-file", password), 4, "wrong-password")
        self.assertEqual(self.succeed("receive", "--json").json["address"], ADDRESS)

    def test_shows_arguments_without_terminal_controls(self):
        obeyed = "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff]"
        self.restore()
        evil = "\x1b[2J\u202e\udc9b"  # the last character is a single byte that is not valid UTF-8
        for arguments in (["sync", "--timeout", "1", "--connect", f"127.0.0.1:{evil}"],
                          ["sync", "--timeout", "1", "--connect", evil + ".invalid"],
                          ["sync", "--timeout", "1", "--proxy", evil, "--connect", "127.0.0.1:1"],
                          ["--datadir", f"/proc/{evil}", "create"],
                          ["headers", "import", evil], ["--config", evil, "balance"],
                          ["filter", "inspect", "--file", evil], ["broadcast", evil],
                          ["restore", "--mnemonic-file", evil], ["peers", "add", evil],
                          ["--wallet", evil, "balance"], [evil], ["balance", "--" + evil]):
            result = self.run_petal(*arguments)
            self.assertNotEqual(result.status, 0, arguments)
            self.assertNotRegex(result.out + result.err, obeyed, arguments)
            if "import" in arguments:
                self.assertIn("\\x1b[2J\\u202e\\x9b", result.err)
        label = "\u202e\x1b[2J"
        self.succeed("receive", "--new", "--label", label)
        self.assertIn("\\u202e\\x1b[2J", self.succeed("addresses").out)
        listed = self.succeed("addresses", "--json").json["addresses"]
        self.assertEqual(listed[0]["label"], label)

    def test_warns_where_the_seed_is_not_encrypted(self):
        password = self.folder / "password"
        password.write_text("correct horse\n")
        clear = self.succeed("--wallet", "clear", "create")
        self.assertRegex(clear.err, r"^warning: the seed is not encrypted: [^\n]+\n$")
        safe = self.succeed("--wallet", "safe", "create", "--password-file", password)
        self.assertEqual(safe.err, "")

    def test_writes_no_core_and_hides_its_memory(self):
        def may_dump():
            hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
            resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))

        node = self.start("regtest-node", "--port", "0", "--json", preexec_fn=may_dump)
        node.stdout.readline()
        limits = pathlib.Path(f"/proc/{node.pid}/limits").read_text()
        self.assertRegex(limits, r"Max core file size +0 +0 ")
        if os.geteuid() != 0:  # root's files belong to uid 0 in any case
            self.assertEqual(os.stat(f"/proc/{node.pid}/mem").st_uid, 0)

    @unittest.skipUnless(os.geteuid() == 0, "only root can look at the memory of petal")
    def test_a_sync_that_follows_does_not_hold_the_seed(self):
        _, listening = self.start_node("--pay", ADDRESS)
        self.restore()
        sync = self.start("sync", "--follow", "--json", "--connect", listening["address"])
        self.next_event(sync, "synced")
        seed = hashlib.pbkdf2_hmac("sha512", WORDS.encode(), b"mnemonic", 2048)
        pubkey_hash = bytes.fromhex("d0c4a3ef09e997b6e99e397e518fe3e41a118ca1")  # the hash of ADDRESS
        found = {"seed": 0, "address": 0}
        try:
            open(f"/proc/{sync.pid}/mem", "rb").close()
        except PermissionError:
            self.skipTest("root may not look at others' memory here")
        with open(f"/proc/{sync.pid}/maps") as maps, open(f"/proc/{sync.pid}/mem", "rb", 0) as mem:
            for line in maps:
                place, rights = line.split()[:2]
                begin, end = (int(number, 16) for number in place.split("-"))
                if not rights.startswith("rw") or end - begin > 1 << 30:
                    continue
                mem.seek(begin)
                content = mem.read(end - begin)
                found["seed"] += content.count(seed[:16])
                found["address"] += content.count(pubkey_hash)
        self.assertEqual(found["seed"], 0)
        self.assertGreater(found["address"], 0, "what the wallet watches is in memory")


if __name__ == "__main__":
    unittest.main()
