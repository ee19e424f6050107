/** Parses `expect`. */
import {
  asMap,
  checkSchemaShape,
  dataOf,
  entriesOf,
  entry,
  type MapEntry,
  itemsOf,
  type Located,
  type MapNode,
  type YamlNode,
  presentValue,
  without,
} from '../../../language/dsl/format';
import { readInvariants } from '../invariants/read';
import { parseCount } from './amounts';
import { namedFields, type RehearsalReader, nodeText } from './reader';
import {
  type CallExpectation,
  type CallsExpectation,
  type ErrorExpectation,
  type EventExpectation,
  type Expectations,
  type RehearsalStatus,
  type StepPattern,
} from './rehearsal';
import { CALL_EXPECTED, CALLS_EXPECTED } from './shapes';
import { compact } from '../../../language/plan';

/** @param at position for a missing expectation */
export function readExpectations(
  map: MapNode | undefined,
  at: Located,
  reader: RehearsalReader,
): Expectations {
  const error = map && entry(map, 'error');
  const status = map && entry(map, 'status');
  const steps = presentValue(map, 'steps');
  return {
    status: {
      value: (status === undefined
        ? error
          ? 'failed'
          : 'completed'
        : nodeText(status.value)) as RehearsalStatus,
      at: status?.value ?? error?.at ?? at,
    },
    data: DATA.flatMap((one) => {
      const field = map && entry(map, one.name);
      return field === undefined ? [] : [{ ...one, node: field.value }];
    }),
    ...(error === undefined ? {} : { error: readError(error, reader) }),
    ...(steps === undefined ? {} : { steps: { pattern: readSteps(steps, reader), at: steps } }),
    calls: entriesOf(presentValue(map, 'calls')).flatMap((each) => readCalls(each, reader)),
    events: readEvents(presentValue(map, 'events'), reader),
    never: readEvents(presentValue(map, 'never'), reader),
    invariants: readInvariants(map, reader.report),
    elapsed: readElapsed(presentValue(map, 'elapsed'), reader),
  };
}

const DATA = [
  { of: 'result', name: 'result', exact: true },
  { of: 'result', name: 'result_includes', exact: false },
  { of: 'ctx', name: 'ctx', exact: true },
  { of: 'ctx', name: 'ctx_includes', exact: false },
] as const;

function readError({ value, at }: MapEntry, reader: RehearsalReader): ErrorExpectation {
  const map = asMap(value);
  if (map === undefined) return { at, fields: [{ name: 'code', value: nodeText(value), at: value }] };
  const message = presentValue(map, 'message');
  const step = presentValue(map, 'step');
  if (step !== undefined) reader.stepName(step);
  return {
    at,
    ...(message === undefined ? {} : { message: reader.matcher(message) }),
    fields: namedFields(map, ['code', 'kind', 'step', 'task', 'iteration', 'attempt', 'line']),
  };
}

function readSteps(node: YamlNode, reader: RehearsalReader): StepPattern[] {
  return itemsOf(node).flatMap((item): StepPattern[] => {
    if (['…', '...'].includes(nodeText(item))) return [{ name: null, at: item }];
    const name = reader.stepName(item);
    return name === undefined ? [] : [{ name, at: item }];
  });
}

function readCalls({ key, at, value }: MapEntry, reader: RehearsalReader): CallsExpectation[] {
  const selector = reader.selector(key, at);
  const calls = callsOf(value, reader);
  if (selector?.places.every(({ task }) => task.kind === 'noop')) {
    const message = `\`${key}\` is of kind noop, which makes no calls`;
    reader.report.add('NT7005', at, message, 'expect it in `steps`, or its `task.done` in `events`');
  }
  return selector === undefined ? [] : [{ selector, at, ...calls }];
}

/** A count, a list of all calls, or a mapping of count, first, last, each and numbers. */
function callsOf(value: YamlNode, reader: RehearsalReader): Pick<CallsExpectation, 'count' | 'calls'> {
  if (value.kind === 'scalar') return { ...countOf(value, reader), calls: [] };
  if (value.kind === 'list') {
    const calls = value.items.map((item, index) => readCall(item, index + 1, reader));
    const comparison = { text: String(calls.length), holds: (count: number) => count === calls.length };
    return { count: { comparison, at: value }, calls: calls.filter((each) => each !== undefined) };
  }
  const numbered = value.entries.filter(({ key }) => /^[1-9]\d*$/.test(key));
  const others = without(value, new Set(numbered.map(({ key }) => key)));
  const named = checkSchemaShape(others, CALLS_EXPECTED, reader.report);
  const calls = (['first', 'last', 'each'] as const).flatMap((key) => {
    const node = presentValue(named, key);
    return node === undefined ? [] : [readCall(node, WHICH[key], reader)];
  });
  const nth = numbered.map((each) => readCall(each.value, Number(each.key), reader));
  const count = presentValue(named, 'count');
  return {
    ...(count === undefined ? {} : countOf(count, reader)),
    calls: [...calls, ...nth].filter((each) => each !== undefined),
  };
}

const WHICH = { first: 1, last: -1, each: 'each' } as const;

function countOf(node: YamlNode, reader: RehearsalReader): Pick<CallsExpectation, 'count'> {
  const count = reader.comparison(node, 'the number of calls', parseCount);
  return count === undefined ? {} : { count };
}

function readCall(
  node: YamlNode,
  which: CallExpectation['which'],
  reader: RehearsalReader,
): CallExpectation | undefined {
  const written = asMap(node);
  if (written === undefined) {
    reader.report.add(
      'NT2003',
      node,
      'an expected call must be a mapping',
      'write e.g. `{input: {…}}` or `{config: {…}}`',
    );
    return undefined;
  }
  // Keys of CALLS_EXPECTED are checked by its shape; list entries and numbers are checked here.
  const map = typeof which === 'number' ? checkSchemaShape(written, CALL_EXPECTED, reader.report) : written;
  const at = presentValue(map, 'at');
  const when = at && reader.comparison(at, '`at`');
  return { which, at: node, node: without(map, new Set(['at'])), ...compact({ when }) };
}

function readEvents(node: YamlNode | undefined, reader: RehearsalReader): EventExpectation[] {
  return itemsOf(node).flatMap((item) => {
    const map = asMap(item);
    const named = map === undefined ? item : presentValue(map, 'type');
    const type = named && reader.eventType(named);
    if (type === undefined) return [];
    if (map === undefined) return [{ type, at: item, fields: [] }];
    const payload = asMap(presentValue(map, 'payload'));
    const fields = namedFields(map, ['step', 'task', 'iteration', 'attempt', 'status']);
    return [{ type, at: item, fields, ...compact({ payload }) }];
  });
}

function readElapsed(node: YamlNode | undefined, reader: RehearsalReader): Expectations['elapsed'] {
  if (node === undefined) return [];
  const nodes = node.kind === 'list' ? node.items : [node];
  return nodes.flatMap((each) => reader.comparison(each, '`elapsed`') ?? []);
}

/** A mapping of payloads and variables as data. */
export function expectedMapping(node: YamlNode | undefined): Record<string, ReturnType<typeof dataOf>> {
  const map = asMap(node);
  return map === undefined ? {} : (dataOf(map) as Record<string, ReturnType<typeof dataOf>>);
}
