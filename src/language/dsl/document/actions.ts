import { type Report } from '../diagnostics/diagnostic';
import { actionTarget } from '../vocabulary/case';
import { contextWrites } from '../vocabulary/writes';
import { asMap, entry, type MapEntry, isNull, type MapNode, type YamlNode, presentValue } from '../yaml/node';
import { expressionOf, readCollect } from './collect';
import { type ActionDoc, type ArcDoc } from './document';
import { withNext } from './older';
import { countOf, type Overridden, readKnobs, readOverrides } from './overrides';

/** The context of actions in their step. */
export interface ActionContext {
  /** The tools that `call` and `retry` call again. */
  readonly tools: Overridden;
  /** Stores sinks and returns their names. */
  readonly sinks: (sink: MapEntry) => string[];
  /** Stores an arc of the router and returns its index; absent where no step can be started. */
  readonly arc?: (arc: ArcDoc) => number;
}

/** Actions of a mapping, in execution order: writes first, the move last. */
const ORDER = [
  'set',
  'collect',
  'result',
  'sink',
  'log',
  'end_loop',
  'call',
  'retry',
  'next',
  'fail',
  'skip',
] as const;

export const MOVES: ReadonlySet<string> = new Set(['call', 'retry', 'next', 'fail', 'skip']);

/** The actions of a rule: of a mapping in their natural order, of a list as written. */
export function readThen(then: YamlNode | undefined, context: ActionContext, report: Report): ActionDoc[] {
  const items = then?.kind === 'list' ? then.items : then === undefined ? [] : [then];
  const maps = items.flatMap((item) => (item.kind === 'map' ? [item] : []));
  return withNext(maps, report).flatMap((map) => readActions(map, context, report));
}

/** The actions of one mapping. Other keys are ignored. */
export function readActions(map: MapNode, context: ActionContext, report: Report): ActionDoc[] {
  return ORDER.flatMap((key) => {
    // `set_ctx` and `set_iter` are read together with `set`.
    const written = entry(map, key) ?? (key === 'set' ? writesEntry(map) : undefined);
    if (written === undefined) return [];
    if (key === 'set') return readSet(map, written, report);
    return readAction(key, written, context, report);
  });
}

function writesEntry(map: MapNode): MapEntry | undefined {
  return entry(map, 'set_ctx') ?? entry(map, 'set_iter') ?? entry(map, 'vars');
}

function readSet(map: MapNode, { at }: MapEntry, report: Report): ActionDoc[] {
  const writes = contextWrites(map, report);
  return writes.length === 0 ? [] : [{ do: 'set', writes, at }];
}

function readAction(
  key: Exclude<(typeof ORDER)[number], 'set'>,
  field: MapEntry,
  context: ActionContext,
  report: Report,
): ActionDoc[] {
  const { at, value } = field;
  switch (key) {
    case 'log':
      return isNull(value) ? [] : [{ do: 'log', value, at }];
    case 'collect': {
      const collect = readCollect(field, report);
      return collect === undefined ? [] : [collect];
    }
    case 'sink':
      return context.sinks(field).map((task) => ({ do: 'sink', task, at }));
    case 'result':
      return [{ do: 'result', value: resultOf(value), at }];
    case 'call':
      return readCall(field, context, report);
    case 'retry':
      return readRetryAction(field, context, report);
    case 'next':
      return readNext(field, context, report);
    case 'end_loop':
      return isOff(value) ? [] : [{ do: key, at }];
    default:
      return isOff(value) ? [] : [{ do: key, ...reasonOf(value), at }];
  }
}

/** `result: {from: pages}` is an expression, with or without braces; anything else is a literal value. */
function resultOf(value: YamlNode): YamlNode {
  const map = asMap(value);
  const from = presentValue(map, 'from');
  return map?.entries.length === 1 && from !== undefined ? expressionOf(from) : value;
}

function readCall({ at, value }: MapEntry, { tools }: ActionContext, report: Report): ActionDoc[] {
  if (isOff(value)) return [];
  const map = asMap(value);
  return [
    {
      do: 'call',
      overrides: map === undefined ? { config: [], input: [] } : readOverrides(map, tools, report),
      at,
    },
  ];
}

function readRetryAction({ at, value }: MapEntry, { tools }: ActionContext, report: Report): ActionDoc[] {
  if (value.kind === 'map') return [{ do: 'retry', at, ...readKnobs(value, tools, new Set(), report) }];
  const knobs = value.kind === 'scalar' ? countOf(value, '`retry`', report) : undefined;
  return knobs === undefined ? [] : [{ do: 'retry', at, ...knobs }];
}

function readNext({ at, value }: MapEntry, { arc }: ActionContext, report: Report): ActionDoc[] {
  if (arc === undefined) return [];
  const arcs = actionTarget(value, report).map(arc);
  if (arcs.length > 0) return [{ do: 'next', arcs, at }];
  report.add('NT2005', at, '`next` names no step', 'write `next: [{step: …}]`');
  return [];
}

/** `fail: true`, `fail: "why"` and `fail: {message: "why"}`. */
function reasonOf(value: YamlNode): { value?: YamlNode } {
  const map = asMap(value);
  const text = map === undefined ? value : (presentValue(map, 'message') ?? presentValue(map, 'reason'));
  if (text === undefined || isNull(text) || (text.kind === 'scalar' && text.value === true)) return {};
  return { value: text };
}

function isOff(value: YamlNode): boolean {
  return value.kind === 'scalar' && value.value === false;
}
