"""What others on the machine put in petal's way: FIFOs, config files, folders; and keys that others could read."""

import os
import socket
import subprocess
import unittest

from petal_process import ADDRESS, LIMIT, PAYEE, WORDS, PetalTest, environment

ANOTHER_USER = 65534  # nobody
# BIP32's first test vector, and BIP322's example.
XPRV = ("xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtR"
        "BeJgk33yuGBxrMPHi")
WIF = "L3VFeEujGtevx9w18HD1fhRbCH67Az2dpCymeRE1SoPK6XQtaN2k"


class OtherUsersTest(PetalTest):
    def test_irregular_files_hang_no_command(self):
        _, listening = self.start_node("--pay", ADDRESS)
        self.restore()
        connect = "--connect", listening["address"]
        self.succeed("sync", *connect)
        network = self.data / "regtest"
        wallet = network / "wallets" / "default.db"
        places = [self.data / "petal.toml"]
        places += [network / name for name in (
            "headers.dat", "headers.dat.new", "headers.dat.index", "headers.dat.pending", "headers.dat.pending.new",
            "headers.dat.excluded", "headers.dat.excluded.new",
            "peers.db", "peers.db-journal", "peers.db-wal", "peers.db-shm", "fee-floor.json", "fee-floor.json.new")]
        places += [wallet.with_name(wallet.name + suffix) for suffix in (
            "", "-journal", "-wal", "-shm", ".lock", ".sync-lock", ".sync-standing", ".sync-standing.new",
            ".filter-hosts", ".filter-hosts.new", ".relay-node", ".relay-node.new")]
        places += [wallet.with_name(name) for name in ("other.db", "other.db.filter-hosts", "deleted.filter-hosts")]
        aside = self.folder / "aside"
        for place in places:
            if place.exists():
                place.rename(aside)
            os.mkfifo(place)
            for arguments in (["balance"], ["wallets"], ["receive", "--new"], ["peers", "add", "127.0.0.1:1"],
                              ["sync", *connect, "--timeout", "20"]):
                with self.subTest(place=place.name, command=arguments[0]):
                    result = self.run_petal(*arguments)  # fails after LIMIT seconds
                    self.assertIn(result.status, (0, 1, 2, 3, 5), result.err)
                    self.assertEqual(result.status == 0, "error: " not in result.err, result.err)
            if place.is_fifo():
                place.unlink()
            elif place.exists():  # the command put its own file there
                place.unlink()
            if aside.exists():
                aside.rename(place)
        self.succeed("sync", *connect)
        self.assertEqual(self.succeed("balance", "--json").json["confirmed_sat"], 100_000_000)

    def test_sockets_and_folders_are_named(self):
        self.succeed("create")
        journal = self.data / "regtest" / "wallets" / "default.db-journal"

        def make_socket(path):
            with socket.socket(socket.AF_UNIX) as made:
                made.bind(str(path))

        for make in os.mkfifo, os.mkdir, make_socket:
            make(journal)
            result = self.run_petal("balance")
            self.assertEqual(result.status, 1)
            self.assertIn("it is not a regular file", result.err)
            self.assertIn("default.db-journal", result.err)
            journal.rmdir() if journal.is_dir() else journal.unlink()
        self.succeed("balance")

    def test_named_files_may_be_pipes(self):
        reader, writer = os.pipe()
        os.write(writer, b"secret\n")
        os.close(writer)
        self.succeed("create", "--password-file", f"/dev/fd/{reader}", pass_fds=[reader])
        os.close(reader)
        fifo = self.folder / "words"
        os.mkfifo(fifo)
        process = self.start("--wallet", "b", "restore", "--mnemonic-file", str(fifo))
        fifo.write_text(WORDS)
        self.assertEqual(self.finish(process).status, 0)
        config = self.folder / "config"
        os.mkfifo(config)
        process = self.start("--config", str(config), "wallets")
        config.write_text("json = true\n")
        self.assertIn('"wallets"', self.finish(process).out)
        shell = " ".join(self.command("--wallet", "c", "restore", "--mnemonic-file", f"<(echo {WORDS})"))
        done = subprocess.run(["bash", "-c", shell], capture_output=True, timeout=LIMIT, env=environment())
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_foreign_config_file_runs_and_writes_nothing(self):
        if os.geteuid() != 0:
            self.skipTest("only root can give a file away")
        _, listening = self.start_node("--pay", ADDRESS)
        self.restore()
        self.folder.chmod(0o755)
        ran = self.folder / "ran"
        log = self.folder / "log"
        config = self.data / "petal.toml"
        config.write_text(f"log-file = '{log}'\n[sync]\nnotify = 'touch {ran}'\nfollow = true\ntimeout = 1\n"
                          f"connect = '{listening['address']}'\n")
        os.chown(config, ANOTHER_USER, ANOTHER_USER)
        # As cron runs it: nobody sees a warning.
        self.assert_fails(self.run_petal("--json", "sync"), 1, "unsafe-files")
        self.assertFalse(ran.exists() or log.exists())
        self.assert_fails(self.run_petal("--json", "balance"), 1, "unsafe-files")
        allowed = self.run_petal("sync", "--allow-unsafe-files")
        self.assertEqual(allowed.status, 0, allowed.err)
        self.assertTrue(ran.exists() and log.exists())

    def test_a_foreign_folder_gets_no_seed_and_can_be_read(self):
        if os.geteuid() != 0:
            self.skipTest("only root can give a folder away")
        self.restore()
        subprocess.run(["chown", "-R", str(ANOTHER_USER), self.data], check=True)
        for arguments in ["create"], ["watch", ADDRESS], ["restore", "--mnemonic-file", "-"]:
            result = self.run_petal("--json", "--wallet", "b", *arguments, stdin=WORDS)
            self.assert_fails(result, 1, "unsafe-files")
        self.assertEqual([one["wallet"] for one in self.succeed("wallets", "--json").json["wallets"]], ["default"])
        self.assertIn("belongs to another user", self.succeed("balance").err)
        self.succeed("balance", env=environment(SUDO_UID=str(ANOTHER_USER)))

    def test_no_message_repeats_a_private_key(self):
        self.succeed("create")
        log = self.folder / "log"
        for secret in XPRV, WIF, WORDS:
            for arguments in ([secret], ["--" + secret], ["send", secret, "0.1"], ["send", f"{secret}=0.1"],
                              ["send", PAYEE, secret], ["send", "bitcoin:" + secret], ["watch", secret],
                              ["watch", f"wpkh({secret})"], ["import", f"wpkh({secret}/*)"],
                              ["label", secret, "x"], ["label", PAYEE, secret], ["filter", "make", secret],
                              ["filter", "match", "--hex", "00", secret], ["psbt", "decode", secret],
                              ["broadcast", secret], ["verify-message", secret, "x", "y"], ["tx", secret],
                              ["verify-message", PAYEE, "x", secret], ["sync", "--connect", secret],
                              ["--wallet", secret, "balance"], ["--network", secret, "balance"],
                              ["--config", secret, "balance"], ["sync", f"--timeout={secret}"], ["help", secret]):
                with self.subTest(secret=secret[:8], arguments=arguments[:1]):
                    result = self.run_petal("--json", "--log-file", str(log), *arguments)
                    self.assert_fails(result, 2, "secret-argument")
                    self.assertIn("history", result.err)
                    self.assertNotIn(secret, result.err + result.out)
        words = WORDS.split()
        self.assert_fails(self.run_petal("--json", "restore", *words), 2, "secret-argument")
        self.assertFalse(log.exists())

    def test_no_message_repeats_a_private_key_from_elsewhere(self):
        self.succeed("create")
        config = self.data / "petal.toml"
        for secret in XPRV, WIF, WORDS:
            config.write_text(f"log-file = '{self.folder / 'log'}'\n")
            lines = self.run_petal("filter", "make", "--fpr", "0.1", "--stdin", stdin=f"{secret}\n")
            results = [lines]
            for variable in "PETAL_NETWORK", "PETAL_WALLET":
                results.append(self.run_petal("balance", env=environment(**{variable: secret})))
            for text in (f"network = '{secret}'\n", f"{secret.replace(' ', '-')} = 1\n", f"connect = '{secret}'\n",
                         f"log-level = '{secret}'\n", f"[sync]\ntimeout = '{secret}'\n"):
                config.write_text(text)
                results.append(self.run_petal("sync", "--timeout", "1"))
            config.unlink()
            for result in results:
                self.assertNotEqual(result.status, 0)
                for part in secret, secret[:40], secret.replace(" ", "-"):
                    self.assertNotIn(part, result.err + result.out)
            self.assertNotIn(secret, (self.folder / "log").read_text())


if __name__ == "__main__":
    unittest.main()
