"""Write docs/api.md from the docstrings: python docs/make_api.py (with - to standard output)."""

import inspect
import re
import sys
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import FunctionType

# Modules and the names of each that users are meant to use.
PARTS = {
    "xcompare": "Everything most people need.",
    "xcompare.methods": "The methods, one by one; they take standardised data.",
    "xcompare.datasets": "Bundled data, and the published numbers.",
    "xcompare.report": "The report, and the parts a page is made of.",
    "xcompare.exceptions": "What can go wrong. All are `XCompareError`.",
}
ENTRY = re.compile(r"^\*{0,2}\w[\w, *]* : .+$")  # as in "X : ndarray of shape (n_samples, n_features)"
INTRODUCTION = """# API

Generated from the docstrings by `python docs/make_api.py`; `help(name)` in Python shows the same.
"""


def main(target):
    parts, seen = [INTRODUCTION], []
    for module_name, about in PARTS.items():
        module = import_module(module_name)
        parts.append(f"# {module_name}\n\n{about}\n")
        for name in public_names(module):
            thing = getattr(module, name)
            if (inspect.isclass(thing) or inspect.isfunction(thing)) and thing not in seen:
                seen.append(thing)
                parts.append(described(name, thing))
    text = "\n".join(parts)
    sys.stdout.write(text) if target == "-" else Path(target).write_text(text, encoding="utf-8")


def public_names(module):
    own = [n for n, t in vars(module).items() if getattr(t, "__module__", "") == module.__name__]
    return [name for name in getattr(module, "__all__", own) if not name.startswith("_")]


def described(name, thing):
    """A function, or a class with its public attributes."""
    lines = [f"## {name}\n"]
    if not (inspect.isclass(thing) and issubclass(thing, Exception)):
        lines.append(f"```text\n{name}{signature(thing)}\n```\n")
    lines.append(markdown(inspect.getdoc(thing) or ""))
    if inspect.isclass(thing):
        members = [(key, value) for key, value in vars(thing).items() if not key.startswith("_")]
        kinds = (property, cached_property, classmethod, FunctionType)
        rows = [f"| `{key}` | {first_line(value)} |" for key, value in members if isinstance(value, kinds)]
        if rows:
            lines.append("| attribute or method | |\n| --- | --- |\n" + "\n".join(rows) + "\n")
    return "\n".join(lines)


def signature(thing):
    try:
        parameters = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):
        return "(...)"
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in parameters]
    text = str(inspect.Signature(bare))
    if len(text) < 90:
        return text
    shown = [str(p) for p in bare]
    keywords = [p.kind is inspect.Parameter.KEYWORD_ONLY for p in bare]
    if any(keywords):
        shown.insert(keywords.index(True), "*")
    return "(\n    " + ",\n    ".join(shown) + ",\n)"


def first_line(value):
    value = getattr(value, "__func__", getattr(value, "func", value))
    doc = (inspect.getdoc(value) or "").split("\n\n")[0]
    return doc.replace("\n", " ").replace("|", "\\|").replace("``", "`")


def markdown(doc):
    """numpydoc as Markdown: headings in bold, parameters as a list, examples as code."""
    doc = re.sub(r"^(\w[\w ]*)\n-{3,}$", r"**\1**\n", doc, flags=re.MULTILINE).replace("``", "`")
    lines, in_code = [], False
    for line, following in zip(doc.split("\n"), [*doc.split("\n")[1:], ""], strict=True):
        if line.startswith(">>>") and not in_code:
            lines.append("```pycon")
            in_code = True
        elif in_code and not line.strip():
            lines.append("```")
            in_code = False
        if not in_code and (ENTRY.match(line) or (line and following.startswith("    ") and line[0] != " ")):
            name, _, kind = line.partition(" : ")
            lines.append(f"- **`{name}`**" + (f" : {kind}" if kind else ""))
        elif not in_code and line.startswith("    "):
            lines.append("  " + line.strip())
        else:
            lines.append(line)
    return "\n".join([*lines, *(["```"] if in_code else [])]) + "\n"


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("api.md"))
