/** From the text of a rehearsal file to runnable rehearsals. */
import {
  asMap,
  checkSchemaShape,
  dataOf,
  type Diagnostic,
  entriesOf,
  entry,
  Findings,
  itemsOf,
  LineIndex,
  type Located,
  type MapNode,
  type YamlNode,
  oneOfText,
  parseYaml,
  presentValue,
  type Report,
} from '../../../language/dsl/format';
import { type ToolKinds } from '../../../language/dsl/kinds';
import { type Input } from '../../../engine/machine';
import { compact, deepMerge, type JsonObject, type Plan } from '../../../language/plan';
import { START } from '../../drive';
import { type MockAnswer, readAnswer, readAnswers } from './answers';
import { expectedMapping, readExpectations } from './expectations';
import { messagePayload, readSubscription, type SubscriptionText } from './message';
import { RehearsalReader, nodeText } from './reader';
import { type RehearsalMock, type Rehearsal, type RehearsalFile } from './rehearsal';
import { REHEARSAL_FILE } from './shapes';

/** The result of loading the playbook named by a rehearsal. */
export type RehearsedPlaybook =
  | { readonly file: string; readonly plan: Plan }
  /** `problem` completes the sentence "the playbook …". */
  | { readonly file: string; readonly problem: string; readonly hint?: string };

interface ReadOptions {
  readonly file: string;
  /** Finds and compiles a playbook by the path in the file. */
  readonly load: (path: string) => RehearsedPlaybook;
  /** The text of a subscription by the path in the file. */
  readonly textOf?: SubscriptionText;
  /** Of extension modules. */
  readonly kinds?: ToolKinds;
}

export interface ReadFile {
  /** Present exactly if no diagnostic is an error. */
  readonly rehearsed?: RehearsalFile;
  readonly diagnostics: Diagnostic[];
}

/** Parses a rehearsal file. All problems are found in one pass and returned; nothing is thrown. */
export function readRehearsals(
  text: string,
  { file, load, textOf, kinds = new Map() }: ReadOptions,
): ReadFile {
  const lines = new LineIndex(text);
  const findings = new Findings(lines, { file });
  const written = parseYaml(text, findings, {
    name: 'rehearsal file',
    startsWith: '`playbook: ./FILE.yaml`',
  });
  if (written === undefined) return { diagnostics: findings.list() };
  const root = checkSchemaShape(written, REHEARSAL_FILE, findings);
  const playbook = loadPlaybook(root, load, findings);
  if (playbook === undefined) return { diagnostics: findings.list() };
  const trigger = readSubscription(root, textOf, findings);
  const reader = new RehearsalReader(playbook.plan, findings, kinds, trigger);
  const rehearsals = readAll(root, written, reader);
  const diagnostics = findings.list();
  return findings.hasErrors
    ? { diagnostics }
    : { rehearsed: { file, lines, playbook, rehearsals }, diagnostics };
}

function loadPlaybook(
  root: MapNode,
  load: ReadOptions['load'],
  findings: Findings,
): RehearsalFile['playbook'] | undefined {
  const node = presentValue(root, 'playbook');
  if (node === undefined || node.kind !== 'scalar') return undefined;
  const loaded = load(nodeText(node));
  if ('plan' in loaded) return loaded;
  findings.add('NT7001', node, `the playbook ${loaded.problem}`, loaded.hint);
  return undefined;
}

/** Keys of a single rehearsal, which cannot be shared by several. */
const OF_ONE = ['name', 'events', 'others', 'expect'];

/** @param written with its misspelt keys, which are reported already */
function readAll(root: MapNode, written: MapNode, reader: RehearsalReader): Rehearsal[] {
  const list = entry(root, 'rehearsals');
  if (list === undefined) return [readRehearsal(root, undefined, reader)];
  for (const { key, at } of written.entries.filter((each) => OF_ONE.includes(each.key))) {
    reader.report.add('NT2001', at, `\`${key}\` belongs to one rehearsal`, 'move it below `rehearsals`');
  }
  const maps = itemsOf(list.value).flatMap((item) => asMap(item) ?? []);
  if (maps.length === 0 && list.value.kind !== 'map') {
    reader.report.add('NT2005', list.at, '`rehearsals` is empty', 'add a rehearsal, or remove the key');
  }
  checkNames(maps, reader);
  return maps.map((map) => readRehearsal(map, root, reader));
}

function checkNames(maps: readonly MapNode[], reader: RehearsalReader): void {
  const seen = new Set<string>();
  for (const map of maps) {
    const node = presentValue(map, 'name');
    if (node === undefined) continue;
    const name = nodeText(node);
    if (seen.has(name)) reader.report.add('NT7006', node, `duplicate rehearsal name \`${name}\``);
    seen.add(name);
  }
}

/** @param shared the root of a file of several rehearsals */
function readRehearsal(map: MapNode, shared: MapNode | undefined, reader: RehearsalReader): Rehearsal {
  const own = readMocks(map, false, reader);
  const named = new Set(own.map(({ selector }) => selector.text));
  const others = shared === undefined ? [] : readMocks(shared, true, reader);
  const name = presentValue(map, 'name');
  const expect = asMap(presentValue(map, 'expect'));
  const at: Located = name ?? map.entries[0]?.at ?? map;
  const either = (key: string): ReturnType<typeof presentValue> =>
    presentValue(map, key) ?? presentValue(shared, key);
  return {
    name: name === undefined ? reader.plan.metadata.name : nodeText(name),
    at,
    payload: [shared, map].reduce<JsonObject>(
      (payload, each) => deepMerge(payload, payloadIn(each, reader)) as JsonObject,
      {},
    ),
    mocks: [...own, ...others.filter(({ selector }) => !named.has(selector.text))],
    defaults: { ...readDefaults(shared, reader), ...readDefaults(map, reader) },
    unmocked: unmockedOf(entry(map, 'unmocked') ?? entry(shared, 'unmocked')),
    startAt: readStart(either('start_at'), reader),
    ...limitOf(either('limit')),
    ...executionIdOf(presentValue(map, 'execution_id'), reader),
    messages: itemsOf(presentValue(map, 'events')).flatMap((item) => readHappening(asMap(item), reader)),
    others: readOthers(presentValue(map, 'others'), reader),
    expect: readExpectations(expect, expect ?? at, reader),
  };
}

/** Of a message, with what is written beside it. */
function payloadIn(map: MapNode | undefined, { trigger, report }: RehearsalReader): JsonObject {
  const message = presentValue(map, 'message');
  const payload = expectedMapping(presentValue(map, 'payload')) as JsonObject;
  return message ? (deepMerge(messagePayload(message, trigger, report), payload) as JsonObject) : payload;
}

/** The type of `limit` is checked with the shape. */
function limitOf(node: ReturnType<typeof presentValue>): { limit?: number } {
  const limit = node && dataOf(node);
  return typeof limit === 'number' ? { limit } : {};
}

function executionIdOf(node: YamlNode | undefined, { report }: RehearsalReader): { executionId?: string } {
  if (!node) return {};
  const executionId = nodeText(node);
  if (!/^\d{1,20}$/.test(executionId))
    report.add('NT7004', node, '`execution_id` is not an execution id', 'write its digits, in quotes');
  return { executionId };
}

function readOthers(node: YamlNode | undefined, reader: RehearsalReader): Rehearsal['others'] {
  const { concurrency, debounce } = reader.plan;
  if (node && !concurrency && !debounce)
    reader.report.add('NT7002', node, 'the playbook has neither `concurrency` nor `debounce`');
  return itemsOf(node).map((item, index) => {
    const map = asMap(item);
    const [execution, arrives, ends] = ['execution', 'arrives', 'ends'].map(
      (key) => map && presentValue(map, key),
    );
    return {
      execution: execution ? nodeText(execution) : `other-${index + 1}`,
      arrives: (arrives && reader.time(arrives, 'arrives')) ?? 0,
      ...compact({ ends: ends && reader.time(ends, 'ends') }),
    };
  });
}

/** `unmocked: null` is the null of YAML. */
function unmockedOf(field: ReturnType<typeof entry>): Rehearsal['unmocked'] {
  return field === undefined || nodeText(field.value) === 'fail' ? 'fail' : 'null';
}

/** Kinds executed by the engine itself: the events a wait expects are under `events`. */
export const AS_THEY_ARE: readonly string[] = ['noop', 'wait'];

function readMocks(map: MapNode, shared: boolean, reader: RehearsalReader): RehearsalMock[] {
  return entriesOf(presentValue(map, 'mocks')).flatMap(({ key, at, value }): RehearsalMock[] => {
    const selector = reader.selector(key, at);
    if (selector === undefined) return [];
    const all = [...new Set(selector.places.map(({ task }) => task.kind))];
    const kinds = all.filter((kind) => !AS_THEY_ARE.includes(kind));
    if (kinds.length === 0) {
      const kind = all.join(' and ');
      reader.report.add('NT7003', at, `\`${key}\` is of kind ${kind}, which runs for real and needs no mock`);
      return [];
    }
    return [
      {
        selector,
        at,
        answers: readAnswers(
          value,
          kinds.map((kind) => reader.mocked(kind)),
          reader.report,
        ),
        shared,
      },
    ];
  });
}

function readDefaults(map: MapNode | undefined, reader: RehearsalReader): Record<string, MockAnswer> {
  const kinds = new Set(reader.places.map(({ task }) => task.kind));
  const answers = entriesOf(presentValue(map, 'defaults')).map(({ key, at, value }): [string, MockAnswer] => {
    if (!kinds.has(key)) {
      const hint = `its kinds are ${oneOfText([...kinds])}`;
      reader.report.add('NT7002', at, `the playbook has no task of kind \`${key}\``, hint);
    }
    return [key, readAnswer(value, [reader.mocked(key)], reader.report)];
  });
  return Object.fromEntries(answers);
}

function readStart(node: ReturnType<typeof presentValue>, reader: RehearsalReader): number {
  if (node === undefined) return START;
  const time = Date.parse(nodeText(node));
  if (Number.isNaN(time)) {
    reader.report.add(
      'NT7004',
      node,
      '`start_at` is not a timestamp',
      'write e.g. "2026-01-31T08:00:00Z", in quotes',
    );
  }
  return time;
}

/** Inputs from outside, by key: a table of functions that make the engine's input. */
const HAPPENINGS: Readonly<Record<string, (value: YamlNode) => Input>> = {
  pause: (value) => ({ type: 'paused', ...reasonOf(nodeText(value)) }),
  resume: () => ({ type: 'resumed' }),
  cancel: (value) => ({ type: 'cancelRequested', ...reasonOf(nodeText(value)) }),
  set: (value) => ({ type: 'variablesSet', variables: expectedMapping(value) }),
  delete: (value) => ({ type: 'variablesDeleted', names: itemsOf(value).map(nodeText) }),
  event: (value) => sentEvent(value),
};

function sentEvent(value: YamlNode): Input {
  const map = asMap(value);
  const id = map && presentValue(map, 'id');
  const payload = map && presentValue(map, 'payload');
  const by = map && presentValue(map, 'by');
  return {
    type: 'externalEvent',
    name: nodeText((map && presentValue(map, 'name')) ?? value),
    payload: payload ? dataOf(payload) : null,
    ...(id ? { id: nodeText(id) } : {}),
    // It answers a form as well as anything.
    answer: by ? { by: nodeText(by) } : {},
  };
}

function reasonOf(text: string): { reason?: string } {
  return text === 'true' ? {} : { reason: text };
}

/** The message of an entry of `events`. */
export function readMessage(map: MapNode, report: Report): Input | undefined {
  const entries = map.entries.filter(({ key }) => Object.hasOwn(HAPPENINGS, key));
  if (entries.length !== 1) {
    const allowed = oneOfText(Object.keys(HAPPENINGS));
    const where = map.entries[0]?.at ?? map;
    report.add('NT7007', where, `an entry of \`events\` has one of ${allowed}, not ${entries.length}`);
    return undefined;
  }
  const { key, value } = entries[0]!;
  return HAPPENINGS[key]!(value);
}

function readHappening(map: MapNode | undefined, reader: RehearsalReader): Rehearsal['messages'][number][] {
  const input = map && readMessage(map, reader.report);
  if (!map || !input) return [];
  const after = presentValue(map, 'after');
  return [{ after: (after && reader.time(after, 'after')) ?? 0, input, at: map }];
}
