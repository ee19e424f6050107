"""Turns what Python code returns into plain JSON data, or says exactly what cannot be turned and where."""

import base64
import collections
import collections.abc
import dataclasses
import datetime
import decimal
import enum
import math
import os
import uuid

# Beyond this a number loses digits in everything that reads JSON as doubles.
MAX_SAFE = 2**53 - 1
MAX_DEPTH = 200


class NotJson(ValueError):
    """The result holds something JSON has no form for."""


def plain(value, path='result', holders=()):
    """
    None, bool, text, numbers, lists and mappings as they are. NaN, Infinity, NaT and NA become null. Integers beyond 2^53
    become text, as do decimals that a double cannot hold. Dates and times become ISO 8601, bytes base64.
    """
    if value is None or value is True or value is False:
        return value
    kind = type(value)
    if kind is str:
        return value
    if kind is int:
        return value if -MAX_SAFE <= value <= MAX_SAFE else str(value)
    if kind is float:
        return value if math.isfinite(value) else None
    if len(holders) > MAX_DEPTH:
        raise NotJson(f'{path} is nested deeper than {MAX_DEPTH} levels')
    if isinstance(value, enum.Enum):
        return plain(value.value, path, holders)
    if isinstance(value, (str, int, float)):  # subclasses
        base = str if isinstance(value, str) else int if isinstance(value, int) else float
        return plain(base(value), path, holders)
    container = _container(value, path, holders)
    return _scalar(value, path, holders) if container is _NO else container


_NO = object()


def _container(value, path, holders):
    if isinstance(value, collections.abc.Mapping):
        inner = _enter(value, path, holders)
        return {_key(key, path): plain(item, f'{path}.{key}', inner) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        value = _ordered(value)
    elif isinstance(value, (collections.abc.KeysView, collections.abc.ValuesView, collections.abc.ItemsView, range, collections.deque)):
        value = list(value)
    if isinstance(value, (list, tuple)):
        inner = _enter(value, path, holders)
        return [plain(item, f'{path}[{index}]', inner) for index, item in enumerate(value)]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        inner = _enter(value, path, holders)
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return plain(fields, path, inner)
    return _NO


def _scalar(value, path, holders):
    # pandas' NaT is a datetime, and would be the text NaT.
    if type(value).__name__ in ('NaTType', 'NAType') and type(value).__module__.startswith('pandas'):
        return None
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return _decimal(value)
    if isinstance(value, (uuid.UUID, os.PathLike)):
        return str(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(bytes(value)).decode('ascii')
    return _foreign(value, path, holders)


def _foreign(value, path, holders):
    """Types of libraries that are not imported here, by the method they offer: numpy, pandas, pydantic."""
    if not isinstance(value, type):
        if hasattr(value, 'dtype') or type(value).__module__.split('.')[0] in ('numpy', 'pandas', 'pydantic', 'polars'):
            for method, options in (('model_dump', {}), ('to_dicts', {}), ('to_dict', {'orient': 'records'}), ('tolist', {}), ('isoformat', {}), ('item', {})):
                convert = getattr(value, method, None)
                if callable(convert):
                    try:
                        converted = convert(**options)
                    except TypeError:
                        converted = convert()
                    if converted is not value:
                        return plain(converted, path, _enter(value, path, holders))
    name = f'{type(value).__module__}.{type(value).__qualname__}'.removeprefix('builtins.')
    raise NotJson(f'{path} is of type {name}, which has no JSON form; return numbers, text, lists or mappings')


def _enter(value, path, holders):
    if id(value) in holders:
        raise NotJson(f'{path} contains itself')
    return (*holders, id(value))


def _key(key, path):
    if isinstance(key, enum.Enum):
        key = key.value
    if isinstance(key, str):
        return str(key)
    if key is None or isinstance(key, bool):
        return {None: 'null', True: 'true', False: 'false'}[key]
    if isinstance(key, (int, float, decimal.Decimal, uuid.UUID)):
        return str(key)
    if isinstance(key, (datetime.date, datetime.datetime, datetime.time)):
        return key.isoformat()
    raise NotJson(f'{path} has a key of type {type(key).__qualname__}; keys must be text or numbers')


def _ordered(values):
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=repr)


def _decimal(value):
    if not value.is_finite():
        return None
    if value == value.to_integral_value() and abs(value) <= MAX_SAFE:
        return int(value)
    return float(value) if decimal.Decimal(repr(float(value))) == value else str(value)
