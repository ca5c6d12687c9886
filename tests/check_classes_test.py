"""Proves that check_classes.py counts correctly."""

import pathlib
import unittest

from check_classes import DATA_MEMBERS, EXEMPT, FOLDERS, FUNCTIONS, broken_rules, classes_of
from cpp_source import complaints_about

ROOT = pathlib.Path(__file__).resolve().parents[1]


def counts(body, head="struct Sample"):
    """(functions, data members) of a class with this body."""
    ((_, _, functions, data),) = classes_of(f"{head} {{\n{body}\n}};")
    return functions, data


class Classes(unittest.TestCase):
    def test_counts_functions_by_name(self):
        for body, functions in [
            ("void a(); void a(int); int b() const { return f(1, {2}); }", 2),
            ("Sample(); explicit Sample(int); ~Sample(); Sample& operator=(const Sample&) = delete;", 0),
            ("static Sample create(std::map<int, int> rows = {});", 1),
            ("template <class T> void each(T act) { act(1); act(2); }", 1),
            ("virtual bool is_open() const = 0; // bool is_shut();", 1),
            ("friend bool operator==(const Sample&, const Sample&) = default; friend void f();", 0),
        ]:
            with self.subTest(body=body):
                self.assertEqual(counts(body), (functions, 0))

    def test_counts_data_members(self):
        for body, data in [
            ("int a = 0; std::map<int, int> b{{1, 2}, {3, 4}}; int c, d;", 4),
            ("std::function<void(int, int)> on_change; mutable bool known_ = f(1);", 2),
            ("public: int a; private: WakeUp clock_{io_->executor()};", 2),
            ("static constexpr int kMost = 5; static_assert(kMost > 1); using Ids = std::vector<int>;", 0),
            ("enum class Kind { a, b }; Kind kind = Kind::a;", 1),
            ("struct { int a; int b; } pair_;", 1),
        ]:
            with self.subTest(body=body):
                self.assertEqual(counts(body)[1], data)

    def test_counts_nested_types_by_themselves(self):
        nested = list(classes_of("class A final : public B { struct C { int d; int e; }; C c_; };"))
        self.assertEqual(nested, [(1, "A", 0, 1), (1, "C", 0, 2)])

    def test_complains_beyond_the_limits(self):
        def functions(count):
            return "".join(f"void f{i}();" for i in range(count))

        def members(count):
            return "".join(f"int m{i};" for i in range(count))

        for body, complaints in [
            (functions(FUNCTIONS) + members(DATA_MEMBERS), 0),
            (functions(FUNCTIONS + 1), 1),
            (members(DATA_MEMBERS + 1), 1),
        ]:
            for head in ("struct Sample", "class Sample final : private Base"):
                with self.subTest(body=body[-20:], head=head):
                    self.assertEqual(len(broken_rules(f"{head} {{{body}}};")), complaints)

    def test_exempts_only_classes_that_need_it(self):
        exempt = dict(EXEMPT)
        EXEMPT.clear()
        try:
            complaints = "\n".join(complaints_about(ROOT, FOLDERS, broken_rules))
        finally:
            EXEMPT.update(exempt)
        for name in exempt:
            with self.subTest(name=name):
                self.assertRegex(complaints, rf": {name} has ")


if __name__ == "__main__":
    unittest.main()
