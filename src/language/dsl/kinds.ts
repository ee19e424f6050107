import { type ToolKind } from '../kinds/declaration';
import { SQL, SQL_FIELD_NAMES } from '../kinds/sql';
import { AUTH } from '../kinds/fields';
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
      wait: '`false` starts it without waiting.',
      timeout: 'Seconds to wait.',
    },
    // Executed by the engine: no connections or reads.
    types: { timeout: 'limit' },
    required: [['path', 'name']],
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
    },
    types: { timeout: 'duration' },
    required: [['for', 'until', 'event']],
    exclusive: [['for', 'until', 'event']],
  },
  event_log: {
    doc: 'Adds a message to the event log, inside the engine; its result is its data.',
    closed: true,
    fields: {
      data: 'The message, in addition to the inputs: a mapping, or anything else under the name `data`.',
    },
    required: [],
  },
  ducklake: {
    doc: 'SQL on DuckLake.',
    fields: { ...SQL, ...AUTH },
    required: [SQL_FIELD_NAMES],
    sql: SQL_FIELD_NAMES,
  },
  provider: { doc: 'A call of a configured provider.', fields: {}, required: [] },
  subscription: { doc: 'Receives messages.', fields: {}, required: [] },
  agent: { doc: 'Runs an agent.', fields: {}, required: [] },
  gateway: { doc: 'A call of the gateway.', fields: {}, required: [] },
};

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
  output: 'Where and how the result is stored.',
  loop: 'Runs the task once for every item of a list: `{in, iterator, spec}`.',
  retry: 'Repetition of the tool (docs/case.md).',
  sink: 'Stores what the task returned (docs/case.md).',
};

/** All fields of any tool, for hints about misplaced fields. */
export const ALL_TOOL_FIELDS: ReadonlySet<string> = new Set(
  Object.values(KINDS).flatMap((kind) => Object.keys(kind.fields)),
);
