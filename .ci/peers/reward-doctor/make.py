# Writes a folder for each verifier that reward-doctor ships, with sums as items. One that accepts an exploit of the
# package's corpus has a defect.
import json, os, random, sys
from reward_doctor import audit
from reward_doctor.reference import REFERENCE_VERIFIERS

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import toys

found = []
for name, verifier in REFERENCE_VERIFIERS.items():
    form = r"Put it in \boxed{}." if name in ("boxed_exact", "robust_match") else "Reply with the sum alone."
    rng = random.Random(2)
    sums = [(rng.randint(10, 999), rng.randint(10, 999)) for _ in range(12)]
    cases = [("sum-%d" % i, "What is %d + %d? %s" % (a, b, form), str(a + b)) for i, (a, b) in enumerate(sums)]
    toys.write(os.path.join(sys.argv[1], name), cases, "from reward_doctor.reference import %s as it\n" % name, verifier)
    found.append({"name": name, "sound": not audit(verifier).attacks_that_work})
print(json.dumps(found))
