#!/usr/bin/env python3
"""Installs petal's libraries from the build folder PETAL_BUILD, and uses them as other projects do. Also runs the
command of that folder, to check which commit it names."""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

from commit_test import ENVIRONMENT, commit_in, commit_named_by

BUILD = pathlib.Path(os.environ["PETAL_BUILD"])
CONSUMER = pathlib.Path(__file__).resolve().parent / "consumer"
SOURCES = CONSUMER.parents[2]
# The compiler of petal, and the flags of the sanitizers that its users must link.
CXX = os.environ["CXX"]
CXXFLAGS = shlex.split(os.environ.get("CXXFLAGS", ""))

EXPECTED = {
    "bloom": "0 1\n",
    "client": "/missing/regtest/wallets/some.db 1\n",
    # Bitcoin Core, kernel/chainparams.cpp
    "chain": "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f\n",
    "net": "ping 1\n",
    "regtest": "3\n",
    # m/84h/1h/0h/0/0 (BIP39, BIP32, BIP84), computed with Python's hashlib and unicodedata
    "wallet": "bcrt1q4p7p56mcpyh2l32xtvwup5d7yk87w933xta0e2\n",
}


# What filters alone do not need: these packages are not found, nor is anything that pkg-config describes.
UNWANTED = ("Boost", "CLI11", "SQLite3", "SQLiteCpp", "nlohmann_json", "secp256k1", "tomlplusplus")


def run(*command, **options):
    """The standard output of a command that must succeed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode:
        raise AssertionError(f"{command} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def snippets_of(guide):
    """The blocks of C++ of a Markdown text, named after the first word of the heading above and numbered below it."""
    snippets = {}
    section, count = "", 0
    for heading, code in re.findall(r"^## (\w+)|^```cpp\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL):
        section, count = (heading, 0) if heading else (section, count + 1)
        if code:
            snippets[f"{section}_{count}"] = code
    return snippets


def moved_after(file):
    """Whether another commit was checked out or made after the file was written, or may have been."""
    if not shutil.which("git"):
        return False  # then the build did not ask git either
    found = subprocess.run(["git", "-C", SOURCES, "rev-parse", "--git-path", "logs/HEAD"], env=ENVIRONMENT,
                           capture_output=True, text=True, check=False)
    log = SOURCES / found.stdout.strip()
    return found.returncode == 0 and not (log.is_file() and log.stat().st_mtime <= file.stat().st_mtime)


class CommandTest(unittest.TestCase):
    def test_version_names_the_commit_of_the_sources(self):
        source = BUILD / "cli" / "commit.cpp"
        command = BUILD / "cli" / "petal"
        if command.stat().st_mtime < source.stat().st_mtime:
            self.skipTest("the last build did not make the command")
        named = json.loads(run(command, "--version", "--json"))["commit"]
        self.assertEqual(named, commit_in(source) or None)
        with tempfile.TemporaryDirectory() as folder:
            now = commit_named_by(SOURCES, pathlib.Path(folder) / "commit.cpp")
        # Files may have been changed, or changed back, since the build.
        built, now = (named or "").removesuffix("-dirty"), now.removesuffix("-dirty")
        if built != now and (SOURCES / ".git").exists() and moved_after(source):
            self.skipTest("the build is older than the commit that is checked out")
        self.assertEqual(built, now)


class InstallTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.prefix = cls.folder / "prefix"
        run("cmake", "--install", BUILD, "--prefix", cls.prefix, "--component", "development")
        cls.guide = (SOURCES / "docs" / "api.md").read_text(encoding="utf-8")
        (cls.folder / "snippets").mkdir()
        for name, code in snippets_of(cls.guide).items():
            (cls.folder / "snippets" / f"{name}.inc").write_text(code, encoding="utf-8")
        cls.pkgconfig = next(cls.prefix.rglob("petal-net.pc")).parent

    def test_headers_include_each_other_below_petal(self):
        include = self.prefix / "include"
        self.assertEqual([path.name for path in include.iterdir()], ["petal"])
        headers = list(include.rglob("*.h"))
        self.assertIn(include / "petal" / "net" / "io" / "spv_client.h", headers)
        quoted = re.compile(r'^\s*#\s*include\s*"([^" ]*)"', re.MULTILINE)  # not the message about C++20
        included = {name for header in headers for name in quoted.findall(header.read_text())}
        self.assertIn("petal/chain/bytes.h", included)
        self.assertEqual([name for name in sorted(included) if not (include / name).is_file()], [])
        self.assertEqual([name for name in included if not name.startswith("petal/")], [])

    def test_a_header_refuses_an_older_standard_with_one_error(self):
        for standard, errors in ("c++17", ["petal needs C++20: compile with -std=c++20 or later"]), ("c++20", []):
            source = self.folder / "standard.cpp"
            source.write_text("#include <petal/bloom/sizing.h>\n")
            done = subprocess.run([CXX, f"-std={standard}", "-fsyntax-only", "-I", self.prefix / "include", source],
                                  capture_output=True, text=True, check=False)
            found = re.findall(r"error: '?(.*?)'?(?: file not found|: No such file.*)?$", done.stderr, re.MULTILINE)
            self.assertEqual(found, errors, done.stderr)

    def headers_of_the_guide(self):
        return sorted(set(re.findall(r"`((?:bloom|chain|client|net|regtest|wallet)/[\w/]+\.h)`", self.guide)))

    def test_every_error_and_outcome_has_a_text(self):
        texts = {header: header.read_text() for header in (self.prefix / "include").rglob("*.h")}
        described = set(re.findall(r"\bdescribe\((?:const )?(\w+)", "".join(texts.values())))
        # The result of SpvClient::run() is in a header that the guide does not name.
        named = [*self.headers_of_the_guide(), "net/io/spv_result.h", "net/broadcast/broadcast_report.h"]
        kinds = {kind for header in named for kind in re.findall(
            r"enum class (\w+(?:Error|Outcome)) ", texts[self.prefix / "include" / "petal" / header])}
        self.assertLessEqual({"SyncOutcome", "BroadcastOutcome", "AbandonError", "AddressError"}, kinds)
        self.assertEqual(kinds - described, set())

    def test_all_headers_that_the_guide_names_compile_together(self):
        headers = self.headers_of_the_guide()
        self.assertIn("chain/transaction.h", headers)
        source = self.folder / "headers.cpp"
        source.write_text("".join(f"#include <petal/{header}>\n" for header in headers))
        run(CXX, "-std=c++20", "-fsyntax-only", "-I", self.prefix / "include", source)

    def test_nothing_installed_names_the_build_or_the_sources(self):
        root = str(SOURCES).encode()
        for path in self.prefix.rglob("*"):
            if path.is_file() and path.suffix != ".a":  # the archives of debug builds name it
                self.assertNotIn(root, path.read_bytes(), path)

    def test_each_snippet_of_the_guide_is_part_of_a_program(self):
        used = re.findall(r'#include "snippets/(\w+)\.inc"', (CONSUMER / "guide.cpp").read_text())
        self.assertEqual(sorted(used), sorted(snippets_of(self.guide)))
        self.assertIn("net_1", used)

    def configure_for_bloom(self, build, *options):
        """Configures the project that needs filters alone, where nothing else is found."""
        unwanted = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in UNWANTED]
        return run("cmake", "-S", CONSUMER / "bloom_only", "-B", build, "-G", "Ninja", *unwanted, *options,
                   env=os.environ | {"PKG_CONFIG_LIBDIR": str(self.folder)})

    def test_one_component_needs_no_more_than_its_own_dependencies(self):
        build = self.folder / "component"
        self.configure_for_bloom(build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", build)
        self.assertEqual(run(build / "bloom"), EXPECTED["bloom"])
        with self.assertRaisesRegex(AssertionError, "petal has no component wallets, only chain, bloom,"):
            self.configure_for_bloom(build, "-Dcomponent=wallets")
        with self.assertRaisesRegex(AssertionError, "Boost"):
            self.configure_for_bloom(build, "-Dcomponent=net")

    def test_a_component_that_lacks_a_library_is_optional(self):
        options = f"-DCMAKE_PREFIX_PATH={self.prefix}", "-Doptional=net;wallets"
        told = self.configure_for_bloom(self.folder / "optional", *options)
        self.assertEqual(re.findall("-- component (.*)", told), ["bloom: TRUE", "net: FALSE", "wallets: FALSE"])
        told = run("cmake", "-S", CONSUMER / "bloom_only", "-B", self.folder / "with_net", "-G", "Ninja", *options)
        self.assertEqual(re.findall("-- component (.*)", told), ["bloom: TRUE", "net: TRUE", "wallets: FALSE"])

    def test_a_project_builds_one_library_of_the_sources(self):
        build = self.folder / "sources"
        self.configure_for_bloom(build, f"-DPETAL_SOURCES={SOURCES}", "-DCMAKE_BUILD_TYPE=Debug",
                                 "-DCMAKE_UNITY_BUILD=ON")
        run("cmake", "--build", build)
        self.assertEqual(run(build / "bloom"), EXPECTED["bloom"])
        [command] = [line for line in run("ninja", "-C", build, "-t", "commands", "bloom").splitlines()
                     if " -o CMakeFiles/bloom.dir/" in line and " -c " in line]
        self.assertIn(f"-I{build}/petal/include ", command)
        self.assertNotIn(f"{SOURCES} ", command)

    def test_the_guide_and_the_examples_are_installed(self):
        doc = self.prefix / "share" / "doc" / "petal"
        self.assertTrue((doc / "examples" / "watch_wallet.cpp").is_file())
        for target in re.findall(r"\]\(([^)#:]+)[^):]*\)", self.guide):
            if not target.startswith("../tests/"):
                self.assertTrue((doc / "docs" / target).exists(), target)

    def uninstall(self):
        """Runs what the target `uninstall` runs after the last `cmake --install`."""
        # The target's script, in a folder of its own: the files of other installations must stay.
        build = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        for name in "install_manifest_development.txt", "install_root_development.txt", "install_folders.txt":
            shutil.copy(BUILD / name, build)
        command = re.search(r"\S*cmake -D petal_build=\S+ -P (\S+)",
                            run("ninja", "-C", BUILD, "-t", "commands", "uninstall"))
        run("cmake", "-D", f"petal_build={build}", "-P", command[1])

    def test_uninstall_removes_files_and_its_own_folders(self):
        prefix = self.folder / "uninstalled"
        others = prefix / "lib" / "pkgconfig" / "other.pc"
        others.parent.mkdir(parents=True)
        others.touch()
        empty = prefix / "share"
        empty.mkdir()
        # A relative prefix: it is relative to where `cmake --install` runs, and not where `uninstall` does.
        run("cmake", "--install", BUILD, "--prefix", prefix.name, "--component", "development", cwd=self.folder)
        self.assertTrue((prefix / "include" / "petal").is_dir())
        self.uninstall()
        self.assertEqual(sorted(prefix.rglob("*")), sorted([empty, prefix / "lib", others.parent, others]))

    def test_uninstall_leaves_the_files_at_the_place_that_was_staged_for(self):
        prefix, stage = self.folder / "staged", self.folder / "stage"
        run("cmake", "--install", BUILD, "--prefix", prefix, "--component", "development",
            env=os.environ | {"DESTDIR": str(stage)})
        self.assertTrue((stage / prefix.relative_to("/") / "include" / "petal").is_dir())
        others = prefix / "include" / "petal" / "chain" / "bytes.h"
        others.parent.mkdir(parents=True)
        others.touch()
        self.uninstall()
        self.assertTrue(others.is_file())
        self.assertFalse(stage.exists())

    def test_cmake_finds_the_package(self):
        build = self.folder / "build"
        run("cmake", "-S", CONSUMER, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DPETAL_GUIDE={self.folder}")
        run("cmake", "--build", build)
        for program, output in EXPECTED.items():
            self.assertEqual(run(build / program), output)
        self.assertRegex(run(build / "guide"), r"\A[a-z ]+: .+\nall blocks are in: 50000\npeers have accepted it.*\n70000 sat\n"
                         r"peers have accepted it.*\n\Z")
        commands = run("ninja", "-C", build, "-t", "commands")
        self.assertIn(f"{self.prefix}/include ", commands)
        self.assertNotIn(f"{self.prefix}/include/petal ", commands)

    @unittest.skipUnless(shutil.which("pkg-config"), "there is no pkg-config")
    def test_pkg_config_finds_the_libraries(self):
        known = {path.stem for path in self.pkgconfig.iterdir()}
        self.assertEqual(known, {"petal-bloom", "petal-chain", "petal-chain-primitives", "petal-client", "petal-net",
                                 "petal-regtest", "petal-wallet"})
        environment = os.environ | {"PKG_CONFIG_PATH": str(self.pkgconfig)}

        def flags(option, *modules):
            return shlex.split(run("pkg-config", option, *modules, env=environment))

        self.assertFalse({"-lsecp256k1", "-lsqlite3"} & set(flags("--libs", "petal-bloom")))
        # All of petal in a shared object, which nothing may have to be relocated for.
        shared = self.folder / "libshared.so"
        run(CXX, *CXXFLAGS, "-shared", "-Wl,-z,text", "-Wl,--whole-archive", *self.prefix.rglob("*.a"),
            "-Wl,--no-whole-archive", "-o", shared)
        foreign = [flag for flag in flags("--libs", *known) if not flag.startswith("-lpetal_")]
        for name, output in EXPECTED.items():
            compiled = self.folder / f"{name}.o"
            run(CXX, "-std=c++20", *CXXFLAGS, "-c", CONSUMER / f"{name}.cpp", "-o", compiled,
                *flags("--cflags", f"petal-{name}"))
            for libraries in (flags("--libs", f"petal-{name}"), flags("--libs", *known),
                              [shared, f"-Wl,-rpath,{self.folder}", *foreign]):
                program = self.folder / name
                run(CXX, *CXXFLAGS, compiled, "-o", program, *libraries)
                self.assertEqual(run(program), output)


if __name__ == "__main__":
    unittest.main()
