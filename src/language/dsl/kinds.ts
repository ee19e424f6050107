import { type FieldShape, type ToolKind } from '../kinds/declaration';
import { isRunnable, TOOL_KINDS } from '../plan';

export { type ToolKind };

/** Kinds by name: built-in ones (`KINDS`), or those of extensions. */
export type ToolKinds = ReadonlyMap<string, ToolKind>;

/** The declaration of a built-in kind or an extension's. */
export function toolKind(name: string, extensions: ToolKinds): ToolKind | undefined {
  const own = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  return own !== undefined && isServed(name) ? own : (extensions.get(name) ?? own);
}

/** Whether a worker of this release, or the workflow, runs the kind; a workbook task has the kind of its tool. */
export function isServed(kind: string): boolean {
  return kind === 'workbook' || isRunnable(kind);
}

/**
 * The tool kinds as a table: their fields, and which are required. A kind of the official engine that this release
 * cannot run still compiles, with a warning; its task fails with an error that names the kind.
 */
export const KINDS: Readonly<Record<string, ToolKind>> = {
  noop: { doc: 'Does nothing; its rules control the pipeline.', closed: true, fields: {}, required: [] },
  ...TOOL_KINDS,
  workbook: {
    doc: 'A task of the workbook, called by name.',
    closed: true,
    fields: {
      name: 'The name of the workbook task.',
      task: 'Alias of `name`, where `name` is that of the task in a list.',
    },
    required: [],
  },
  playbook: {
    doc: 'Runs another playbook and waits for its result.',
    closed: true,
    fields: {
      path: 'Its `metadata.path`.',
      name: 'Alias of `path`.',
      version: 'Its version; default the newest.',
      payload: 'Alias of `input`.',
      return_step: 'The step whose result is returned.',
      return_result:
        '`true`: the result of its last call is returned, whatever ends it; `false` starts it without waiting.',
      result_step: 'The step whose result is returned, if it has one; otherwise as `return_result`.',
      wait: '`false` starts it without waiting.',
      timeout: 'Seconds to wait.',
      framework: 'The result is an envelope, and failures are results: set by kind `agent`.',
      only_inputs: 'Keys of the payload that it does not have are refused: set for tools of an agent.',
      poll_interval: 'Without effect: its end is reported at once.',
    },
    // Executed by the engine: no connections or reads.
    types: { timeout: 'limit', return_result: 'flag', only_inputs: 'flag', framework: { values: ['noetl'] } },
    required: [['path', 'name']],
    exclusive: [['return_step', 'result_step']],
  },
  iterator: {
    doc: 'Runs its own tools for every item of a list, inside the workflow; every task with `loop` does the same.',
    closed: true,
    inputs: 'templates',
    fields: {
      loop: '`{in, iterator, spec}`, as on a step; or these fields directly:',
      in: 'The list.',
      iterator: 'The name of the current item; outer items are `iter.parent.<iterator>` as well.',
      mode: 'Former place of `spec.mode`.',
      max_in_flight: 'Former place of `spec.max_in_flight`.',
      tool: 'The body: a tool, or a list of them.',
      task: 'Alias of `tool`.',
      tasks: 'Alias of `tool`.',
      steps: 'Alias of `tool`.',
      pipeline: 'Alias of `tool`.',
    },
    required: [],
  },
  wait: {
    doc: 'Waits for a time or for an event, inside the workflow; the payload of the event is the result.',
    closed: true,
    inputs: 'templates',
    fields: {
      for: 'Seconds.',
      until: 'A time: RFC 3339, or seconds since 1970.',
      event: 'The name of an external event, sent by REST, signal or `noetl-temporal`.',
      timeout: 'With `event`: seconds, after which the task fails with `timeout`.',
      when: 'With `event`: which events count; a condition on `event`.',
      form: 'With `event`: what a person is asked. Only an answer that fits ends the wait.',
    },
    types: { timeout: 'duration', form: { shape: () => FORM } },
    required: [['for', 'until', 'event']],
    exclusive: [
      ['for', 'until', 'event'],
      ['when', 'form'],
    ],
  },
  event_log: {
    doc: 'Adds a message to the event log, inside the engine; its result is its data.',
    closed: true,
    fields: {
      data: 'The message, in addition to the inputs: a mapping, or anything else under the name `data`.',
    },
    required: [],
  },
  ducklake: sameAs('duckdb', 'SQL on DuckLake: another name of `duckdb`.'),
  result_fetch: sameAs('artifact', 'Reads a stored value by its reference: another name of `artifact`.'),
  provider: { doc: 'A call of a configured provider.', fields: {}, required: [] },
  subscription: { doc: 'Receives messages.', fields: {}, required: [] },
  gateway: { doc: 'A call of the gateway.', fields: {}, required: [] },
};

const ANSWERERS: FieldShape = {
  title: '`who`',
  fields: {
    scope: { type: { values: ['read', 'run', 'admin'] }, doc: 'Callers of this scope.' },
    tokens: { type: { list: 'text' }, doc: 'Callers with a token of one of these names.' },
    link: { type: 'any', doc: 'Whoever has a link: `true` (for 7 days), or how long a link is good.' },
  },
  others: 'error',
};

/** The form of a wait; what its templates leave open is checked when the wait begins. */
const FORM: FieldShape = {
  title: 'a form',
  fields: {
    title: { type: 'text', doc: 'The question in one line.' },
    text: { type: 'text', doc: 'What one has to know to answer it.' },
    fields: {
      type: 'mapping',
      doc: 'Names of fields, each declared as an input, with `label` and `default`.',
    },
    who: {
      type: { shape: () => ANSWERERS },
      doc: 'Who may answer, besides callers of scope `admin`; default: `{scope: run}`.',
    },
  },
  others: 'error',
};

/** Another name of a kind. */
function sameAs(kind: string, doc: string): ToolKind {
  return { ...TOOL_KINDS[kind]!, doc, sameAs: kind };
}

/** Fields of every task, besides those of its kind. */
export const TASK_FIELDS: Readonly<Record<string, string>> = {
  kind: 'The kind of tool.',
  name: 'The name of the task.',
  desc: 'What the task does.',
  spec: 'Settings of the task, and its policy.',
  input: 'Inputs of the task.',
  args: 'Alias of `input`.',
  with: 'Former name of `input`.',
  set: 'Writes after the task.',
  set_ctx: 'Writes to the variables of the execution.',
  set_iter: 'Writes to the variables of the iteration.',
  assert: 'What the task expects and returns, for documentation.',
  output: 'Accepted without effect: results are kept whole, and a large one is stored outside history.',
  loop: 'Runs the task once for every item of a list: `{in, iterator, spec}`.',
  retry: 'Repetition of the tool (docs/case.md).',
  sink: 'Stores what the task returned (docs/case.md).',
};

/** All fields of any tool, for hints about misplaced fields. */
export const ALL_TOOL_FIELDS: ReadonlySet<string> = new Set(
  Object.values(KINDS).flatMap((kind) => Object.keys(kind.fields)),
);
