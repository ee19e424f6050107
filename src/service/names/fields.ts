/** What is known about the fields of values: from declarations, code, data, mocks and former runs. */
import { KINDS } from '../../language/dsl/kinds';
import { TOOL_KINDS } from '../../language/plan';
import { type OutlineNode, scalarText, valueAt } from '../text/node';
import { type PlaybookFacts, type DeclaredStep, type DeclaredTask } from './facts';

/** A value, as far as it is known: its fields, or the fields of its items. */
export interface KnownValue {
  readonly fields?: Readonly<Record<string, KnownValue>>;
  readonly items?: KnownValue;
  /** The value itself, of data and former runs. */
  readonly sample?: unknown;
  readonly doc?: string;
}

/** What runs and rehearsals say: asked for the result of a task by step and task. */
export interface KnownResults {
  /** A result that a rehearsal mocks, or a former run had; undefined if none is known. */
  resultOf(step: string, task: string | undefined): unknown;
}

/** Data as a known value; the first items of a list speak for all. */
export function ofSample(sample: unknown, depth = 0): KnownValue {
  if (typeof sample !== 'object' || sample === null || depth > 6) return { sample };
  if (Array.isArray(sample))
    return { sample, items: merged(sample.slice(0, 20).map((item) => ofSample(item, depth + 1))) };
  const fields = Object.entries(sample).map(([key, value]) => [key, ofSample(value, depth + 1)] as const);
  return { sample, fields: Object.fromEntries(fields) };
}

/** What is known from several sides; the first that knows more precedes. */
export function merged(values: readonly (KnownValue | undefined)[]): KnownValue {
  return values.reduce<KnownValue>((all, each) => {
    if (each === undefined) return all;
    const items = all.items && each.items ? merged([all.items, each.items]) : (all.items ?? each.items);
    const fields: Record<string, KnownValue> = { ...each.fields };
    for (const [key, value] of Object.entries(all.fields ?? {}))
      fields[key] = Object.hasOwn(fields, key) ? merged([value, fields[key]]) : value;
    const ordered = { ...all.fields, ...fields };
    const doc = all.doc ?? each.doc;
    return {
      ...('sample' in all ? { sample: all.sample } : 'sample' in each ? { sample: each.sample } : {}),
      ...(Object.keys(ordered).length > 0 && { fields: ordered }),
      ...(items && { items }),
      ...(doc !== undefined && { doc }),
    };
  }, {});
}

/** A value of the YAML text. */
export function ofOutline(text: string, node: OutlineNode | undefined): KnownValue {
  if (node === undefined) return {};
  if (node.kind === 'list') return { items: merged(node.items.map((item) => ofOutline(text, item))) };
  if (node.kind === 'map')
    return {
      fields: Object.fromEntries(node.entries.map(({ key, value }) => [key, ofOutline(text, value)])),
    };
  const sample = scalarText(text, node);
  return sample === undefined || sample.includes('{{') ? {} : { sample };
}

const names = (list: string): KnownValue['fields'] =>
  Object.fromEntries(list.split(' ').map((name): [string, KnownValue] => [name, {}]));

/** Fields of an HTTP answer; of an error; of what wraps every result. */
const HTTP: KnownValue = { fields: { data: {}, ...names('status_code headers url elapsed_ms') } };
const ERROR: KnownValue = { fields: names('status kind code message retryable status_code retry_after') };
const ENVELOPE: KnownValue = {
  fields: {
    status: {},
    data: {},
    error: ERROR,
    result: {},
    http: { fields: names('status headers') },
    pg: { fields: names('code sqlstate') },
    ...names('meta status_code'),
  },
};
export const LOOP_VALUE: KnownValue = {
  fields: { results: {}, count: {}, stats: { fields: names('total success failed not_started') } },
};

/** The fields of names that the runtime provides. */
export const ROOT_FIELDS: Readonly<Record<string, KnownValue>> = {
  event: { fields: names('name type step task payload') },
  error: ERROR,
  job: { fields: names('idempotency_key attempt') },
  loop: { fields: names('index index0 first last length') },
  iter: { fields: names('index parent total _index _first _last') },
  token: { fields: names('args step') },
  page: { fields: names('index') },
  _retry: { fields: names('index attempt') },
};

/** Words that a field is compared with. */
export const FIELD_VALUES: Readonly<Record<string, readonly string[]>> = {
  'event.name': [
    'step.done',
    'call.done',
    'step.failed',
    'loop.done',
    'call.error',
    'step.exit',
    'step.enter',
  ],
  'outcome.status': ['error', 'ok'],
  'output.status': ['error', 'ok'],
  'error.kind':
    'rate_limit client_error server_error timeout connection exception sql validation cancelled worker_lost'.split(
      ' ',
    ),
};

/** What is known about the results of one playbook. */
export class ResultFields {
  constructor(
    private readonly facts: PlaybookFacts,
    private readonly results: KnownResults | undefined,
  ) {}

  /** The payload of a task: what `output.data` or the name of its step is. */
  ofTask(task: DeclaredTask, step: string): KnownValue {
    const sample = this.results?.resultOf(step, task.name);
    const kind = task.kind ?? '';
    const called = kind === 'workbook' ? this.workbookTask(task) : undefined;
    const own = called ? this.ofTask(called, step) : this.declared(task, kind);
    return merged([sample === undefined ? undefined : ofSample(sample), own]);
  }

  /** What an envelope holds around the payload: `output`, `outcome`, `response`. */
  envelope(task: DeclaredTask, step: string): KnownValue {
    const data = this.ofTask(task, step);
    const result = task.kind === 'http' ? { fields: { ...HTTP.fields, data } } : data;
    return merged([{ fields: { data, status: {}, error: ERROR, result } }, ENVELOPE, data]);
  }

  /** What the name of a step stands for, once it has run. */
  ofStep(step: DeclaredStep): KnownValue {
    const last = step.tasks.at(-1);
    const tasks = step.tasks.flatMap((task) =>
      task.name === undefined ? [] : [[task.name, this.ofTask(task, step.name)] as const],
    );
    if (valueAt(step.node, 'loop')) {
      const each = last ? this.ofTask(last, step.name) : {};
      return { fields: { ...LOOP_VALUE.fields, results: { items: each } }, items: each };
    }
    const payload = last ? this.ofTask(last, step.name) : {};
    const around = {
      fields: {
        data: payload,
        ...(last?.kind === 'http' ? names('status_code headers') : {}),
        ...names('status error'),
      },
    };
    return merged([
      payload,
      tasks.length > 1 ? { fields: { results: { fields: Object.fromEntries(tasks) } } } : undefined,
      around,
    ]);
  }

  private workbookTask(task: DeclaredTask): DeclaredTask | undefined {
    const name = scalarText(this.facts.text, valueAt(task.node, 'task') ?? valueAt(task.node, 'name'));
    return this.facts.workbook.find((each) => each.name === name && each.node !== task.node);
  }

  private declared(task: DeclaredTask, kind: string): KnownValue {
    const { text } = this.facts;
    const returned = (valueAt(task.node, 'assert', 'returns')?.items ?? []).flatMap(
      (item) => scalarText(text, item) ?? [],
    );
    const asserted = returned.length > 0 ? { fields: names(returned.join(' ')) } : undefined;
    const code = scalarText(text, valueAt(task.node, 'code'));
    if (code !== undefined) return merged([asserted, pythonResult(code)]);
    if (kind === 'noop' || kind === 'event_log')
      return ofOutline(text, valueAt(task.node, 'input') ?? valueAt(task.node, 'args'));
    const sql = ['command', 'query', 'sql', 'statement', 'commands']
      .map((key) => scalarText(text, valueAt(task.node, key)))
      .find((each) => each !== undefined);
    if (sql !== undefined) return sqlResult(sql);
    const mock = Object.hasOwn(KINDS, kind) ? TOOL_KINDS[kind]?.mock : undefined;
    return merged([asserted, kind === 'http' || mock === undefined ? undefined : ofSample(mock.least)]);
  }
}

/** The keys of mappings that Python code returns. */
function pythonResult(code: string): KnownValue {
  const keys: Record<string, KnownValue> = {};
  for (const { index, 0: head } of code.matchAll(/(?:\bresult\s*=|\breturn)\s*\{/g)) {
    let depth = 1;
    for (const [token, , key] of code
      .slice(index + head.length)
      .matchAll(/(["'])((?:(?!\1)[^\\\n]|\\.)*)\1\s*:?|[{}[\]()]/g)) {
      if (/^[{[(]/.test(token)) depth += 1;
      else if (/^[}\])]/.test(token)) depth -= 1;
      else if (depth === 1 && key !== undefined && token.endsWith(':')) keys[key] = {};
      if (depth === 0) break;
    }
  }
  for (const [, key] of code.matchAll(/\bresult\[["'](\w+)["']\]\s*=/g))
    if (key !== undefined) keys[key] ??= {};
  return Object.keys(keys).length > 0 ? { fields: keys } : {};
}

/** The columns of the last SELECT of a statement. */
function sqlResult(sql: string): KnownValue {
  const select = /.*\b(?:select|returning)\b\s+([^;]*?)(?:\bfrom\b|;|$)/is.exec(sql)?.[1] ?? '';
  const columns = select
    .replaceAll(/\([^()]*(?:\([^()]*\)[^()]*)*\)/g, '()')
    .split(',')
    .flatMap((part) => /(\w+)\s*$/.exec(part.trim().replace(/::\w+(\[\])?$/, ''))?.[1] ?? []);
  const row: KnownValue = columns.length > 0 ? { fields: names(columns.join(' ')) } : {};
  const rows = { fields: { rows: { items: row }, row_count: {} } };
  return { fields: { ...rows.fields, ...row.fields, command_0: rows }, items: row };
}
