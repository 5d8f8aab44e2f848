"""A task within reach of a model of 135 million parameters: four kinds of one-line questions, each after a few examples.

    python task.py FOLDER MODEL_URL TOOL_URL   writes train.jsonl (60 rows), eval.jsonl (30), job.json and gonogo.yaml
"""

import json
import pathlib
import sys

COLOURS = {
    "barn": "red", "boat": "white", "coat": "brown", "cup": "blue", "dress": "pink", "fence": "green", "flag": "orange", "hat": "black",
    "kite": "yellow", "lamp": "grey", "rug": "purple", "tent": "green", "truck": "red", "wall": "white", "door": "blue",
    "sofa": "brown", "car": "black", "bike": "yellow", "chair": "grey", "gate": "green", "scarf": "purple", "box": "pink", "pen": "blue",
}
LOOKUP = {"type": "function", "function": {
    "name": "colour", "description": "Looks up the colour of a thing.",
    "parameters": {"type": "object", "properties": {"thing": {"type": "string"}}, "required": ["thing"]}}}


def said(*pairs):
    return [{"role": role, "content": text} for pair in pairs for role, text in zip(("user", "assistant"), pair)]


def looked_up(i, thing, colour):
    return [
        {"role": "user", "content": f"Colour of the {thing}?"},
        {"role": "assistant", "content": None, "tool_calls": [{
            "id": f"call_{i}", "type": "function", "function": {"name": "colour", "arguments": json.dumps({"thing": thing})}}]},
        {"role": "tool", "tool_call_id": f"call_{i}", "content": colour},
        {"role": "assistant", "content": colour},
    ]


WORDS = {
    "animal": "cat cow duck fox goat hen lion owl".split(),
    "fruit": "pear lemon cherry grape mango melon peach plum".split(),
    "tool": "chisel pliers drill axe wrench file rasp shovel".split(),
}
CITIES = """Lisbon: My aunt has a bakery in Lisbon.|Cairo: Omar sold his shop in Cairo.|Vienna: The museum of Vienna opens at nine.
Rome: We walked through Rome all day.|Tokyo: Yuki studies law in Tokyo.|Madrid: The flight to Madrid was short.|Berlin: Snow fell on Berlin last night.
Athens: Athens is hot in July.|Dublin: Sean sings in a pub in Dublin.|Prague: The bridge in Prague is old.|Lima: Rosa sent a letter from Lima.
Boston: The library of Boston is large.|Delhi: Traffic in Delhi is loud.|Oslo: The ferry to Oslo leaves at six.|Seoul: Min opened a cafe in Seoul.
Geneva: The bank has an office in Geneva.|Havana: They danced in Havana until two.|Warsaw: Warsaw has a new tram.|Milan: Carla designs shoes in Milan.
Quebec: It rained in Quebec for a week.|Naples: The pizza in Naples is thin.|Zagreb: Ivan runs a hotel in Zagreb.|Hanoi: Street food in Hanoi is cheap."""


def rows():
    label = [{"role": "system", "content": "You sort words: animal, fruit or tool. Answer with one word."}] + said(
        ("apple", "fruit"), ("horse", "animal"), ("hammer", "tool"), ("dog", "animal"), ("banana", "fruit"), ("saw", "tool"))
    for group in zip(*WORDS.values()):
        for kind, word in zip(WORDS, group):
            yield "label", word, kind, label, word, None
    extract = [{"role": "system", "content": "Copy the city out of the text. Answer with the city alone."}] + said(
        ("Text: Anna lives in Paris.\nCity:", "Paris"), ("Text: The train from Bern was late.\nCity:", "Bern"), ("Text: Ken moved to Kyoto in May.\nCity:", "Kyoto"))
    for line in CITIES.replace("\n", "|").split("|"):
        city, text = line.split(": ", 1)
        yield "extract", city, city, extract, f"Text: {text}\nCity:", None
    add = [{"role": "system", "content": "Add the numbers. Answer with the number alone."}] + said(
        ("1 + 1", "2"), ("2 + 1", "3"), ("4 + 1", "5"), ("6 + 1", "7"), ("2 + 2", "4"))
    shown = {(1, 1), (2, 1), (4, 1), (6, 1), (2, 2)}
    for a, b in [(a, b) for b in range(1, 6) for a in range(b, 9) if (a, b) not in shown][:23]:
        yield "add", f"{a}+{b}", str(a + b), add, f"{a} + {b}", None
    ask = [{"role": "system", "content": "Look the colour up with the function."}] + looked_up(1, "sky", "blue") + looked_up(2, "rose", "red")
    for thing, colour in COLOURS.items():
        yield "tool", thing, colour, ask, f"Colour of the {thing}?", [LOOKUP]


def main(folder, model, tool):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    counts = {"train": (15, 0), "eval": (23, 15)}
    kinds = {}
    for row in rows():
        kinds.setdefault(row[0], []).append(row)
    for split, (to, since) in counts.items():
        with open(folder / f"{split}.jsonl", "w") as out:
            for i in range(since, to):
                for j, (kind, name, answer, shots, question, tools) in enumerate(list(k[i] for k in kinds.values())):
                    if split == "eval" and i == to - 1 and j >= 2:
                        continue  # 30 rows, not 32
                    row = {"id": f"{kind}-{name}", "category": kind, "answer": answer, "messages": shots + [{"role": "user", "content": question}]}
                    out.write(json.dumps(row | ({"tools": tools} if tools else {})) + "\n")
    job = {"method": {"type": "reinforcement", "reinforcement": {
        "grader": {"type": "string_check", "name": "exact", "operation": "eq", "input": "{{sample.output_text}}", "reference": "{{item.answer}}"},
        "tools": [{"name": "colour", "server_url": tool}], "max_episode_steps": 4}}}
    (folder / "job.json").write_text(json.dumps(job, indent=2) + "\n")
    (folder / "gonogo.yaml").write_text(f"""# A model of 135 million parameters behind llama.cpp's server.
job: job.json
target: none
data: {{train: train.jsonl, eval: eval.jsonl}}
model: {{name: smollm2-135m, base_url: "{model}", api: chat, api_key_env: none, temperature: 0.8, max_output_tokens: 48}}
sampling: {{samples: 8, concurrency: 4}}  # the server has four slots: more requests would wait in its queue, and the wait would count as theirs
""")


if __name__ == "__main__":
    main(*sys.argv[1:])
