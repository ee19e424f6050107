/**
 * How the tools' results are written short in mocks: a table by kind. A kind that is not here answers any value; what
 * a tool really returns is said by its activity (activities/) and docs/tools.
 */
import { isMapping, type Json, type JsonObject, type Outcome, type TaskCall } from '../../plan';
import { errorOutcome, kindOfStatus } from './errors';

export interface MockedKind {
  /** Keys of the short form; a mapping with one of them is read as one. */
  readonly words: Readonly<Record<string, string>>;
  /** What is wrong with the value of a word, as `… is a number`. */
  readonly wrong: (word: string, value: Json) => string | undefined;
  /** A value without words, as words; undefined when the tool cannot answer it. */
  readonly bare: (value: Json) => JsonObject | undefined;
  readonly outcome: (words: JsonObject, call: Pick<TaskCall, 'config'>, ms: number) => Outcome;
}

const HTTP: MockedKind = {
  words: {
    status: 'The status of the response; 200 unless written.',
    headers: 'Headers of the response.',
    body: 'The body of the response.',
  },
  wrong: (word, value) => {
    if (word === 'status' && !isStatus(value)) return 'a status from 100 to 599';
    return word === 'headers' && !isMapping(value) ? 'a mapping' : undefined;
  },
  bare: (value) => ({ body: value }),
  outcome: ({ status = 200, headers = {}, body = null }, { config }, ms) => {
    const url = String(config.url ?? config.endpoint ?? '');
    const http = { status: status as number, headers: lowerCase(headers as JsonObject) };
    const result = { status_code: http.status, headers: http.headers, url, elapsed_ms: ms, data: body };
    if (http.status >= 200 && http.status <= 299) {
      return { status: 'ok', result, error: null, meta: {}, http };
    }
    const method = String(config.method ?? 'GET');
    const retryAfter = http.headers['retry-after'];
    const error = {
      kind: kindOfStatus(http.status),
      message: `${method} ${url} answered ${http.status}`,
      status: http.status,
      retryable: http.status === 429 || http.status === 408 || http.status >= 500,
      ...(retryAfter === undefined ? {} : { retry_after: Number(retryAfter) }),
    };
    return { ...errorOutcome(error, 'http', result), http };
  },
};

const SQL: MockedKind = {
  words: {
    rows: 'The rows, as a list of mappings.',
    row_count: 'How many rows; the number of `rows` unless written.',
    columns: 'The names of the columns; those of the first row unless written.',
  },
  wrong: (word, value) => {
    if (word === 'row_count') return typeof value === 'number' ? undefined : 'a number';
    return Array.isArray(value) && (word === 'columns' || value.every(isMapping))
      ? undefined
      : word === 'rows'
        ? 'a list of mappings'
        : 'a list';
  },
  bare: (value) => {
    if (value === null) return { rows: [] };
    return Array.isArray(value) && value.every(isMapping) ? { rows: value } : undefined;
  },
  outcome: ({ rows = [], row_count, columns }) => {
    const list = rows as JsonObject[];
    const result = {
      rows: list,
      row_count: row_count ?? list.length,
      columns: columns ?? Object.keys(list[0] ?? {}),
    };
    return { status: 'ok', result, error: null, meta: {}, pg: { code: null, sqlstate: null } };
  },
};

const SHELL: MockedKind = {
  words: {
    stdout: 'What the command prints.',
    stderr: 'What it prints to standard error.',
    exit_code: 'Its exit code; 0 unless written.',
  },
  wrong: (word, value) => {
    if (word === 'exit_code') return Number.isInteger(value) ? undefined : 'a whole number';
    return typeof value === 'string' ? undefined : 'a text';
  },
  bare: (value) =>
    value === null ? { stdout: '' } : typeof value === 'object' ? undefined : { stdout: String(value) },
  outcome: ({ stdout = '', stderr = '', exit_code = 0 }, _, ms) => {
    const result = { stdout, stderr, returncode: exit_code, exit_code, duration_ms: ms, commands: [] };
    if (exit_code === 0) return { status: 'ok', result, error: null, meta: {} };
    const message = `the command ended with exit code ${String(exit_code)}`;
    return errorOutcome({ kind: 'exception', code: `EXIT_${String(exit_code)}`, message }, 'shell', result);
  },
};

const KINDS: Readonly<Record<string, MockedKind>> = {
  http: HTTP,
  postgres: SQL,
  duckdb: SQL,
  snowflake: SQL,
  shell: SHELL,
};

/** The short forms of a kind, or undefined when it answers any value. */
export function mockedKind(kind: string): MockedKind | undefined {
  return Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
}

function isStatus(value: Json): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 100 && value <= 599;
}

/** As the http tool gives headers. */
function lowerCase(headers: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
