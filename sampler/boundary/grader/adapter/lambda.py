# Handlers of AWS Lambda that grade for the reinforcement fine-tuning of Amazon Bedrock:
# handler(event, context) -> [{"id", "aggregate_reward_score", "metrics_list"}].
# The event is a list of samples, each a row with an id, whose messages end with the
# model's. (Amazon Bedrock User Guide, Setting up reward functions.)
class Context:
    """What Lambda tells a handler about itself, as far as that is known here."""

    function_name = "grader"
    function_version = "$LATEST"
    invoked_function_arn = ""
    memory_limit_in_mb = "0"
    aws_request_id = "0"
    log_group_name = log_stream_name = ""

    def get_remaining_time_in_millis(self):
        return 900000


def adapt(space, options):
    ((name, handler),) = named(space, options["functions"])

    def grade(given):
        row = {k: v for k, v in given["item"].items() if k not in ("prompt", "messages")}
        prompt = prompt_of(given["item"])
        if isinstance(prompt, str):
            prompt = [{"role": "user", "content": prompt}]
        sample = dict(row, id=str(row.get("id", "0")), messages=list(prompt) + given["completion"])
        return scored(name, finish(handler([sample], Context())), sample["id"])

    return graded(grade)


def scored(name, result, id):
    """The reward and the metrics of the only sample."""
    if isinstance(result, dict):
        result = [result]
    if not isinstance(result, list) or len(result) != 1 or not isinstance(result[0], dict):
        raise NoGrade("%s returned a %s: it must return a list with one object for each sample" % (name, type(result).__name__))
    one = result[0]
    if str(one.get("id", id)) != id:
        raise NoGrade("%s returned the result of the sample %.60r, and was given %.60r" % (name, one["id"], id))
    if "aggregate_reward_score" not in one:
        raise NoGrade("%s returned no aggregate_reward_score; there are %s" % (name, ", ".join(sorted(map(str, one))) or "no keys"))
    parts = {}
    for m in one.get("metrics_list") or []:
        if isinstance(m, dict) and m.get("name") and m.get("value") is not None:
            parts[str(m["name"])] = number(m["value"], "the metric %s" % m["name"])
    return {"reward": number(one["aggregate_reward_score"], name), "parts": parts, "said": said(one, "id", "metrics_list")}
