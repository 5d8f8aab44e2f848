"""An agent written for SageMaker with its own packages: AgentCore's server, the decorator of sagemaker-train, Strands, the
openai package, and boto3's client of the job runtime. The prompt says which of them makes the rollout, and what goes wrong."""

import json
import sys

import boto3
import openai
from bedrock_agentcore import BedrockAgentCoreApp
from botocore.config import Config
from sagemaker.core.token_generator import generate_token
from sagemaker.train.rft import RolloutFeedbackClient, RolloutRequest, make_inference_headers, sagemaker_rft_handler
from sagemaker.train.rft.adapters.strands import wrap_model
from strands import Agent, tool
from strands.models.openai import OpenAIModel

app = BedrockAgentCoreApp()


@tool
def multiply(a: int, b: int) -> str:
    """Multiplies two numbers.

    Args:
        a: one
        b: the other
    """
    return str(a * b)


@sagemaker_rft_handler
def decorated(payload):
    RolloutRequest.model_validate(payload)  # "your server must accept this exact format"
    how, meta = payload["prompt"], payload["metadata"]
    token = generate_token(region=meta["region"])
    if how.startswith("strands"):
        model = OpenAIModel(model_id="default", client_args={"api_key": token, "base_url": meta["endpoint"] + "/v1", "max_retries": 0})
        answer = str(Agent(model=wrap_model(model), tools=[multiply], callback_handler=None)(how)).strip()
    else:
        client = openai.OpenAI(base_url=meta["endpoint"] + "/v1", api_key=token, default_headers=make_inference_headers(meta), max_retries=0)
        reply = client.chat.completions.create(model="default", messages=[{"role": "user", "content": how}], max_tokens=payload["inferenceParams"]["maxTokens"])
        answer = reply.choices[0].message.content
    if "raises" in how:
        raise KeyError("price")
    if "says error" in how:
        return {"status": "error", "error": "the shop is closed", "reward": 0.0}
    if "no reward" in how:
        return {"answer": answer}
    return {"reward": 1.0 if answer == "391" else 0.0}


def amazon(payload):
    """The loop with boto3. It finds the job runtime by AWS_ENDPOINT_URL_SAGEMAKERJOBRUNTIME alone."""
    how, meta = payload["prompt"], payload["metadata"]
    client = boto3.client("sagemakerjobruntime", region_name="us-west-2", config=Config(retries={"total_max_attempts": 1}))
    name = {"JobArn": meta["jobArn"], "TrajectoryId": meta["rolloutId"]}
    body = json.dumps({"model": "default", "messages": [{"role": "user", "content": how}]}).encode()
    if "stream" in how:
        reply = client.sample_with_response_stream(Body=body, **name)
        text = reply["Body"].read().decode()
    else:
        reply = client.sample(Body=body, **name)
        text = reply["Body"].read().decode() if hasattr(reply["Body"], "read") else reply["Body"].decode()
    if "nan" in how:
        client.complete_rollout(**name)
        client.update_reward(Rewards=[float("nan")], **name)
    if "twice" not in how:
        client.complete_rollout(Status="ready", **name)
        client.update_reward(Rewards=[0.25], **name)
        return {"text": text}
    client.sample(Body=body, **name)
    refused(client.exceptions.ConflictException, lambda: client.update_reward(Rewards=[1.0], **name))
    client.complete_rollout(**name)
    refused(client.exceptions.ConflictException, lambda: client.complete_rollout(Status="failed", **name))
    refused(client.exceptions.ValidationException, lambda: client.sample(Body=body, **name))
    refused(client.exceptions.ValidationException, lambda: client.update_reward(Rewards=[1.0, 1.0, 1.0], **name))
    refused(client.exceptions.ResourceNotFoundException, lambda: client.update_reward(Rewards=[1.0], JobArn=name["JobArn"], TrajectoryId="another"))
    client.update_reward(Rewards=[0.25, 0.5], **name)  # one for each turn
    refused(client.exceptions.ConflictException, lambda: client.update_reward(Rewards=[1.0], **name))
    return {}


def refused(kind, call):
    try:
        call()
    except kind:
        return
    raise AssertionError(f"{kind.__name__} was not raised")


def by_hand(payload):
    """The feedback client without the decorator."""
    meta = payload["metadata"]
    client = openai.OpenAI(base_url=meta["endpoint"] + "/v1", api_key="any", default_headers=make_inference_headers(meta), max_retries=0)
    client.chat.completions.create(model="default", messages=[{"role": "user", "content": payload["prompt"]}])
    feedback = RolloutFeedbackClient(meta)
    if "error" in payload["prompt"]:
        feedback.report_error("out of stock")
        return {"error": "out of stock"}
    feedback.report_complete([0.5])
    return {}


@app.entrypoint
def handle(payload):
    for word, made in (("boto3", amazon), ("feedback", by_hand)):
        if payload["prompt"].startswith(word):
            return made(payload)
    return decorated(payload)


if __name__ == "__main__":
    app.run(port=int(sys.argv[1]), host="127.0.0.1")
