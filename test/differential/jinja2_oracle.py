"""Answers what Jinja2 makes of templates: JSON lines in, JSON lines out. The judge of src/language/template/differential.test.ts."""

import base64
import json
import sys
from collections import abc

from jinja2 import ChainableUndefined, Environment

env = Environment(undefined=ChainableUndefined)
env.filters["fromjson"] = json.loads
env.filters["b64encode"] = lambda s: base64.b64encode(str(s).encode()).decode()
env.filters["b64decode"] = lambda s: base64.b64decode(str(s)).decode()


def plain(value):
    """The JSON value of a result; generators and dict views are lists."""
    if isinstance(value, ChainableUndefined):
        return None
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, str):
        return str(value)
    if isinstance(value, (list, tuple, set, range)) or isinstance(value, (abc.Iterator, abc.KeysView, abc.ValuesView, abc.ItemsView)):
        return [plain(v) for v in value]
    return value


def answer(case):
    try:
        if "expression" in case:
            value = env.compile_expression(case["expression"], undefined_to_none=False)(**case["context"])
            text = env.from_string("x{{ " + case["expression"] + " }}").render(case["context"])
            return {"value": plain(value), "undefined": isinstance(value, ChainableUndefined), "text": text}
        return {"text": env.from_string(case["template"]).render(case["context"])}
    except Exception as error:  # whatever Jinja2 refuses, and why
        return {"error": f"{type(error).__name__}: {error}"}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=False)
