/** Answers of mocks: nodes of the file, interpreted by the kind of the calling task. */
import {
  asMap,
  checkSchemaShape,
  dataOf,
  didYouMean,
  type MapEntry,
  entry,
  type ListNode,
  type MapNode,
  type YamlNode,
  oneOfText,
  type Report,
} from '../../../language/dsl/format';
import { CodedError } from '../../../language/errors';
import { type Json, type JsonObject, okOutcome, type Outcome, type TaskCall } from '../../../language/plan';
import { errorOutcome, type MockedKind, RETRYABLE, mockedOutcome } from '../mocks/kinds';
import { parseTime } from './amounts';
import { ERROR_ANSWER } from './shapes';

export interface MockAnswer {
  readonly at: YamlNode;
  /** How many calls it answers. */
  readonly times: number;
  /** How often the tool does the work: more than once if its worker was lost, and Temporal tried again. */
  readonly executions: number;
  /** Simulated milliseconds until the task settles. */
  readonly after: number;
  /** The call is really run, by whoever rehearses. */
  readonly executes?: true;
  /** @param ms how long the call took, instead of `after` */
  outcome(call: Pick<TaskCall, 'kind' | 'config'>, ms?: number): Outcome;
}

/** Keys of every answer. A mapping with one of them, or with one of the kind's own, is parsed as an answer. */
const COMMON = ['result', 'error', 'execute', 'repeat', 'duration', 'executions'] as const;

/**
 * One answer, or a list of them; a list as a value must be inside a list or under `result`. Problems are reported
 * once per kind of calling task.
 */
export function readAnswers(node: YamlNode, kinds: readonly MockedKind[], report: Report): MockAnswer[] {
  const items = node.kind === 'list' ? (node as ListNode).items : [node];
  return items.map((item) => readAnswer(item, kinds, report));
}

/** Makes the outcome of a call with this simulated duration in milliseconds. */
type Build = (call: Pick<TaskCall, 'config'>, ms: number) => Outcome;

export function readAnswer(node: YamlNode, kinds: readonly MockedKind[], report: Report): MockAnswer {
  const builds = new Map(kinds.map((kind) => [kind.name, readOutcome(node, kind, report)]));
  const words = kinds.some((kind) => hasWords(node, kind)) ? asMap(node) : undefined;
  const after = readDuration(entry(words, 'duration'), report);
  return {
    at: node,
    times: readRepeat(entry(words, 'repeat'), report),
    executions: readExecutions(entry(words, 'executions'), report),
    after,
    ...(entry(words, 'execute') && { executes: true }),
    outcome: (call, ms = after) => builds.get(call.kind)!(call, ms),
  };
}

function hasWords(node: YamlNode, kind: MockedKind): boolean {
  return node.kind === 'map' && node.entries.some(({ key }) => wordsOf(kind).includes(key));
}

function wordsOf({ mock }: MockedKind): string[] {
  return [...COMMON, ...Object.keys(mock?.words ?? {})];
}

function readOutcome(node: YamlNode, kind: MockedKind, report: Report): Build {
  const map = asMap(node);
  return map !== undefined && hasWords(map, kind)
    ? readWords(map, kind, report)
    : readBare(node, kind, report);
}

function readBare(node: YamlNode, kind: MockedKind, report: Report): Build {
  const short = kind.mock;
  const value = dataOf(node);
  if (short === undefined) return () => okOutcome(value);
  for (const { key, at } of asMap(node)?.entries ?? []) {
    const suggestion = key.length > 3 ? didYouMean(key, [...COMMON, ...Object.keys(short.words)]) : undefined;
    if (suggestion !== undefined)
      report.add(
        'NT2001',
        at,
        `\`${key}\` is not a key of an answer of a task of kind ${kind.name}`,
        suggestion,
      );
  }
  const words = short.bare(value);
  if (words === undefined) {
    report.add(
      'NT7003',
      node,
      `a task of kind ${kind.name} cannot answer this value`,
      `write ${oneOfText(Object.keys(short.words))}, or the whole result under \`result\``,
    );
    return () => okOutcome(value);
  }
  return (call, ms) => mockedOutcome(kind, short, words, call, ms);
}

function readWords(map: MapNode, kind: MockedKind, report: Report): Build {
  const allowed = wordsOf(kind);
  for (const { key, at } of map.entries) {
    if (allowed.includes(key)) continue;
    const hint = didYouMean(key, allowed) ?? `put a mapping that is the result itself under \`result\``;
    report.add('NT2001', at, `\`${key}\` is not a key of an answer of a task of kind ${kind.name}`, hint);
  }
  const result = entry(map, 'result');
  const error = entry(map, 'error');
  const execute = entry(map, 'execute');
  const own = map.entries.filter(({ key }) => !(COMMON as readonly string[]).includes(key));
  const claims = [result, error, execute, own[0]].filter((each) => each !== undefined);
  if (claims.length > 1) {
    const names = claims.map(({ key }) => key);
    report.add('NT7003', claims[1]!.at, `an answer has only one of ${oneOfText(names)}`, 'keep one of them');
  }
  if (claims.length === 0) {
    report.add(
      'NT7003',
      map,
      'the answer has a repetition or a duration, but no content',
      'add `result`, `error`' + (kind.mock === undefined ? '' : ' or the words of the kind'),
    );
  }
  if (execute !== undefined) return readExecute(execute, kind, report);
  if (error !== undefined) return readError(error, kind, report);
  if (result !== undefined) return constant(okOutcome(dataOf(result.value)));
  return readOwnWords(own, kind, report);
}

function readOwnWords(entries: readonly MapEntry[], kind: MockedKind, report: Report): Build {
  const short = kind.mock;
  if (short === undefined) return constant(okOutcome(null));
  const words: [string, Json][] = [];
  for (const { key, value } of entries) {
    const data = dataOf(value);
    const wrong = Object.hasOwn(short.words, key) ? short.wrong(key, data) : undefined;
    if (wrong === undefined) words.push([key, data]);
    else {
      const hint = key === 'status' ? 'put a body that has its own `status` under `body`' : undefined;
      report.add('NT7003', value, `\`${key}\` of a mocked ${kind.name} task is ${wrong}`, hint);
    }
  }
  const mapping = Object.fromEntries(words);
  return (call, ms) => mockedOutcome(kind, short, mapping, call, ms);
}

function readError({ value }: MapEntry, tool: MockedKind, report: Report): Build {
  if (value.kind === 'scalar' && typeof value.value === 'string') {
    const fields: JsonObject = { [Object.hasOwn(RETRYABLE, value.value) ? 'kind' : 'message']: value.value };
    return constant(errorOutcome(fields, tool));
  }
  const written = asMap(value);
  if (written === undefined) {
    report.add('NT2003', value, '`error` must be an error kind, a message or a mapping');
    return constant(errorOutcome({}, tool));
  }
  const map = checkSchemaShape(written, ERROR_ANSWER, report);
  const kind = entry(map, 'kind');
  if (kind !== undefined && !Object.hasOwn(RETRYABLE, String(dataOf(kind.value)))) {
    const hint =
      didYouMean(String(dataOf(kind.value)), Object.keys(RETRYABLE)) ??
      `one of ${oneOfText(Object.keys(RETRYABLE))}`;
    report.add('NT7003', kind.value, `unknown error kind ${JSON.stringify(dataOf(kind.value))}`, hint);
  }
  return constant(errorOutcome(dataOf(map) as JsonObject, tool));
}

function readExecute({ value }: MapEntry, { name }: MockedKind, report: Report): Build {
  if (dataOf(value) !== 'python' || name !== 'python')
    report.add('NT7003', value, `only \`execute: python\` is known, for tasks of kind python, not ${name}`);
  return () => {
    throw new CodedError(
      'EXECUTES',
      '`execute: python` runs in `noetl-temporal test` and nowhere else: mock the task',
    );
  };
}

function readDuration(field: MapEntry | undefined, report: Report): number {
  if (field === undefined) return 0;
  const time = parseTime(String(dataOf(field.value)));
  if (time === undefined)
    report.add('NT7004', field.value, '`duration` is not a duration', 'write e.g. `200ms` or `5s`');
  return time ?? 0;
}

function readRepeat(field: MapEntry | undefined, report: Report): number {
  if (field === undefined) return 1;
  const value = dataOf(field.value);
  if (value === 'always') return Infinity;
  if (Number.isInteger(value) && (value as number) >= 1) return value as number;
  report.add('NT7004', field.value, '`repeat` must be a whole number from 1, or `always`');
  return 1;
}

function readExecutions(field: MapEntry | undefined, report: Report): number {
  const value = field ? dataOf(field.value) : 1;
  if (Number.isInteger(value) && (value as number) >= 1) return value as number;
  report.add('NT7004', field!.value, '`executions` must be a whole number from 1');
  return 1;
}

/** An answer in short form, without `repeat`, `duration` and `executions`; for tasks of the kind. */
export function wordsOfAnswer({ at: node }: MockAnswer, kind: MockedKind): JsonObject {
  const data = dataOf(node);
  if (!hasWords(node, kind)) return kind.mock?.bare(data) ?? { result: data };
  const { repeat: _, duration: __, executions: ___, ...words } = data as JsonObject;
  return words;
}

function constant(outcome: Outcome): Build {
  return () => outcome;
}
