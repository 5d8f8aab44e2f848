"""Tells whether a reinforcement fine-tuning run should start, and whether it should go on.

The functions call the program that this package carries, and return the JSON that it writes: `Result` and `Pilot` say
what is in it. NO-GO and UNDECIDED are results; what keeps the program from one raises `GonogoError`.
"""

from __future__ import annotations

import collections
import io
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas

    from .types import Pilot, Result

__all__ = ["GonogoError", "analyze", "binary", "pilot", "run", "to_pandas"]

_ANSWERS = (0, 3, 4)  # GO, NO-GO, UNDECIDED


class GonogoError(RuntimeError):
    """The program ended without an answer: `code` is its exit code, and the text what it said."""

    def __init__(self, code: int, said: str) -> None:
        super().__init__(said.strip() or f"gonogo ended with exit code {code}")
        self.code = code


def binary() -> str:
    """Returns the path of the program: GONOGO_BINARY, else that of this package, else that of the PATH."""
    if named := os.environ.get("GONOGO_BINARY"):
        return named
    name = "gonogo" + (sysconfig.get_config_var("EXE") or "")
    for scheme in (None, *(f"{os.name}_{kind}" for kind in ("user", "prefix"))):
        try:
            path = pathlib.Path(sysconfig.get_path("scripts", scheme) if scheme else sysconfig.get_path("scripts"), name)
        except KeyError:  # there is no such scheme
            continue
        if path.is_file():
            return str(path)
    if found := shutil.which("gonogo"):
        return found
    raise FileNotFoundError("the program gonogo is not installed next to this Python: set GONOGO_BINARY to its path")


def run(
    config: str | os.PathLike[str] = "gonogo.yaml", output: str | os.PathLike[str] = "my-run", *,
    set: Mapping[str, Any] | None = None, args: Iterable[str] = (),
) -> Result:  # fmt: skip
    """Samples and judges a run into the folder `output`, as `gonogo run` does; called again, it resumes.

    `set` changes keys of the configuration, such as {"sampling.samples": 16}; `args` are further arguments of the
    command. What the program says goes to standard error as it comes.
    """
    _call(["run", "-c", config, "-o", output, "--yes", *_settings(set), *args], loud=True)
    return json.loads(pathlib.Path(output, "result.json").read_bytes())


def analyze(
    path: str | os.PathLike[str], *, config: str | os.PathLike[str] | None = None, set: Mapping[str, Any] | None = None,
    args: Iterable[str] = (),
) -> Result:  # fmt: skip
    """Judges a run directory from its rollouts, as `gonogo analyze` does."""
    of = ["-c", config] if config is not None else []
    return json.loads(_call(["analyze", path, "--json", *of, *_settings(set), *args]))


def pilot(
    run: str | os.PathLike[str], log: str | os.PathLike[str], *, looks: Iterable[int] | None = None,
    checkpoint: str | None = None, at: int | None = None, args: Iterable[str] = (),
) -> Pilot:  # fmt: skip
    """Compares the first steps of a training, which `log` holds, with the base run `run`, as `gonogo pilot` does.

    `looks` are the steps after which it is asked; the first call fixes them. `checkpoint` is the address of a server
    of the weights after step `at`, from which the eval items are sampled.
    """
    more = ["--looks", ",".join(map(str, looks))] if looks is not None else []
    if checkpoint is not None:
        more += ["--checkpoint", checkpoint, "--at", str(at)]
    return json.loads(_call(["pilot", run, "--log", log, "--json", *more, *args]))


def to_pandas(run: str | os.PathLike[str], table: str = "items") -> pandas.DataFrame:
    """Returns a table of a run: "items", a row for each item, or "rollouts", a row for each rollout."""
    import pandas

    if table not in ("items", "rollouts"):
        raise ValueError(f"the table {table!r} is neither items nor rollouts")
    text = _call(["report", run, "--format", table, "--output", "-"])
    return pandas.read_csv(io.StringIO(text), dtype={"item": str})


def _settings(keys: Mapping[str, Any] | None) -> list[str]:
    return [word for k, v in (keys or {}).items() for word in ("--set", f"{k}={v if isinstance(v, str) else json.dumps(v)}")]


def _call(args: Iterable[str | os.PathLike[str]], loud: bool = False) -> str:
    """Calls the program and returns its standard output. If loud, its messages go to standard error as they come."""
    words = [binary(), *map(os.fspath, args)]
    with tempfile.TemporaryFile() as out, subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE
    ) as process:
        lines: collections.deque[bytes] = collections.deque(maxlen=200)
        try:
            for line in process.stderr:
                lines.append(line)
                if loud:
                    sys.stderr.write(line.decode("utf-8", "replace"))
        except BaseException:
            process.send_signal(signal.SIGINT)  # what is in flight ends, and the run can be resumed
            raise
        code = process.wait()
        if code not in _ANSWERS:
            raise GonogoError(code, b"".join(lines).decode("utf-8", "replace"))
        out.seek(0)
        return out.read().decode("utf-8")
