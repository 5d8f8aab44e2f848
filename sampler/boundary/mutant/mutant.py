# Finds programs that are almost right: it changes one token of a program that
# passes the tests of a row, until the tests fail. Each run of the tests is a
# process of its own.
import ast
import io
import json
import keyword
import os
import random
import resource
import select
import signal
import sys
import tempfile
import time
import tokenize
import types
import unittest

MOST_TESTS = 20  # of a row that lists inputs and outputs
MOST_MUTANTS = 6  # whose tests are run
MOST_WAIT = 3  # times the seconds that a run may compute
SLOWER = 10  # times the right program that a mutant may take

SWAPS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
    "+": "-", "-": "+", "*": "+", "/": "*", "//": "*", "%": "//", "**": "*",
    "+=": "-=", "-=": "+=", "*=": "+=", "//=": "*=", "&": "|", "|": "&", "^": "|", "<<": ">>", ">>": "<<",
    "and": "or", "or": "and", "True": "False", "False": "True", "min": "max", "max": "min", "if": "if not", "not": "",
}  # fmt: skip


def mutant(row, programs, seed, limit):
    """The mutant of the first program that passes the row's tests, and which it
    is; None if no program passes, or no mutant is proven wrong."""
    tests = tests_of(row)
    for index, program in enumerate(programs if tests else []):
        begun = time.monotonic()
        passed, failed = run(tests, program, limit)
        if failed == 0 and passed > 0:
            enough = max(1, SLOWER * (time.monotonic() - begun))  # a mutant that does not end proves nothing
            found = proven_wrong(tests, program, seed, min(limit, enough))
            return found and {"of": index, "code": found}
    return None


def proven_wrong(tests, program, seed, limit):
    """A mutant that fails at least half of the tests, for a sound grader may pay
    by the test, but if possible not all of them."""
    fallback = None
    for code in mutants(program, seed)[:MOST_MUTANTS]:
        passed, failed = run(tests, code, limit)
        if failed == 0 or passed > failed:
            continue
        if passed > 0:
            return code
        fallback = fallback or code
    return fallback


def mutants(program, seed):
    """Copies of a program with one token changed, in an order that the seed decides."""
    head = "def _():\n" if program[:1].isspace() else ""  # the body of a function
    program = head + program
    try:
        tokens, tree = list(tokenize.generate_tokens(io.StringIO(program).readline)), ast.dump(ast.parse(program))
    except (tokenize.TokenError, SyntaxError, ValueError):
        return []
    lines, starts = program.split("\n"), [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    found = []
    for before, token in zip([tokens[0]] + tokens, tokens):
        text = changed(before, token)
        if text is None or "__name__" in token.line:
            continue
        start = starts[token.start[0] - 1] + token.start[1]
        end = start + len(token.string)
        if not text and program[end : end + 1] == " ":
            end += 1
        code = program[:start] + text + program[end:]
        try:
            if ast.dump(ast.parse(code)) != tree:
                found.append(code[len(head) :])
        except (SyntaxError, ValueError):
            pass
    random.Random(seed).shuffle(found)
    return found


def changed(before, token):
    """What the token becomes; None if it stays."""
    if token.type == tokenize.NUMBER and token.string.isdigit():
        return str(int(token.string) + 1)
    if token.type not in (tokenize.OP, tokenize.NAME):
        return None
    if token.string in ("*", "**") and (
        before.string in ("(", "[", "{", ",", ":", "=") or keyword.iskeyword(before.string)
    ):
        return None  # it unpacks
    return SWAPS.get(token.string)


def tests_of(row):
    """The tests of a row in one of the known layouts; None if it has none."""
    if texts(row.get("test_list")):  # MBPP
        setup = [str(row.get("test_setup_code") or "")]
        setup += [line for line in row.get("test_imports") or [] if isinstance(line, str)]
        return {"setup": "\n".join(setup), "source": "\n".join(row["test_list"])}
    if isinstance(row.get("test"), str):  # HumanEval, BigCodeBench, KodCode
        source, entry, prompt = row["test"], row.get("entry_point"), row.get("prompt")
        if isinstance(entry, str) and "def check(" in source:
            source += "\ncheck(%s)\n" % entry
        return {"source": source, "entry": entry, "prompt": prompt if isinstance(prompt, str) else ""}
    truth, info = decoded(row.get("reward_model")), decoded(row.get("verification_info"))
    places = [(row, field) for field in ("input_output", "public_test_cases", "public_tests", "tests", "test_cases")]
    for holder, field in places + [(info, "test_cases"), (truth, "ground_truth"), (row, "ground_truth")]:
        tests = listed(decoded(holder.get(field)), row) if isinstance(holder, dict) else None
        if tests:
            return tests
    return None


def listed(value, row):
    """Tests as a list: of asserts, or of inputs with outputs, for standard input or a function."""
    if texts(value):
        value = "\n".join(value)
    if isinstance(value, str):
        return {"source": value} if "assert" in value else None
    name = None
    if isinstance(value, dict):  # APPS, TACO, CodeContests
        given, wanted = value.get("inputs", value.get("input")), value.get("outputs", value.get("output"))
        name = value.get("fn_name")
        pairs = list(zip(given, wanted)) if isinstance(given, list) and isinstance(wanted, list) else []
    elif isinstance(value, list):  # LiveCodeBench, DeepCoder
        pairs = [(v["input"], v["output"]) for v in value if isinstance(v, dict) and "input" in v and "output" in v]
        names = [v.get("fn_name") for v in value if isinstance(v, dict) and v.get("fn_name")]
        metadata = decoded(row.get("metadata"))
        name = names[0] if names else metadata.get("func_name") if isinstance(metadata, dict) else None
    else:
        return None
    return {"cases": pairs[:MOST_TESTS], "name": name} if pairs else None


def texts(value):
    return isinstance(value, list) and len(value) > 0 and all(isinstance(v, str) for v in value)


def decoded(value):
    """A value that may be written as a JSON text."""
    if isinstance(value, str):
        try:
            return json.loads(value)
        except ValueError:
            pass
    return value


def run(tests, program, limit):
    """How many tests pass and fail; (0, 0) if the run does not end by itself in time."""
    entry, prompt = tests.get("entry"), tests.get("prompt") or ""
    if entry and prompt:
        if ("def %s(" % entry) in program:
            imports = [line for line in prompt.split("\n") if line.startswith(("import ", "from "))]
            program = "\n".join(imports + [program])
        else:
            program = prompt + program
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            alone(write, limit)
            os.write(3, json.dumps(counted(tests, program)).encode())
        finally:
            os._exit(0)
    os.close(write)
    try:
        ready = select.select([read], [], [], MOST_WAIT * limit)[0]
        passed, failed = json.loads(os.read(read, 100)) if ready else (0, 0)
        return passed, failed
    except ValueError:
        return 0, 0
    finally:
        os.close(read)
        for end in os.killpg, os.kill:  # what the program started, and the child if it is not yet a group
            try:
                end(child, signal.SIGKILL)
            except OSError:
                pass
        os.waitpid(child, 0)


def alone(report, limit):
    """Separates a child from its parent: of the open files it keeps only its report, as 3."""
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for fd in 0, 1, 2:
        os.dup2(null, fd)
    os.dup2(report, 3)
    os.closerange(4, 4096)
    seconds = max(1, int(limit))  # of the processor: other programs on a busy machine take none of it
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


class Counts(ast.NodeTransformer):
    """Counts what passes and fails. As a transformer it makes each assert count, and go on if it fails."""

    def __init__(self):
        self.passed = self.failed = 0

    def add(self, passed):
        if passed:
            self.passed += 1
        else:
            self.failed += 1

    def visit_Assert(self, node):
        tried = ast.parse("try:\n  pass\n  _count(True)\nexcept Exception:\n  _count(False)").body[0]
        tried.body[0] = node
        return tried


def counted(tests, program):
    """Runs a program and its tests in this process."""
    counts = Counts()
    try:
        if "source" in tests:
            asserted(tests, program, counts)
        elif tests["name"]:
            called(tests, program, counts.add)
        else:
            printed(tests, program, counts.add)
    except Exception:
        counts.add(False)
    return counts.passed, counts.failed


def defined(program):
    """A program as the module solution, which tests may import."""
    space = types.ModuleType("solution")
    sys.modules["solution"] = space
    exec(compile(program, "solution.py", "exec"), space.__dict__)
    return space


def asserted(tests, program, counts):
    """Tests that are a program: asserts, functions for pytest, classes for unittest."""
    tree = counts.visit(ast.parse(tests.get("setup", "") + "\n" + tests["source"]))
    space = defined(program).__dict__
    space["_count"] = counts.add
    exec(compile(ast.fix_missing_locations(tree), "tests.py", "exec"), space)
    for name, value in list(space.items()):
        if isinstance(value, type) and issubclass(value, unittest.TestCase):
            result = unittest.TestResult()
            unittest.defaultTestLoader.loadTestsFromTestCase(value).run(result)
            counts.failed += len(result.failures) + len(result.errors)
            counts.passed += result.testsRun - len(result.failures) - len(result.errors)
        elif name.startswith("test_") and isinstance(value, types.FunctionType):
            try:
                value()
            except Exception:
                counts.add(False)


def called(tests, program, add):
    """Tests that are arguments and results of a function, or of a method of the class Solution."""
    space = defined(program)
    function = getattr(space if hasattr(space, tests["name"]) else space.Solution(), tests["name"])
    for given, wanted in tests["cases"]:
        if isinstance(given, str):
            given, wanted = [json.loads(line) for line in given.split("\n") if line.strip()], json.loads(wanted)
        try:
            got = json.loads(json.dumps(function(*given)))
            add(got == wanted or [got] == wanted)
        except Exception:
            add(False)


def printed(tests, program, add):
    """Tests that are standard input and output."""
    code, inputs = compile(program, "solution.py", "exec"), []
    for given, wanted in tests["cases"]:
        given, wanted = ("\n".join(map(str, v)) if isinstance(v, list) else str(v) for v in (given, wanted))
        inputs.append(tempfile.TemporaryFile())  # stays open: its number may be 0, if the program has closed that
        inputs[-1].write(given.encode())
        inputs[-1].seek(0)
        os.dup2(inputs[-1].fileno(), 0)
        out = io.BytesIO()
        sys.stdin, sys.stdout = open(0, closefd=False), io.TextIOWrapper(out, write_through=True)
        try:
            exec(code, {"__name__": "__main__"})
        except SystemExit:
            pass
        except Exception:
            add(False)
            continue
        add(out.getvalue().decode(errors="replace").split() == wanted.split())
