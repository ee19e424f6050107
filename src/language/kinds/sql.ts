/** Shared by SQL kinds: spellings of a statement, the target table, and the mock. */
import { isMapping, type JsonObject } from '../plan/json';
import { type KindDeclaration, type KindMock } from './declaration';

export const SQL = {
  command: 'The SQL, one or several statements; the last one gives the result.',
  query: 'Alias of `command`.',
  commands: 'Alias of `command`, or a list of statements.',
  sql: 'Alias of `command`.',
  statement: 'Alias of `command`, in early playbooks.',
  script: 'Alias of `command`, or where to load it from.',
};
export const SQL_FIELD_NAMES = ['command', 'query', 'commands', 'sql', 'statement', 'script'];

export const TABLE = {
  table: 'The table to write to, instead of SQL: `table` or `schema.table`.',
  mode: '`insert` (or `append`) unless written; `upsert` or `replace`.',
  key: 'The column or columns that tell rows apart in an upsert; the primary key unless written.',
  data: 'What to write: a mapping of column to value, or a list of them; `args` unless written.',
};

export const SQL_OR_TABLE = [...SQL_FIELD_NAMES, 'table'];

const SQL_MOCK: KindMock = {
  words: {
    rows: 'The rows, as a list of mappings.',
    row_count: 'How many rows; the number of `rows` unless written.',
    columns: 'The names of the columns; those of the first row unless written.',
  },
  least: { rows: [] },
  failure: 'sql',
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

/** What the SQL kinds have in common. */
export const SQL_KIND = {
  closed: true,
  inputs: 'templates',
  strict: ['auth', 'credential'],
  sql: SQL_FIELD_NAMES,
  stores: 'table',
  payload: { field: 'rows' },
  mock: SQL_MOCK,
  timeout: 300,
} satisfies Partial<KindDeclaration>;
