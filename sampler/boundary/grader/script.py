def define(name, source):
    space = types.ModuleType(name)
    sys.modules[name] = space
    exec(compile(source, "<%s>" % name, "exec"), space.__dict__)
    return space


class Beside:
    def find_spec(self, name, path=None, target=None):
        return importlib.util.spec_from_loader(name, self) if name in MODULES else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        exec(compile(MODULES[module.__name__], "<%s>" % module.__name__, "exec"), module.__dict__)


sys.meta_path.insert(0, Beside())
space = define("grader", SOURCE)
if ADAPTER:
    grade = define("adapter", ADAPTER).adapt(space, OPTIONS)
else:
    grade = lambda given: {"reward": space.grade(given["sample"], given["item"])}
differ = 0
for case in CASES:
    try:
        graded = grade(case["given"])
    except Exception as error:
        graded = {"no_grade": "%s: %s" % (type(error).__name__, error)}
    reward, cause = graded.get("reward"), graded.get("no_grade")
    differ += reward is None or abs(reward - case["reward"]) > 1e-6
    line = "%-24s earns %-8s recorded: %s" % (case["item"], reward, case["reward"])
    print(line + (" (%s)" % cause if cause else ""))
print(TEXT)
sys.exit(1 if differ else 0)
