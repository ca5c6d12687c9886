"""Proves that check_coroutines.py refuses what g++ 12 miscompiles, and only that."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

from check_coroutines import broken_rules
from cpp_source import without_comments, without_comments_and_literals

ACCEPTED = [
    "co_await f();",
    "co_await asio::async_read(socket_, asio::buffer(bytes), asio::use_awaitable);",
    "co_await timer.async_wait(asio::use_awaitable);",
    "co_await peer->send(ping());",
    "co_await send(std::move(message));",
    "co_await send(queue[0]);",
    "co_await first_of(read_loop(), watchdog());",
    "co_await run<Clock>(deadline);",
    "for (int i = 0; i < 3; ++i) co_await step();",
    "if (auto x = g(); x) co_await step();",
    "const auto x = co_await f();",
    "auto x = co_await f();",
    "auto& x = co_await f();",
    "const Bytes header = co_await read_exactly(kHeaderBytes);",
    "std::vector<std::uint8_t> x = co_await f();",
    "chain::Expected<Bytes, Error> x = co_await f();",
    "auto [error, size] = co_await f();",
    "const auto [error, size] = co_await f();",
    "[[maybe_unused]] const auto x = co_await f();",
    "member_ = co_await f();",
    "state.name = co_await f();",
    "this->name = co_await f();",
    "co_return co_await f();",
    "const auto executor = co_await asio::this_coro::executor;",
    "for (const auto& x : co_await f()) use(x);",
    "for (auto x : co_await std::vector_of(a)) {\n use(x);\n}",
    "asio::steady_timer timer{co_await asio::this_coro::executor};",
    "asio::steady_timer timer{co_await asio::this_coro::executor, std::chrono::milliseconds{1}};",
    "tcp::socket socket{co_await asio::this_coro::executor};",
    "if (ready) co_await f();",
    "if (auto x = g(); x > 1) {\n    co_await f();\n} else {\n    co_await g();\n}",
    "if (a) return;\nelse co_await f();",
    "while (running()) co_await step();",
    "for (;;) co_await step();",
    "for (;;) {\n    co_await step();\n}",
    "switch (kind) {\n    case Kind::a:\n        co_await f();\n        break;\n    default:\n"
    "        co_await g();\n}",
    "try {\n    co_await f();\n} catch (const E& e) {\n    reason = e.what();\n}",
    "const Point p{1, 2};\nco_await f(p);",
    "std::vector<int> v = {1, 2};\nco_await f(v);",
    "auto task = [this]() -> asio::awaitable<void> {\n    co_await f();\n};\nco_await g(task);",
    "// if (co_await f()) {}",
    "/* co_await f({1}); */",
    'log("while (co_await f()) {");',
    'log(R"(co_await f({1});)");',
    "const int n = 20'000;\nco_await f(n);\nconst int m = 1'0;",
    "const char c = '{';\nco_await f();\nconst char d = '\\'';",
]

REFUSED = [
    # Braces among the arguments: the temporary is destroyed twice.
    "co_await send(Message{name, bytes});",
    "co_await send({name, bytes});",
    "co_await send(Message{\n    name,\n    bytes});",
    "const auto x = co_await send(Message{name, bytes});",
    "co_await f(Message{name, {1, 2, 3}});",
    "co_await f(std::vector<int>{1, 2});",
    # A lambda among the arguments: it is used after it was freed.
    "co_await f([captured] { g(captured); });",
    "co_await f([] { g(); });",
    "co_await f(1, [=] { g(); });",
    "co_await co_spawn(ex, [x]() -> asio::awaitable<void> { co_return; }, asio::deferred);",
    # In a condition: a crash or a hang.
    "if (co_await f()) g();",
    "if (!co_await f()) g();",
    "if (const auto x = co_await f(); x) g();",
    "while (co_await f()) g();",
    "do {\n    g();\n} while (co_await f());",
    "switch (co_await f()) {\n    default: break;\n}",
    "for (int i = 0; co_await more(i); ++i) g();",
    "for (int i = co_await f(); i < 3; ++i) g();",
    # With ?: the temporary is destroyed twice.
    'text = flag ? co_await f() : std::string("no");',
    "const auto x = co_await f() ? 1 : 2;",
    "const auto x = co_await (flag ? f() : g());",
    "for (auto x : flag ? co_await f() : g()) use(x);",
    # More than one in a statement, or one inside another expression.
    "g(co_await f());",
    "const auto x = co_await f() + co_await g();",
    "const auto x = co_await g(co_await f());",
    "const auto x = 1 + co_await f();",
    "const auto x = co_await f() + 1;",
    "const auto x = (co_await f()).value();",
    "total += co_await f();",
    "items[0] = co_await f();",
    "co_return (co_await f()).size();",
    "co_return !co_await f();",
    "co_return flag && co_await f();",
    "co_yield co_await f();",
    "throw co_await f();",
    "co_await (f() || g());",
    "co_await (f() && g());",
    "const Message m{co_await f(), 1};",
    "const Message m{1, co_await f()};",
    "queue.push_back({co_await f()});",
    "const auto x = Message{co_await f()};",
    "asio::steady_timer timer{co_await asio::this_coro::executor, flag ? a : b};",
    "asio::steady_timer timer{co_await asio::this_coro::executor, [] { return 1; }()};",
    # Text that could hide a co_await from a simple parser.
    'log("//"); if (co_await f()) g();',
    "const char q = '\"'; if (co_await f()) g();",
    "const int n = 1'000; if (co_await f()) g('x');",
    'log(R"x(")x"); if (co_await f()) g();',
    "/* one */ if (co_await f()) /* two */ g();",
]


def in_coroutine(statement):
    return "asio::awaitable<void> Peer::run(int a) const {\n    int x;\n    " + statement + "\n}\n"


class Coroutines(unittest.TestCase):
    def test_accepts_the_safe_shapes(self):
        for statement in ACCEPTED:
            with self.subTest(statement=statement):
                self.assertEqual(broken_rules(in_coroutine(statement)), [])

    def test_refuses_every_other_shape(self):
        for statement in REFUSED:
            with self.subTest(statement=statement):
                self.assertNotEqual(broken_rules(in_coroutine(statement)), [])

    def test_names_the_line(self):
        broken = broken_rules(in_coroutine("co_await f();\n/* a\nb */ if (co_await f()) g();"))
        self.assertEqual([line for line, _ in broken], [5])

    def test_the_program_fails_on_a_bad_tree_and_passes_a_good_one(self):
        script = pathlib.Path(__file__).with_name("check_coroutines.py")
        for statement, status in [("co_await f();", 0), ("if (co_await f()) g();", 1)]:
            with self.subTest(statement=statement), tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder, "net", "io", "peer.cpp")
                file.parent.mkdir(parents=True)
                file.write_text(in_coroutine(statement), encoding="utf-8")
                run = subprocess.run(
                    [sys.executable, script, folder], capture_output=True, text=True, check=False
                )
                self.assertEqual(run.returncode, status, run.stdout)
                self.assertEqual("net/io/peer.cpp:3:" in run.stdout, status == 1)


class CppSource(unittest.TestCase):
    def test_keeps_lines_and_columns(self):
        source = 'a /* b\nc */ d; // e\nf("g // h", R"(i\n"j)", \'"\', 1\'000); // k\n'
        for blanked in (without_comments(source), without_comments_and_literals(source)):
            self.assertEqual(len(blanked), len(source))
            self.assertEqual(blanked.count("\n"), source.count("\n"))

    def test_blanks_only_what_it_should(self):
        source = 'f("g // h"); // k'
        self.assertEqual(without_comments(source), 'f("g // h");     ')
        self.assertEqual(without_comments_and_literals(source), 'f("      ");     ')


if __name__ == "__main__":
    unittest.main()
