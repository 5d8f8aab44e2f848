# Writes a folder for each grader of rl-envdoctor's zoo. Prints what the package itself finds.
import json, os, sys
from envdoctor import zoo

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import toys

for s in zoo.SPECIMENS:
    takes = s.reward.__code__.co_argcount
    grader = "from envdoctor import zoo\n\ns = next(s for s in zoo.SPECIMENS if s.name == %r)\nit = lambda *given: s.reward(*given[:%d])\n" % (s.name, takes)
    cases = [(c.id, c.prompt, c.answer) for c in s.cases]
    toys.write(os.path.join(sys.argv[1], s.name), cases, grader, lambda *given: s.reward(*given[:takes]))
found = {r["name"]: r["passed"] for r in zoo.run()}
print(json.dumps([{"name": s.name, "sound": s.healthy, "theirs": found[s.name]} for s in zoo.SPECIMENS]))
