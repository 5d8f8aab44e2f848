# Writes a folder for the toy that falsepass ships, with its planted defect, and one for the toy as the comment on that
# line says that it should be. The toy is an environment of verifiers: what it uses of verifiers and of datasets, which
# are large, is made up here.
import json, os, sys
from importlib import resources

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import toys

MADE_UP = '''import re, sys, types


class XMLParser:
    def __init__(self, fields, answer_field):
        self.field = answer_field

    def parse_answer(self, completion):
        found = re.search(rf"<{self.field}>\\s*(.*?)\\s*</{self.field}>", completion[-1]["content"], re.DOTALL)
        return found and found.group(1)


class Kept:
    def __init__(self, **given):
        self.__dict__.update(given)


verifiers, datasets = types.ModuleType("verifiers"), types.ModuleType("datasets")
verifiers.XMLParser, verifiers.Rubric, verifiers.SingleTurnEnv, verifiers.Environment = XMLParser, Kept, Kept, Kept
datasets.Dataset = types.SimpleNamespace(from_list=list)
sys.modules.update(verifiers=verifiers, datasets=datasets)

'''
CALL = '''

made = load_environment()
it = lambda said, answer: made.rubric.funcs[0]([{"role": "assistant", "content": said}], answer)
'''
toy = resources.files("falsepass").joinpath("_demo", "falsepass_toy_env.py").read_text()
wrong, right = "if answer in reply", "if reply.strip() == answer"
assert wrong in toy and "should be reply.strip() == answer" in toy, "the toy's defect is another one"
found = []
for name, text in [("toy_env", toy), ("toy_env_repaired", toy.replace(wrong, right))]:
    space = {}
    exec(MADE_UP + text + CALL, space)
    rows = space["made"].dataset[:12]
    cases = [("sum-%d" % i, space["PROMPT"] + " " + row["question"], row["answer"]) for i, row in enumerate(rows)]
    toys.write(os.path.join(sys.argv[1], name), cases, MADE_UP + text + CALL, space["it"])
    found.append({"name": name, "sound": text != toy})
print(json.dumps(found))
