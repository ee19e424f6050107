/** From the text of a faults file to a simulation. */
import {
  asMap,
  checkSchemaShape,
  dataOf,
  type Diagnostic,
  entriesOf,
  type MapEntry,
  Findings,
  itemsOf,
  LineIndex,
  type MapNode,
  type YamlNode,
  parseYaml,
  presentValue,
} from '../../../language/dsl/format';
import { type ToolKinds } from '../../../language/dsl/kinds';
import { type JsonObject, type Plan, type Json } from '../../../language/plan';
import {
  type MockAnswer,
  AS_THEY_ARE,
  parseTime,
  readAnswer,
  readAnswers,
  RehearsalReader,
  readInvariants,
  readMessage,
  selects,
  nodeText,
  type Invariant,
} from '../../rehearsal';
import { FAULTS, FAULTS_FILE } from './shapes';
import { type Input } from '../../../engine/machine';

/** What is simulated without a faults file. */
export const STANDARD_FAULTS =
  'faults: { all: { failures: 5%, lost: 2%, duplicates: 2%, delay: [0s, 2s] } }\nmay_wait: true\n';

const LIMIT = 500;

interface ReadSimulation {
  /** Present exactly if no diagnostic is an error. */
  readonly simulation?: Simulation;
  readonly diagnostics: Diagnostic[];
}

/** Parses a faults file for a playbook. All problems are found in one pass and returned; nothing is thrown. */
export function readSimulation(
  text: string,
  {
    file,
    plan,
    kinds = new Map(),
  }: { readonly file: string; readonly plan: Plan; readonly kinds?: ToolKinds },
): ReadSimulation {
  const findings = new Findings(new LineIndex(text), { file });
  const written = parseYaml(text, findings, { name: 'faults file', startsWith: '`faults:`' });
  if (written === undefined) return { diagnostics: findings.list() };
  const root = checkSchemaShape(written, FAULTS_FILE, findings);
  const reader = new RehearsalReader(plan, findings, kinds);
  const data = (key: string): unknown => {
    const node = presentValue(root, key);
    return node && dataOf(node);
  };
  const simulation: Simulation = {
    payload: (asMap(presentValue(root, 'payload')) ? data('payload') : {}) as JsonObject,
    draw: entriesOf(presentValue(root, 'draw')).map(({ key, value }) => [key, drawnOf(value, reader)]),
    usesRehearsals: data('rehearsals') !== false,
    faults: entriesOf(presentValue(root, 'faults'))
      .flatMap((one) => readFaults(one, reader))
      .sort((a, b) => a.rank - b.rank),
    events: itemsOf(presentValue(root, 'events')).flatMap((item) => readEvent(asMap(item), reader)),
    mayWait: data('may_wait') === true,
    limit: Number(data('limit') ?? LIMIT),
    invariants: readInvariants(root, findings),
  };
  const diagnostics = findings.list();
  return findings.hasErrors ? { diagnostics } : { simulation, diagnostics };
}

function drawnOf(node: YamlNode, { report }: RehearsalReader): ReturnType<typeof dataOf>[] {
  const items = itemsOf(node);
  if (items.length === 0)
    report.add('NT7004', node, 'values to draw from are a list', 'write e.g. `[0, 10, 1000]`');
  return items.map(dataOf);
}

/** Above every kind, and `all`. */
const RANK_OF_TASKS = 10;

function readFaults({ key, at, value }: MapEntry, reader: RehearsalReader): RankedFaults[] {
  const written = asMap(value);
  if (!written) {
    reader.report.add('NT2003', value, `the faults of \`${key}\` must be a mapping`);
    return [];
  }
  const map = checkSchemaShape(written, FAULTS, reader.report);
  const kinds = [...new Set(reader.places.map(({ task }) => task.kind))].filter(
    (kind) => !AS_THEY_ARE.includes(kind),
  );
  if (key === 'all') return [{ rank: 0, faults: faultsOf(map, kinds, reader), matches: () => true }];
  if (kinds.includes(key))
    return [{ rank: 1, faults: faultsOf(map, [key], reader), matches: ({ kind }) => kind === key }];
  const selector = reader.selector(key, at);
  if (!selector) return [];
  const own = selector.places.map(({ task }) => task.kind).filter((kind) => kinds.includes(kind));
  const faults = faultsOf(map, [...new Set(own)], reader);
  return [{ rank: RANK_OF_TASKS + selector.rank, faults, matches: (call) => selects(selector, call) }];
}

function faultsOf(map: MapNode, kinds: readonly string[], reader: RehearsalReader): Faults {
  const mocked = kinds.map((kind) => reader.mocked(kind));
  const errors = itemsOf(presentValue(map, 'errors')).map((node): MockAnswer =>
    readAnswer(underError(node), mocked, reader.report),
  );
  const answers = presentValue(map, 'answers');
  const delay = presentValue(map, 'delay');
  return {
    ...rates(map, ['failures', 'lost', 'duplicates'], reader),
    ...(errors.length > 0 && { errors }),
    ...(delay && { delay: timesOf(delay, reader) }),
    ...(answers && { answers: readAnswers(answers, mocked, reader.report) }),
  };
}

function underError(node: YamlNode): MapNode {
  return {
    kind: 'map',
    start: node.start,
    end: node.end,
    path: node.path,
    entries: [{ key: 'error', at: node, value: node }],
  };
}

function rates<Name extends string>(
  map: MapNode,
  names: readonly Name[],
  reader: RehearsalReader,
): { readonly [N in Name]?: number } {
  const pairs = names.flatMap((name) => {
    const node = presentValue(map, name);
    return node ? [[name, rateOf(node, reader)] as const] : [];
  });
  return Object.fromEntries(pairs) as { readonly [N in Name]?: number };
}

function rateOf(node: YamlNode, { report }: RehearsalReader): number {
  const [, amount, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(nodeText(node)) ?? [];
  const rate = Number(amount) / (percent ? 100 : 1);
  if (rate >= 0 && rate <= 1) return rate;
  report.add('NT7004', node, 'a rate is a number from 0 to 1', 'write e.g. `0.1` or `10%`');
  return 0;
}

/** `2s`, or `[0s, 2s]`. */
function timesOf(node: YamlNode, { report }: RehearsalReader): readonly [number, number] {
  const texts = node.kind === 'list' ? node.items.map(nodeText) : [nodeText(node), nodeText(node)];
  const [low, high] = texts.map(parseTime);
  if (texts.length === 2 && low !== undefined && high !== undefined && low <= high) return [low, high];
  report.add('NT7004', node, 'not a duration, nor two of them', 'write e.g. `2s`, or `[0s, 2s]`');
  return [0, 0];
}

function readEvent(map: MapNode | undefined, reader: RehearsalReader): DrawnEvent[] {
  const input = map && readMessage(map, reader.report);
  const after = map && presentValue(map, 'after');
  if (!map || !input || !after) return [];
  const { lost = 0, duplicates = 0 } = rates(map, ['lost', 'duplicates'], reader);
  return [{ after: timesOf(after, reader), input, lost, duplicates }];
}

/** How the calls of a task go; rates from 0 to 1, times in milliseconds. */
export interface Faults {
  readonly failures?: number;
  readonly errors?: readonly MockAnswer[];
  readonly lost?: number;
  readonly duplicates?: number;
  readonly delay?: readonly [number, number];
  readonly answers?: readonly MockAnswer[];
}

/** Faults of the calls that `matches` accepts; of a higher rank wins. */
export interface RankedFaults {
  readonly rank: number;
  readonly faults: Faults;
  matches(call: {
    readonly kind: string;
    readonly step: string;
    readonly task: string;
    readonly iteration?: number;
  }): boolean;
}

export interface DrawnEvent {
  /** Milliseconds since the start. */
  readonly after: readonly [number, number];
  readonly input: Input;
  readonly lost: number;
  readonly duplicates: number;
}

export interface Simulation {
  readonly payload: JsonObject;
  /** By name, in the order of the file. */
  readonly draw: readonly (readonly [string, readonly Json[]])[];
  readonly usesRehearsals: boolean;
  /** From general to specific. */
  readonly faults: readonly RankedFaults[];
  readonly events: readonly DrawnEvent[];
  readonly mayWait: boolean;
  readonly limit: number;
  readonly invariants: readonly Invariant[];
}
