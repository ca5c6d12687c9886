#!/usr/bin/env python3
"""Fails when a co_await takes a shape that g++ 12 miscompiles. usage: check_coroutines.py ROOT

One co_await a statement; its result goes into a named variable or nowhere; its arguments are names
and plain function calls. g++ 12 destroys temporaries of other shapes twice, or crashes (double free
with braces or a lambda among the arguments and with ?:, a crash or hang with co_await in the
condition of if, while or switch); every shape accepted here was run under AddressSanitizer.
"""

import re

from cpp_source import run_check, without_comments_and_literals

FOLDERS = ("chain", "bloom", "wallet", "net", "regtest", "cli", "tests")

_NAME = r"[A-Za-z_]\w*"
_TYPE = rf"(?:const\s+)?{_NAME}(?:::{_NAME})*(?:<[^;={{}}()]*>)?(?:\s*[&*]+\s*|\s+)"
_PLACE = rf"{_NAME}(?:(?:\.|->|::){_NAME})*"

# The code that may precede co_await in its statement.
_BEFORE = [
    re.compile(r"(?:co_return)?"),
    re.compile(rf"(?:\[\[maybe_unused\]\]\s*)?{_TYPE}{_NAME}\s*="),
    re.compile(rf"const\s+auto\s*&{{0,2}}\s*\[[\w\s,]+\]\s*=|auto\s*&{{0,2}}\s*\[[\w\s,]+\]\s*="),
    re.compile(rf"{_PLACE}\s*="),
]
_CONTROL = re.compile(r"\s*(?:else\b|do\b|case\b[^:]*(?:::[^:]*)*:(?!:)|default\s*:|"
                      r"(?P<head>(?:if(?:\s+constexpr)?|while|for|switch)\s*(?=\()))")
_OPEN = {"(": ")", "[": "]", "{": "}"}


class _Bracket:
    """An open bracket: its position, and the start of the current statement inside it."""

    def __init__(self, kind, position):
        self.kind = kind  # ( [ { for a block, = for the braces of an initializer
        self.position = position
        self.statement = position + 1


def _brace_kind(code, position):
    """`{` for a block, `=` for an initializer; relies on clang-format's space before blocks."""
    before = code[:position]
    stripped = before.rstrip()
    if stripped.endswith((",", "(", "=", "return", "[")):
        return "="
    touching = before == stripped
    return "=" if touching and re.search(r"[\w>\]]$", stripped) else "{"


def _awaits(code):
    """(position, innermost bracket, next outer bracket) for each co_await in `code`."""
    if "co_await" not in code:  # most files have none
        return
    stack = [_Bracket("{", -1)]
    for match in re.finditer(r"[(\[{)\]};]|\bco_await\b", code):
        token, position = match[0], match.start()
        if token in _OPEN:
            kind = _brace_kind(code, position) if token == "{" else token
            stack.append(_Bracket(kind, position))
        elif token == "co_await":
            yield position, stack[-1], stack[-2] if len(stack) > 1 else None
        elif token == ";":
            stack[-1].statement = position + 1
        else:
            closed = stack.pop() if len(stack) > 1 else stack[0]
            if closed.kind == "{":
                stack[-1].statement = position + 1


def _after(code, position, stop_at=";"):
    """The code from `position` to the end of its statement, or to the closing bracket around it."""
    depth = 0
    for end in range(position, len(code)):
        if code[end] in _OPEN:
            depth += 1
        elif code[end] in ")]}":
            depth -= 1
        if depth < 0 or (depth == 0 and code[end] == stop_at):
            return code[position:end]
    return code[position:]


def _without_control(before):
    """`before` without the `if (…)`, `else`, `case …:` and the like that precede the statement."""
    while match := _CONTROL.match(before):
        if not match["head"]:
            before = before[match.end():]
            continue
        inside = _after(before, match.end() + 1, stop_at=None)
        before = before[match.end() + len(inside) + 2:]
    return before.strip()


def _objection_to_call(call):
    """The error in the operand of a co_await, or None."""
    for sign, what in [
        ("co_await", "a second co_await in one statement"),
        ("{", "braces among the arguments"),
        ("?", "?: beside co_await"),
        ("||", "an operator on the awaited call"),
        ("&&", "an operator on the awaited call"),
    ]:
        if sign in call:
            return what
    if re.search(r"(?:^|[^\w\s)\]])\s*\[", call):
        return "a lambda among the arguments"
    flat = call
    while re.search(r"\([^()]*\)|\[[^\[\]]*\]|<[^<>()]*>", flat):
        flat = re.sub(r"\([^()]*\)|\[[^\[\]]*\]|<[^<>()]*>", "", flat)
    if not re.fullmatch(rf"\s*{_PLACE}\s*", flat):
        return "more than one plain call after co_await"
    return None


def _objection(code, position, inner, outer):
    """Why the co_await at `position` is refused, or None."""
    call = _after(code, position + len("co_await"))
    if inner.kind == "{":
        before = _without_control(code[inner.statement:position])
        if not any(shape.fullmatch(before) for shape in _BEFORE):
            return "co_await may only be a statement, or initialise or be assigned to one name"
        return _objection_to_call(call)
    before = code[outer.statement:inner.position] if outer else ""
    inside = code[inner.position + 1:position]
    if inner.kind == "(" and re.search(r"\bfor\s*$", before):
        if re.fullmatch(r"[^;?]*[^:;?]:\s*", inside):
            return _objection_to_call(call)
    if inner.kind == "=" and not inside.strip():
        executor = re.match(r"\s*(?:boost::)?asio::this_coro::executor\b", call)
        declared = re.fullmatch(rf"{_TYPE}{_NAME}", _without_control(before))
        if executor and declared:
            rest = call[executor.end():]
            return _objection_to_call("f(" + re.sub(r"\b[\w:]+\{[\w']*\}", "x", rest) + ")")
    return "co_await inside brackets: give its result a name in a statement of its own"


def broken_rules(text):
    """(line, reason) for each co_await in the C++ source `text` that is not in a safe shape."""
    code = without_comments_and_literals(text)
    broken = []
    for position, inner, outer in _awaits(code):
        reason = _objection(code, position, inner, outer)
        if reason:
            broken.append((code.count("\n", 0, position) + 1, reason))
    return broken


if __name__ == "__main__":
    run_check(FOLDERS, broken_rules, "every co_await is in a safe shape")
