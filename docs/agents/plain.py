"""A plain loop: it asks the model until that answers, and calls the job's tools."""

import json
import urllib.error
import urllib.request

import gonogo_agent


def rollout(request):
    model, messages = request["model"], request["messages"]
    while True:
        reply = post(model["base_url"] + "/chat/completions", {
            "model": model["name"], "messages": messages, "tools": request["item"].get("tools", []),
        }, {"authorization": "Bearer " + model["api_key"]})
        message = reply["choices"][0]["message"]
        messages.append(message)
        if not message.get("tool_calls"):
            return {"output": message.get("content") or "", "refusal": message.get("refusal") or ""}
        for call in message["tool_calls"]:
            output = use(request, call["function"])
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": output})


def use(request, function):
    url = request["tools"].get(function["name"])
    if not url:
        return "Error: there is no tool " + function["name"]
    try:
        return post(url, {"type": "function_call", "trace_id": request["trace_id"], **function})["output"]
    except urllib.error.HTTPError as error:  # the model's mistake: it is told
        return "Error: " + error.read().decode()


def post(url, body, headers={}):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json", **headers})
    with urllib.request.urlopen(request) as response:
        return json.load(response)


if __name__ == "__main__":
    gonogo_agent.serve(rollout)
