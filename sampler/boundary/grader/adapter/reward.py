# What the adapters of other libraries' reward functions share. It stands before
# each of them, in one module.
import asyncio
import inspect
import math


class Unfit(Exception):
    """What was loaded is not what was asked for."""


class NoGrade(Exception):
    """There is no reward, and that is nobody's zero."""

    def __init__(self, text, kind="not_a_number"):
        Exception.__init__(self, text)
        self.kind = kind


loop = None


def finish(value):
    """The value of a call, awaited where that was of an async function."""
    global loop
    if not inspect.isawaitable(value):
        return value
    if loop is None:
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
    return loop.run_until_complete(value)


def number(value, what):
    """A finite float, also of numpy's and torch's numbers."""
    if value is None:
        raise NoGrade("%s gave None" % what)
    if isinstance(value, (str, bytes)):
        raise NoGrade("%s gave the %s %.60r" % (what, type(value).__name__, value))
    try:
        x = float(value)
    except (TypeError, ValueError, OverflowError):
        raise NoGrade("%s gave a %s, not a finite float" % (what, type(value).__name__)) from None
    if not math.isfinite(x):
        raise NoGrade("%s gave %r, not a finite float" % (what, x))
    return x


def named(space, names):
    """The functions of these names, or the only one that the source defines."""
    if not names:
        names = [k for k, v in vars(space).items() if inspect.isfunction(v) and v.__module__ == space.__name__ and not k.startswith("_")]
        if len(names) != 1:
            raise Unfit("functions is missing: name those to be called; it defines %s" % (", ".join(names) or "none"))
    found = []
    for name in names:
        f = getattr(space, name, None)
        if f is None:
            raise Unfit("it defines no function %s" % name)
        if not callable(f):
            raise Unfit("%s is a %s, not a function" % (name, type(f).__name__))
        found.append((name, f))
    return found


def parameters(f):
    """The names that a function may be called with, those it cannot do without,
    and whether it takes any other."""
    try:
        all = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):  # built in C
        return set(), set(), True
    keyword = [p for p in all if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    needs = {p.name for p in keyword if p.default is p.empty}
    return {p.name for p in keyword}, needs, any(p.kind == p.VAR_KEYWORD for p in all)


def call(name, f, values, what):
    """Calls a function with those of the values that it takes."""
    takes, needs, any_other = parameters(f)
    lacks = sorted(needs - set(values))
    if lacks:
        raise NoGrade("%s wants %s, and there is no such %s; there are %s" % (name, ", ".join(lacks), what, ", ".join(sorted(values))), "invalid_variable_error")
    return finish(f(**(values if any_other else {k: v for k, v in values.items() if k in takes})))


def unfit(f, *args, **kwargs):
    """Why a function cannot be called with these arguments; "" if it can."""
    try:
        signature = inspect.signature(f)
    except (TypeError, ValueError):  # built in C
        return ""
    try:
        signature.bind(*args, **kwargs)
    except TypeError as e:
        return str(e)
    return ""


def figures(result, *but):
    """The finite numbers of a result by key, without some keys: its parts."""
    found = {}
    for k, v in result.items():
        try:
            found[str(k)] = number(v, str(k))
        except NoGrade:  # what is logged may be a text
            continue
    return {k: v for k, v in found.items() if k not in but}


def reference(row, fields):
    """The right answer of a row, from the first of these fields that has one."""
    return next((row[k] for k in fields if row.get(k) not in (None, "")), None)


def said(result, *but):
    """What a result says besides, in which the caller looks for marks of failure."""
    plain = {k: v is None or isinstance(v, (bool, int)) or isinstance(v, float) and math.isfinite(v) for k, v in result.items()}
    return {str(k): v if plain[k] else str(v) for k, v in result.items() if k not in but}


def weighed(scores, weights):
    """The sum of the scores that are there, and each of several by its name."""
    if not scores:
        raise NoGrade("every function gave None: none is for this row")
    total = math.fsum(weights.get(name, 1.0) * x for name, x in scores.items())
    return {"reward": total, "parts": scores if len(weights) > 1 else {}}


def graded(grade):
    """The function that is called for each output."""

    def function(given):
        try:
            return grade(given)
        except NoGrade as e:
            return {"no_grade": str(e), "kind": e.kind}

    return function


def prompt_of(row):
    """The prompt as the row has it: a text or messages."""
    prompt = row.get("prompt")
    return row.get("messages") or [] if prompt is None else prompt


def text_of(messages):
    """Messages as one text."""
    if isinstance(messages, str):
        return messages
    return "\n".join(m["content"] for m in messages if isinstance(m.get("content"), str))


class TrainerState:
    """The trainer before its first step, where a run is judged."""

    def __init__(self):
        self.global_step = self.max_steps = self.num_train_epochs = self.num_input_tokens_seen = 0
        self.epoch, self.total_flos = 0.0, 0.0
        self.log_history = []
        self.best_metric = None


def alone(scored, scores, given):
    """Refuses functions whose reward for a completion depends on the others of its
    batch. It comes a second time, and others beside it: what counts, ranks or
    normalizes gives something else then. One that differs from call to call by
    itself shows nothing."""
    try:
        beside = scored([given, given] + given["beside"])
    except Exception:  # others may lack what its own row has
        return
    for name in scores:
        x, y = scores[name], beside.get(name)
        if (y is None or abs(x - y) > 1e-9 * max(1.0, abs(x), abs(y))) and scored([given]) == scores:
            raise NoGrade("%s gives a completion %g alone and %s in a batch with others: it compares completions with each other, and here each is graded by itself; set group to the group size of the training" % (name, x, "None" if y is None else "%g" % y), "depends_on_batch")


def together(given):
    """The outputs that are graded together, and the place among them of the one whose reward counts."""
    return given.get("group") or [given], given.get("place", 0)


def nth(result, name, n, place):
    """The element at a place of what a function returned for n completions."""
    if isinstance(result, (str, bytes, dict)) or not hasattr(result, "__len__") or not hasattr(result, "__getitem__"):
        raise NoGrade("%s returned a %s: it must return a list with one float for each completion" % (name, type(result).__name__))
    if len(result) != n:
        raise NoGrade("%s returned %d rewards for %d completion%s" % (name, len(result), n, "s" if n > 1 else ""))
    return result[place]
