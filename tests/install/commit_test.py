#!/usr/bin/env python3
"""Tests of cmake/PetalCommit.cmake: the commit that a build names."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

CMAKE = pathlib.Path(__file__).resolve().parents[2] / "cmake"
# git hooks and `rebase --exec` inherit the variables that name their repository.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}


def commit_in(source):
    """The commit in a C++ source that cmake/PetalCommit.cmake wrote."""
    return re.search(r'kCommit = "(.*)";', source.read_text())[1]


def commit_named_by(sources, output, **variables):
    """The commit that a build of these sources names. `output` is the C++ source that is written for it."""
    script = sources / "cmake" / "PetalCommit.cmake"
    command = ["cmake", f"-Dpetal_root={sources}", f"-Dpetal_output={output}", "-P", script]
    subprocess.run(command, check=True, env=ENVIRONMENT | variables)
    return commit_in(output)


@unittest.skipUnless(shutil.which("git"), "there is no git")
class CommitTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.sources = self.folder / "sources"
        (self.sources / "cmake").mkdir(parents=True)
        for name in ("PetalCommit.cmake", "commit.txt"):
            shutil.copy(CMAKE / name, self.sources / "cmake")
        shutil.copy(CMAKE.parent / ".gitattributes", self.sources)

    def git(self, *arguments, folder=None):
        settings = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
        command = ["git", "-C", folder or self.sources, *settings, *arguments]
        return subprocess.run(
            command, check=True, capture_output=True, text=True, env=ENVIRONMENT).stdout.strip()

    def commit_all(self, folder=None):
        """Makes the folder a repository, and returns its commit."""
        self.git("init", "--quiet", folder=folder)
        self.git("add", "--all", folder=folder)
        self.git("commit", "--quiet", "--message", "all", folder=folder)
        return self.git("rev-parse", "HEAD", folder=folder)

    def named(self, sources=None, **variables):
        return commit_named_by(sources or self.sources, self.folder / "commit.cpp", **variables)

    def test_it_is_the_one_that_is_checked_out(self):
        commit = self.commit_all()
        self.assertEqual(self.named(), commit[:12])
        (self.sources / "cmake" / "commit.txt").write_text("changed")
        self.assertEqual(self.named(), commit[:12] + "-dirty")

    def test_a_tag_does_not_take_its_place(self):
        commit = self.commit_all()
        self.git("tag", "v1", "--annotate", "--message", "one")
        self.assertEqual(self.named(), commit[:12])

    def test_an_archive_names_its_commit(self):
        commit = self.commit_all()
        archive = self.folder / "archive"
        archive.mkdir()
        self.git("archive", "--output", self.folder / "archive.tar", "HEAD")
        subprocess.run(["tar", "-xf", self.folder / "archive.tar", "-C", archive], check=True)
        self.assertEqual(self.named(archive), commit[:12])

    def test_a_copy_without_git_names_none(self):
        self.assertEqual(self.named(), "")

    def test_another_projects_repository_is_not_asked(self):
        self.commit_all(folder=self.folder)
        self.assertEqual(self.named(), "")

    def test_a_hook_of_another_repository_may_run_the_build(self):
        commit = self.commit_all()
        other = self.folder / "other"
        other.mkdir()
        (other / "file").touch()
        self.commit_all(folder=other)
        self.assertEqual(self.named(GIT_DIR=str(other / ".git")), commit[:12])

    def test_the_same_commit_is_not_written_again(self):
        self.commit_all()
        self.named()
        first = (self.folder / "commit.cpp").stat().st_mtime_ns
        self.named()
        self.assertEqual((self.folder / "commit.cpp").stat().st_mtime_ns, first)


if __name__ == "__main__":
    unittest.main()
