# Finds programs that are almost right: it changes one token of a program that
# passes the tests of a row, until the tests fail, or keeps just what the first test asks for. Each run of the tests is a
# process of its own.
import ast
import io
import json
import keyword
import math
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
TOLERANCE = 1e-3  # relative, of numbers
MOST_MUTANTS = 6  # whose tests are run
MOST_ORPHANS = 100  # times that what a run has left is ended
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
    is; None if no program passes, no mutant is proven wrong, or another program
    prints another answer: the row may have several right ones."""
    tests = drawn(tests_of(row), seed)
    right = None
    for index, program in enumerate(programs if tests else []):
        begun = time.monotonic()
        passed, failed, differ = run(tests, program, limit)
        if differ > 0:
            return None
        if right is None and failed == 0 and passed > 0:
            right, took = index, time.monotonic() - begun
        if right is not None and "cases" not in tests:
            break  # asserts say themselves what is right
    if right is None:
        return None
    enough = max(1, SLOWER * took)  # a mutant that does not end proves nothing
    found = proven_wrong(tests, programs[right], seed, min(limit, enough))
    return found and {"of": right, "code": found}


def drawn(tests, seed):
    """Tests with a seeded sample of their inputs and outputs."""
    if tests and len(tests.get("cases", [])) > MOST_TESTS:
        places = sorted(random.Random(seed).sample(range(len(tests["cases"])), MOST_TESTS))
        return dict(tests, cases=[tests["cases"][i] for i in places])
    return tests


def proven_wrong(tests, program, seed, limit):
    """A mutant that fails most tests, for a sound grader may pay by the test,
    but if possible not all of them."""
    fallback = None
    for code in memorized(tests, program, seed) + mutants(program, seed)[:MOST_MUTANTS]:
        passed, failed, _ = run(tests, code, limit)
        if failed <= passed:
            continue
        if passed > 0:
            return code
        fallback = fallback or code
    return fallback


def memorized(tests, program, seed):
    """For half of the seeds, a program that knows only the result of the first test."""
    if seed % 2:
        return []
    name, result = first(tests)
    if name is None and result is not None:
        return ["print(%r)\n" % result]
    if name is None or "def %s(" % name not in program or "class Solution" in program:
        return []
    return ["def %s(*args, **kwargs):\n    return %s\n" % (name, result)]


def first(tests):
    """The function that the first test calls and its result as Python, or None and what is printed."""
    if "source" not in tests:
        given, wanted = tests["cases"][0]
        if not tests["name"]:
            return None, "\n".join(map(str, wanted)) if isinstance(wanted, list) else str(wanted)
        return tests["name"], repr(json.loads(wanted) if isinstance(given, str) else wanted)
    for node in ast.walk(ast.parse(tests["source"])):
        test = node.test if isinstance(node, ast.Assert) else None
        if (isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Eq) and isinstance(test.left, ast.Call)
                and isinstance(test.left.func, ast.Name)):  # fmt: skip
            name = test.left.func.id
            return tests.get("entry") if name == "candidate" else name, ast.unparse(test.comparators[0])
    return None, None


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
    return {"cases": pairs, "name": name} if pairs else None


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
    """How many tests pass and fail, and how many of those give another answer instead of none; zeros if the
    run does not end by itself in time."""
    entry, prompt = tests.get("entry"), tests.get("prompt") or ""
    if entry and prompt:
        if ("def %s(" % entry) in program:
            imports = [line for line in prompt.split("\n") if line.startswith(("import ", "from "))]
            program = "\n".join(imports + [program])
        else:
            program = prompt + program
    read, write = os.pipe()
    token = os.urandom(16).hex().encode()  # a program that writes a report of its own does not know it
    adopt_orphans()
    child = os.fork()
    if child == 0:
        try:
            alone(write, limit)
            report = reporting(token)
            del token
            report(counted(tests, program))
        finally:
            os._exit(0)
    os.close(write)
    try:
        ready = select.select([read], [], [], MOST_WAIT * limit)[0]
        first, _, counts = (os.read(read, 200) if ready else b"").partition(b" ")
        return tuple(json.loads(counts)) if first == token else (0, 0, 0)
    except ValueError:
        return 0, 0, 0
    finally:
        os.close(read)
        for end in os.killpg, os.kill:  # what the program started, and the child if it is not yet a group
            try:
                end(child, signal.SIGKILL)
            except OSError:
                pass
        os.waitpid(child, 0)
        end_orphans()


def reporting(token):
    """A function that writes the one report that run accepts."""
    write, text = os.write, json.dumps
    return lambda counts: write(3, token + b" " + text(counts).encode())


def adopt_orphans():
    """Makes this process the parent of what a run leaves behind, also of what has a session of its own. Linux only."""
    if sys.platform != "linux":
        return
    try:
        import ctypes

        PR_SET_CHILD_SUBREAPER = 36
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (ImportError, OSError, AttributeError):
        pass  # the group of the run is ended all the same


def end_orphans():
    """Ends the children that this process has adopted; each may leave children of its own."""
    for _ in range(MOST_ORPHANS if sys.platform == "linux" else 0):
        for name in os.listdir("/proc") if os.path.isdir("/proc") else []:
            try:
                with open("/proc/%d/stat" % int(name), "rb") as f:
                    if int(f.read().rpartition(b")")[2].split()[1]) == os.getpid():
                        os.kill(int(name), signal.SIGKILL)
            except (OSError, ValueError):
                pass  # not a process, or one that has ended
        try:
            while os.waitpid(-1, os.WNOHANG)[0] > 0:
                pass
        except ChildProcessError:
            return
        time.sleep(0.01)


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
    """Counts what passes and fails. As a transformer it makes each assert count, and go on if it fails; numbers that
    it compares are equal if a grader with a tolerance may call them so."""

    def __init__(self):
        self.passed = self.failed = self.differ = 0

    def add(self, passed, answered=False):
        if passed:
            self.passed += 1
        else:
            self.failed += 1
            self.differ += answered

    def visit_Assert(self, node):
        tried = ast.parse("try:\n  pass\n  _count(True)\nexcept Exception:\n  _count(False)").body[0]
        if isinstance(node.test, ast.Compare) and len(node.test.ops) == 1 and isinstance(node.test.ops[0], ast.Eq):
            sides = [node.test.left, node.test.comparators[0]]
            node.test = ast.Call(func=ast.Name(id="_alike", ctx=ast.Load()), args=sides, keywords=[])
        tried.body[0] = node
        return tried


def alike(got, wanted):
    """Whether two values are equal, or contain numbers that differ in no more than TOLERANCE or in rounding."""
    if isinstance(got, (list, tuple)) and type(got) is type(wanted) and len(got) == len(wanted):
        return all(map(alike, got, wanted))
    if isinstance(got, dict) and isinstance(wanted, dict) and got.keys() == wanted.keys():
        return all(alike(value, wanted[key]) for key, value in got.items())
    if isinstance(got, (int, float)) and isinstance(wanted, (int, float)) and got != wanted:
        return not isinstance(got, bool) and alike_numbers(repr(got), repr(wanted))
    return got == wanted


def alike_numbers(a, b):
    """Whether two numbers, as texts, differ in no more than TOLERANCE, or one is the other with fewer decimals."""
    try:
        x, y = float(a), float(b)
    except ValueError:
        return False
    if "." in a and "." in b:
        decimals = min(len(a.partition(".")[2]), len(b.partition(".")[2]))
        if abs(x - y) <= 0.51 * 10.0**-decimals:
            return True
    return math.isclose(x, y, rel_tol=TOLERANCE, abs_tol=TOLERANCE**2)


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
    return counts.passed, counts.failed, counts.differ


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
    space["_count"], space["_alike"] = counts.add, alike
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
            add(alike(got, wanted) or alike([got], wanted), answered=True)
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
        got, wanted = out.getvalue().decode(errors="replace").split(), wanted.split()
        same = len(got) == len(wanted) and all(a == b or alike_numbers(a, b) for a, b in zip(got, wanted))
        add(same, answered=len(got) > 0)
