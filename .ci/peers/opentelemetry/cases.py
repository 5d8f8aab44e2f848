"""cases.py FILE: pydantic-evals runs a dataset three times, its traces go by logfire to a collector that writes FILE, and
the averages and failures that it reports itself are printed."""

import itertools
import json
import sys
from dataclasses import dataclass

import collector
import logfire
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import EqualsExpected, Evaluator

exporter = BatchSpanProcessor(OTLPSpanExporter(endpoint=collector.start(sys.argv[1])))
logfire.configure(send_to_logfire=False, console=False, additional_span_processors=[exporter])


@dataclass
class Near(Evaluator):
    def evaluate(self, ctx):
        return 1.0 if ctx.output == ctx.expected_output else 0.25


turn = itertools.count()


async def task(question):
    if question == "fail":
        raise RuntimeError("the model is overloaded")
    return "56"[next(turn) % 2]


cases = [Case(name=name, inputs=question, expected_output="5") for name, question in (("a", "2+3"), ("b", "1+4"), ("c", "fail"))]
report = Dataset(name="d", cases=cases, evaluators=[EqualsExpected(), Near()]).evaluate_sync(task, repeat=3, progress=False)
logfire.shutdown()
means = report.averages()
print(json.dumps({"scores": means.scores, "assertions": means.assertions, "cases": len(report.cases), "failures": len(report.failures)}))
