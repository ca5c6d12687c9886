"""Proves that check_hardening.py notices each missing property. CXX names the compiler; the flags are those of
cmake/PetalHardening.cmake."""

import os
import pathlib
import platform
import subprocess
import tempfile
import unittest

from check_hardening import missing_properties

SOURCE = r"""
#include <cstdio>
#include <cstring>
#include <vector>
int main(int argc, char** argv) {
    char text[8];
    std::strcpy(text, argv[0]);
    const std::vector<int> numbers(static_cast<unsigned long>(argc));
    std::printf("%s %d %s\n", text, numbers[static_cast<unsigned long>(argc) - 1], WHERE);
}
"""
X86 = platform.machine() == "x86_64"
BRANCHES = "-fcf-protection=full" if X86 else "-mbranch-protection=standard"
# Each flag, its replacement in a build without it, and the property that is then missing.
FLAGS = [
    ("-D_FORTIFY_SOURCE=2", "-O2", "_FORTIFY_SOURCE"),
    ("-D_GLIBCXX_ASSERTIONS", "-O2", "_GLIBCXX_ASSERTIONS"),
    ("-fstack-protector-strong", "-fno-stack-protector", "stack canaries (__stack_chk_fail)"),
    ("-pie", "-no-pie", "position-independent executable"),
    ("-Wl,-z,relro", "-Wl,-z,norelro", "RELRO"),
    ("-Wl,-z,now", "-Wl,-z,lazy", "BIND_NOW"),
    ("-Wl,-z,noexecstack", "-Wl,-z,execstack", "stack that cannot be executed"),
    ("-Wl,-z,separate-code", "-Wl,-z,noseparate-code", "code in a segment of its own"),
    ("-DWHERE=\"x\"", "-DWHERE=\"/a/build/folder\"", "no build path (/a/build/folder)"),
    ("-O2", "-Wl,-rpath,/opt/lib", "no search path for libraries"),
    (BRANCHES, "-fcf-protection=none" if X86 else "-mbranch-protection=none",
     "CET in all object files" if X86 else "BTI and PAC in all object files"),
]


class Hardening(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.source = self.folder / "program.cpp"
        self.source.write_text(SOURCE, encoding="utf-8")

    def missing(self, flags):
        compiled, linked = self.folder / "program.o", self.folder / "program"
        command = [os.environ.get("CXX", "c++"), "-O2", "-fPIE", "-U_FORTIFY_SOURCE", *flags, "-w"]
        subprocess.run([*command, "-c", self.source, "-o", compiled], check=True)
        subprocess.run([*command, compiled, "-o", linked], check=True)
        return missing_properties(linked, [compiled], ["/a/build/folder"])

    def test_passes_if_all_flags_are_there(self):
        self.assertEqual(self.missing([flag for flag, _, _ in FLAGS]), [])

    def test_notices_each_missing_flag(self):
        for left_out, instead, lacks in FLAGS:
            with self.subTest(left_out=left_out):
                flags = [instead if flag == left_out else flag for flag, _, _ in FLAGS]
                self.assertEqual(self.missing(flags), [lacks])


if __name__ == "__main__":
    unittest.main()
