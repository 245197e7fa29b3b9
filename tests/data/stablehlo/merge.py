"""Selects the cases of this folder from what `generate.py` wrote for several versions of JAX.

    python merge.py FOLDER-OF-NEWEST ... FOLDER-OF-OLDEST     # folders named after the version: jax-0.10.2

All programs of the newest version are kept: short ones in both forms, long ones in one, in turn. Of the older versions, a text is
kept if it has a line whose form is new, beyond names, numbers and types; its name ends with the version.

With the path of the terminal program in XLA_PLAYGROUND, cases that it computes to XLA's bits have no tolerance.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

# Above this many characters, a program has one form; above the second, it is omitted.
BOTH_FORMS, LONGEST = 1500, 6000


def forms(text):
    """The lines of a program without names, numbers, types, strings and locations."""
    text = re.sub(r'"[^"\n]*"(?! *\()', '""', text)
    text = re.sub(r"loc\(.*?\)+", "", text)
    text = re.sub(r"tensor<[^<>]*(<[^<>]*>)?[^<>]*>", "t", text)
    text = re.sub(r"dense<[^<>]*>", "dense", text)
    text = re.sub(r"%[\w#:]+|@\w+|\^\w+", "v", text)
    text = re.sub(r"-?\b\d[\w.+-]*", "0", text)
    text = re.sub(r"(\[*0\]*|v|t|\"\"|f32|i32)([,x ]+(\[*0\]*|v|t|\"\"))+", "l", text)
    return {line.strip() for line in text.splitlines()}


def exact(cases):
    """Removes the tolerance of the cases whose values are XLA's to the bit."""
    lines = [json.dumps({"name": f"{at} {form}", "mlir": case[form], "args": case["args"]}) + "\n"
             for at, case in enumerate(cases) for form in ("mlir", "generic") if form in case]
    run = subprocess.run([os.environ["XLA_PLAYGROUND"], "eval", "--batch", "-"], input="".join(lines), capture_output=True, text=True)
    differ = set()
    for line in run.stdout.splitlines():
        result = json.loads(line)
        at = int(result["name"].split()[0])
        if json.dumps(result.get("outputs")) != json.dumps(cases[at]["expected"]):
            differ.add(at)
    for at, case in enumerate(cases):
        if at not in differ:
            case["rtol"] = case["atol"] = 0


def main():
    known, kept = set(), {}
    for position, folder in enumerate(map(Path, sys.argv[1:])):
        version = folder.name.rsplit("-", 1)[-1]
        for file in sorted(folder.glob("*.jsonl")):
            for number, line in enumerate(file.read_text().splitlines()):
                case = json.loads(line)
                texts = {form: case.pop(form) for form in ("mlir", "generic")}
                short = min(texts, key=lambda form: len(texts[form]))
                if len(texts[short]) > LONGEST:
                    continue
                if position == 0:
                    chosen = texts if sum(map(len, texts.values())) <= 2 * BOTH_FORMS else dict([list(texts.items())[number % 2]])
                else:
                    chosen = {form: text for form, text in texts.items() if not forms(text) <= known}
                    case["name"] += "@" + version
                for text in chosen.values():
                    known |= forms(text)
                if chosen:
                    kept.setdefault(file.name if position == 0 else f"jax_{version.replace('.', '_')}.jsonl", []).append({**case, **chosen})
    target = Path(__file__).parent
    for name, cases in kept.items():
        if "XLA_PLAYGROUND" in os.environ:
            exact(cases)
        text = "".join(json.dumps(case, separators=(",", ":")) + "\n" for case in cases)
        (target / name).write_text(text)
        print(f"{name:24} {len(cases):4} {len(text):8}")


main()
