"""
Says which code blocks do not parse, without running any: a JSON list of texts on standard input, the findings as a JSON
list on standard output.
"""

import json
import sys

from noetl_code import dedented, prepare


def finding(text):
    source, lines, columns = dedented(text)
    try:
        prepare(source)
    except SyntaxError as error:
        line, column = error.lineno or 1, error.offset or 1
        return {'line': line + lines, 'column': max(column, 1) + columns, 'message': error.msg}
    except Exception:  # noqa: BLE001 - too deep, a NUL character: its worker says so
        return None
    return None


if __name__ == '__main__':
    json.dump([finding(text) for text in json.load(sys.stdin)], sys.stdout)
