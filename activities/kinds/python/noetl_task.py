"""Runs one task in a process of its own and answers with one JSON document (see `run`)."""

import asyncio
import contextlib
import importlib
import inspect
import json
import linecache
import logging
import os
import re
import resource
import sys
import traceback
import types

from noetl_code import BODY, FILENAME, NOTHING, STAR, prepare
from noetl_plain import NotJson, plain

MAX_MESSAGE = 8192
MAX_TRACEBACK = 16_384
# Modules that code may name without importing them, as on the official workers. Anything else of the name wins.
READY = ('json', 'sys', 'os', 'datetime', 'uuid')


class _Nothing:
    """The code ended without naming a result."""


class _Missing(Exception):
    """Names in a list of `libs` that are neither modules nor distributions here."""

    def __init__(self, names):
        self.names = names


def run(task):
    """
    `task`: {code, input, files, context, job, execution_id, libs, env, cwd, memory_mb}. The answer, as JSON bytes:
    {ok: true, result} or {ok: false, kind: exception|validation, code, type, message, line, traceback}.
    """
    try:
        with _memory(task.get('memory_mb')):
            result = _run(task)
        document = {'ok': True, 'result': plain(result)}
    except _Missing as error:
        document = {**_raised(error.__cause__), 'missing': error.names}
    except SystemExit as stop:
        document = _exited(stop)
    except NotJson as error:
        document = _failure('validation', 'RESULT_NOT_JSON', 'NotJson', str(error))
    except SyntaxError as error:
        document = _syntax_error(error)
    except MemoryError as error:
        document = _raised(error)
        if task.get('memory_mb'):
            document['message'] += f" (memory_mb: {task['memory_mb']:g})"
    except BaseException as error:  # noqa: BLE001 - whatever the code raises is its outcome
        document = _raised(error)
    return json.dumps(document, allow_nan=False).encode('ascii')


@contextlib.contextmanager
def _memory(megabytes):
    """
    Limits the address space of the code, and of processes it starts. The soft limit, so that it can be lifted for what
    comes after: telling what happened needs memory too.
    """
    if not megabytes:
        yield
        return
    before, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (int(megabytes * 1024 * 1024), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (before, hard))


def _run(task):
    if task.get('cwd'):
        os.chdir(task['cwd'])
    for name, value in (task.get('env') or {}).items():
        os.environ[name] = value
    module = types.ModuleType('__main__')
    sys.modules['__main__'] = module
    names = module.__dict__
    offered = _offered(task)
    names.update({name: value for name, value in offered.items() if not name.startswith('__')})
    for name, value in _libraries(task.get('libs'), task.get('installed') or []):
        names[name] = value
    names[NOTHING] = _Nothing
    names[STAR] = lambda source: _import_star(names, source)
    source, program = prepare(task['code'])
    for name in READY:
        if name not in names and re.search(rf'\b{name}\b', source):
            names[name] = importlib.import_module(name)
    linecache.cache[FILENAME] = (len(source), None, source.splitlines(keepends=True), FILENAME)
    exec(program.code, names)
    returned = _Nothing
    if program.wrapped:
        body = names.pop(BODY)
        body.__code__ = body.__code__.replace(co_name='<module>')
        returned = _settled(body())
    main = names.get('main')
    if returned is _Nothing and callable(main) and main is not offered.get('main') and not program.calls_main:
        positional, keyword = _arguments(main, task, offered)
        value = _settled(main(*positional, **keyword))
        if value is not None:
            returned = value
    if returned is not _Nothing:
        return returned
    if program.assigns_result or names.get('result') is not offered.get('result'):
        return _settled(names.get('result'))
    return None


def _offered(task):
    """What code may use without importing it. An input of the same name wins."""
    inputs = task['input']
    context = task.get('context') or {}
    job = {**(context['job'] if isinstance(context.get('job'), dict) else {}), **task['job']}
    return {
        'logging': logging,
        'input_data': inputs,
        'args': inputs,
        'context': {**_workload(context), **context, 'execution_id': task['execution_id'], 'job': job},
        'execution_id': task['execution_id'],
        'job': job,
        **({'files': task['files']} if 'files' in task else {}),
        **inputs,
    }


def _workload(context):
    workload = context.get('workload')
    return workload if isinstance(workload, dict) else {}


def _libraries(libs, installed):
    """{alias: module} · {alias: {from: module, import: name}} · a list of either, of modules, or of distributions."""
    missing = {}
    for one in libs if isinstance(libs, list) else [libs] if libs else []:
        if isinstance(one, str):
            name, _, alias = (part.strip() for part in one.partition(' as '))
            try:
                loaded = importlib.import_module(name)
            except ModuleNotFoundError as error:
                if not (name + '.').startswith(f'{error.name}.'):
                    raise
                if name not in installed and not _is_distribution(name):
                    missing[name] = error
                continue
            root = name.split('.')[0]
            yield (alias, loaded) if alias else (root, sys.modules[root])
            continue
        for alias, what in one.items():
            if isinstance(what, dict):
                module = importlib.import_module(what.get('from') or what.get('module') or alias)
                wanted = what.get('import')
                for name in wanted if isinstance(wanted, list) else [wanted]:
                    yield (name if isinstance(wanted, list) else alias, _member(module, name) if name else module)
            else:
                yield (alias, importlib.import_module(what or alias))
    if missing:
        raise _Missing(list(missing)) from next(iter(missing.values()))


def _is_distribution(name):
    from importlib import metadata

    try:
        metadata.distribution(name)
    except (metadata.PackageNotFoundError, ValueError):
        return False
    return True


def _member(module, name):
    try:
        return getattr(module, name)
    except AttributeError:
        return importlib.import_module(f'{module.__name__}.{name}')


def _import_star(names, source):
    module = importlib.import_module(source)
    public = getattr(module, '__all__', None) or [name for name in vars(module) if not name.startswith('_')]
    names.update({name: getattr(module, name) for name in public})


def _arguments(main, task, offered):
    """Positional and keyword arguments for main(): by name from the inputs; without a default, from the context too."""
    context = task.get('context') or {}
    needed = {**_workload(context), **context, **offered}
    positional, keyword, missing = [], {}, []
    for name, parameter in inspect.signature(main).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            keyword.update({key: value for key, value in task['input'].items() if key not in keyword})
        elif parameter.kind is parameter.VAR_POSITIONAL:
            continue
        elif name in offered or (parameter.default is parameter.empty and name in needed):
            if parameter.kind is parameter.POSITIONAL_ONLY:
                positional.append(needed[name])
            else:
                keyword[name] = needed[name]
        elif parameter.default is parameter.empty:
            missing.append(name)
    if missing:
        has = ', '.join(sorted(task['input'])) or 'none'
        raise TypeError(f"main() needs {', '.join(map(repr, missing))}, and no input or context has that name (inputs: {has})")
    return positional, keyword


def _settled(value):
    if not inspect.isawaitable(value):
        return value

    async def wait():
        return await value

    return asyncio.run(wait())


def _exited(stop):
    """sys.exit() and sys.exit(0) end the code early, as they end a script; anything else is a failure."""
    if stop.code in (None, 0):
        result = getattr(sys.modules['__main__'], 'result', None)
        try:
            return {'ok': True, 'result': plain(result)}
        except NotJson as error:
            return _failure('validation', 'RESULT_NOT_JSON', 'NotJson', str(error))
    return _raised(stop)


def _raised(error):
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == FILENAME]
    line = frames[-1].lineno if frames else None
    name = type(error).__name__
    text = _text(error)
    message = f'{name}: {text}' if text else name
    if line is not None:
        message += f' (line {line} of the code)'
    return _failure('exception', f'PY_{name}', name, message, line, _traceback(error))


def _syntax_error(error):
    if error.filename != FILENAME:
        return _raised(error)
    where = f' (line {error.lineno} of the code)' if error.lineno else ''
    source = f': {error.text.strip()}' if error.text else ''
    name = type(error).__name__
    return _failure('validation', f'PY_{name}', name, f'{name}: {error.msg}{where}{source}', error.lineno)


def _failure(kind, code, name, message, line=None, trace=None):
    # The mark tells the worker where a text was cut: it hides parts of secrets beside it.
    message = message if len(message) <= MAX_MESSAGE else message[:MAX_MESSAGE] + '…'
    return {'ok': False, 'kind': kind, 'code': code, 'type': name, 'message': message, 'line': line, 'traceback': trace}


def _text(error):
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - a __str__ that raises must not hide the error
        return '(the exception has no text)'


def _traceback(error):
    """As Python prints it, without the frames of this runner."""
    ours = os.path.dirname(os.path.abspath(__file__))
    shown = traceback.TracebackException.from_exception(error)
    seen = set()
    pending = [shown]
    while pending:
        one = pending.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        one.stack = traceback.StackSummary.from_list([frame for frame in one.stack if not frame.filename.startswith(ours)])
        pending.extend((one.__cause__, one.__context__))
    text = ''.join(shown.format())
    return text if len(text) <= MAX_TRACEBACK else f'{text[:2048]}\n[…]\n{text[-(MAX_TRACEBACK - 2048):]}'
