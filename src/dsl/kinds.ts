import { isRunnable } from '../plan';
import { PROGRAM_KINDS } from './kinds-of-programs';
import { SQL_KINDS } from './kinds-of-sql';
import { STORE_KINDS } from './kinds-of-stores';
import { AUTH, type ToolKind } from './tool-kind';

export { type ToolKind };

/** Kinds by name: those of this runtime (`KINDS`), or those of extensions. */
export type ToolKinds = ReadonlyMap<string, ToolKind>;

/** What is known of a kind, of this runtime or of an extension. */
export function toolKind(name: string, extensions: ToolKinds): ToolKind | undefined {
  const own = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  return own !== undefined && isServed(name) ? own : (extensions.get(name) ?? own);
}

/** Whether a worker of this release, or the workflow, runs the kind; a task of the workbook is the kind of its tool. */
export function isServed(kind: string): boolean {
  return kind === 'workbook' || isRunnable(kind);
}

/**
 * The kinds of tools, as a table: what each reads, and what it cannot run without. A kind of the official engine that
 * no worker of this release runs still compiles, with a warning; its task fails with an error that names the kind.
 */
export const KINDS: Readonly<Record<string, ToolKind>> = {
  noop: { doc: 'Does nothing; its rules steer the pipeline.', closed: true, fields: {}, required: [] },
  http: {
    doc: 'An HTTP request.',
    closed: true,
    inputs: 'templates',
    fields: {
      url: 'The address.',
      endpoint: 'The same as `url`.',
      method: '`GET` unless written.',
      params: 'Query parameters.',
      headers: 'Headers.',
      json: 'The body, sent as JSON.',
      payload: 'The same as `json`.',
      data: 'The body: JSON for a mapping or list, else text.',
      body: 'The same as `data`.',
      form: 'The body, as a form.',
      files:
        'Files to send with `form`, as multipart: `{field: path}`, or `{field: {path | content, filename, content_type}}`.',
      body_file: 'The body, from a file of the worker.',
      body_base64: 'The body, bytes as base64.',
      ...AUTH,
      timeout: 'Seconds for the whole request.',
      timeout_seconds: 'The same as `timeout`.',
      follow_redirects: 'Whether redirects are followed.',
      verify_ssl: 'Whether certificates are checked.',
      verify: 'The same as `verify_ssl`.',
      tls: 'Whom to trust and who we are: `{ca, cert, key, passphrase, servername, verify}`, PEM text or files.',
      proxy: 'The proxy, instead of that of the environment; `false` for none.',
      save_to:
        'Where the answer goes: a file of the worker, or `{store: results}`, the store of large results.',
      max_response_bytes: 'The largest answer, 32 MiB unless written; 10 GiB with `save_to`.',
      response_type: '`json`, `text` or `binary`; by the answer unless written.',
    },
    required: [['url', 'endpoint']],
    exclusive: [
      ['url', 'endpoint'],
      ['json', 'payload', 'data', 'body', 'form', 'body_file', 'body_base64'],
      ['files', 'json', 'payload', 'data', 'body', 'body_file', 'body_base64'],
      ['verify_ssl', 'verify'],
      ['timeout', 'timeout_seconds'],
      ['auth', 'credential'],
    ],
    strict: ['url', 'endpoint', 'headers', 'auth', 'credential'],
    spec: { timeout: { connect: 10 } },
  },
  python: {
    doc: 'Python code; inputs are its variables, `result` is its result.',
    closed: true,
    inputs: 'code',
    fields: {
      code: 'The code.',
      script: 'Where to load the code from: `{uri, source: {type}}`.',
      libs: 'Modules to import: `{alias: module}`, or a list; `requirements` names packages to install for it.',
      files:
        'References to have as files while the code runs, `{name: reference}`; their paths are in `files`.',
      memory_mb: 'The most memory the code may use.',
      ...AUTH,
      timeout: 'Seconds the code may run.',
      timeout_seconds: 'The same as `timeout`.',
      env: 'Environment variables.',
      cwd: 'The working directory.',
    },
    required: [['code', 'script']],
    exclusive: [
      ['code', 'script'],
      ['timeout', 'timeout_seconds'],
    ],
    strict: ['auth', 'credential'],
    code: ['code'],
  },
  ...SQL_KINDS,
  ...PROGRAM_KINDS,
  workbook: {
    doc: 'A task of the workbook, called by name.',
    closed: true,
    fields: {
      name: 'The name of the workbook task.',
      task: 'The same as `name`, where `name` is that of the task in a list.',
    },
    required: [],
  },
  playbook: {
    doc: 'Runs another playbook and waits for its result.',
    closed: true,
    fields: {
      path: 'Its `metadata.path`.',
      name: 'The same as `path`.',
      version: 'Its version; the newest unless written.',
      payload: 'The same as `input`.',
      return_step: 'The step whose result comes back.',
      wait: '`false` starts it without waiting.',
      timeout: 'Seconds to wait.',
    },
    required: [['path', 'name']],
  },
  iterator: {
    doc: 'Runs tools of its own for every item of a list, inside the workflow; so does every task with `loop`.',
    closed: true,
    inputs: 'templates',
    fields: {
      loop: '`{in, iterator, spec}`, as at a step; or these fields directly:',
      in: 'The list.',
      iterator: 'The name of the current item; outer items are `iter.parent.<iterator>` as well.',
      mode: 'Old place of `spec.mode`.',
      max_in_flight: 'Old place of `spec.max_in_flight`.',
      tool: 'The body: a tool, or a list of them.',
      task: 'The same as `tool`.',
      tasks: 'The same as `tool`.',
      steps: 'The same as `tool`.',
      pipeline: 'The same as `tool`.',
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
    required: [['for', 'until', 'event']],
    exclusive: [['for', 'until', 'event']],
  },
  secrets: {
    doc: 'Looks a secret up and answers with a handle of it; its value is in no history.',
    closed: true,
    inputs: 'templates',
    fields: {
      provider: '`credential` unless written; `environment`, `file`, `google`, `aws`, `vault`.',
      secret: 'Its name, or its path.',
      secret_name: 'The same as `secret`.',
      key: 'The same as `secret`.',
      field: 'The field of a secret that is a JSON mapping; all of them are in `fields`.',
      version: 'Its version; the newest unless written.',
      ...AUTH,
      project: 'Of Google.',
      region: 'Of AWS.',
      mount: 'Of Vault; `secret` unless written.',
      kv_version: 'Of Vault: 2 unless written.',
      timeout: 'Seconds for the whole.',
      timeout_seconds: 'The same as `timeout`.',
    },
    required: [['secret', 'secret_name', 'key']],
    named: 'secret',
    exclusive: [
      ['secret', 'secret_name', 'key'],
      ['auth', 'credential'],
      ['timeout', 'timeout_seconds'],
    ],
    strict: ['secret', 'secret_name', 'key', 'auth', 'credential'],
  },
  ...STORE_KINDS,
  event_log: {
    doc: 'Says something in the event log, inside the engine; its result is its data.',
    closed: true,
    fields: { data: 'What is said, besides the inputs: a mapping, or anything else under the name `data`.' },
    required: [],
  },
  provider: { doc: 'A call of a configured provider.', fields: {}, required: [] },
  subscription: { doc: 'Receives messages.', fields: {}, required: [] },
  agent: { doc: 'Runs an agent.', fields: {}, required: [] },
  mcp: { doc: 'Calls a tool of an MCP server.', fields: {}, required: [] },
  gateway: { doc: 'A call of the gateway.', fields: {}, required: [] },
};

/** Fields that every task takes besides those of its kind. */
export const TASK_FIELDS: Readonly<Record<string, string>> = {
  kind: 'The kind of tool.',
  name: 'The name of the task.',
  desc: 'What the task does.',
  spec: 'Knobs of the task, and its policy.',
  input: 'Inputs of the task.',
  args: 'The same as `input`.',
  with: 'Old name of `input`.',
  set: 'Writes after the task.',
  set_ctx: 'Writes to the variables of the execution.',
  set_iter: 'Writes to the variables of the iteration.',
  assert: 'What the task expects and returns, as a remark.',
  output: 'Where and how the result is kept.',
  loop: 'Runs the task once for every item of a list: `{in, iterator, spec}`.',
  retry: 'Repetition of the tool (docs/case.md).',
  sink: 'Stores what the task returned (docs/case.md).',
};

/** Every field of any tool, for hints about a field that stands in the wrong place. */
export const ALL_TOOL_FIELDS: ReadonlySet<string> = new Set(
  Object.values(KINDS).flatMap((kind) => Object.keys(kind.fields)),
);
