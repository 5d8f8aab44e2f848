// An agent with the openai package (npm install openai), in TypeScript:
// node openai_agent.ts, with Node.js 22.18 or later.

import { createInterface } from "node:readline";
import OpenAI from "openai";

console.log = console.error; // standard output belongs to gonogo

type Rollout = {
  trace_id: string;
  messages: OpenAI.ChatCompletionMessageParam[];
  model: { base_url: string; api_key: string; name: string };
  limits: { max_steps: number };
};

const tools: OpenAI.ChatCompletionFunctionTool[] = [{
  type: "function",
  function: {
    name: "multiply",
    description: "Multiplies two numbers.",
    parameters: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
  },
}];

async function rollout({ model, messages, limits }: Rollout) {
  const client = new OpenAI({ baseURL: model.base_url, apiKey: model.api_key });
  for (let turn = 0; turn < (limits.max_steps || 10); turn++) {
    const reply = await client.chat.completions.create({ model: model.name, messages, tools });
    const { message } = reply.choices[0];
    messages.push(message);
    if (!message.tool_calls?.length) return { output: message.content ?? "", refusal: message.refusal ?? "" };
    for (const call of message.tool_calls) {
      messages.push({ role: "tool", tool_call_id: call.id, content: use(call) });
    }
  }
  return { output: "", limit: "max_turns" };
}

function use(call: OpenAI.ChatCompletionMessageToolCall): string {
  if (call.type !== "function" || call.function.name !== "multiply") return "Error: there is no such tool";
  try {
    const { a, b } = JSON.parse(call.function.arguments);
    return String(a * b);
  } catch (error) { // the model's mistake, for it to correct
    return `Error: ${error}`;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const request: Rollout = JSON.parse(line);
  let result: object;
  try {
    result = await rollout(request);
  } catch (error) { // the rollout is lost, the agent goes on
    result = { error: { boundary: error instanceof OpenAI.APIError ? "model" : "agent", message: String(error) } };
  }
  process.stdout.write(JSON.stringify({ ...result, trace_id: request.trace_id }) + "\n");
}
