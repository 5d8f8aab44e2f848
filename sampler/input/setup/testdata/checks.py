def get_assert(output, context):
    return output.startswith("t")


def named(output, context):
    return {"pass": True, "score": 0.5, "reason": context["vars"]["answer"]}
