import fc from 'fast-check';
import { looped } from '../../../../test/support/loops';
import { call } from '../../../../test/support/tool-call';
import { type JsonObject } from '../../../../src/language/plan';
import { ToolError } from '../../tool/outcome';
import { batches, keyColumns } from './columns';
import { tableName, tableWrite } from './request';

const SQL = ['command'];
const read = (config: JsonObject, input: JsonObject = {}): ReturnType<typeof tableWrite> =>
  tableWrite(call('postgres', config, { input }), 2, SQL);
const refusal = (work: () => unknown): { code: string; message: string } => {
  try {
    work();
  } catch (error) {
    if (error instanceof ToolError) return error.outcome.error!;
    throw error;
  }
  throw new Error('nothing was refused');
};

test('the rows of what a loop came to are its results', () => {
  const rows = [{ n: 1 }, { n: 2 }];
  expect(read({ table: 't', data: looped(rows) })!.rows).toEqual(rows);
  expect(read({ table: 't', data: looped([]) })!.rows).toEqual([]);
  const alike = { ...looped(rows), count: 3 };
  expect(read({ table: 't', data: alike })!.rows).toEqual([alike]);
});

describe('the name of a table', () => {
  test('is one or several plain or quoted names', () => {
    const parts = (text: string): unknown => tableName('postgres', text, 3).parts.map((part) => part.name);
    expect(parts('items')).toEqual(['items']);
    expect(parts(' app . Items ')).toEqual(['app', 'Items']);
    expect(parts('"My ""Table"".x".größe')).toEqual(['My "Table".x', 'größe']);
    expect(tableName('postgres', 'a."B"', 2).parts.map((part) => part.quoted)).toEqual([false, true]);
  });

  test.each([
    '',
    'a;b',
    'items; drop table x',
    'a.',
    '.a',
    'a b',
    'a-b',
    '"a',
    'a.b.c',
    '1a',
    'a --',
    '"a"b',
  ])('%j is none', (text) => {
    expect(refusal(() => tableName('postgres', text, 2))).toMatchObject({
      code: 'INVALID_TABLE',
      message: expect.stringContaining(
        `'${text}' does not name a table; write table, schema.table`,
      ) as string,
    });
  });

  test('survives quoting, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (name) => {
        fc.pre(!name.includes('\0'));
        const quoted = `"${name.replaceAll('"', '""')}"`;
        expect(tableName('postgres', quoted, 1).parts).toEqual([{ name, quoted: true }]);
      }),
    );
  });
});

describe('the rows', () => {
  test('are data, else args, else the inputs', () => {
    expect(read({ table: 't', data: { a: 1 }, args: { b: 2 } }, { c: 3 })).toMatchObject({
      rows: [{ a: 1 }],
    });
    expect(read({ table: 't', args: [{ b: 2 }] }, { c: 3 })).toMatchObject({
      rows: [{ b: 2 }],
      fromInputs: false,
    });
    expect(read({ table: 't' }, { c: 3 })).toMatchObject({ rows: [{ c: 3 }], fromInputs: true });
    expect(read({ table: 't', data: '[{"a": 1}]' })).toMatchObject({ rows: [{ a: 1 }] });
    expect(read({ table: 't', data: [] })).toMatchObject({ rows: [] });
    expect(read({ command: 'select 1' })).toBeUndefined();
  });

  test.each<[JsonObject, string, string]>([
    [{ table: 't' }, 'NO_DATA', 'there is no `data` to write'],
    [{ table: 't', data: null }, 'NO_DATA', '`data` is null to write'],
    [{ table: 't', data: [{ a: 1 }, {}] }, 'NO_DATA', 'data[1] has no column'],
    [{ table: 't', data: [{ a: 1 }, 5] }, 'INVALID_DATA', 'data[1] is a number, not a mapping'],
    [{ table: 't', data: 'text' }, 'INVALID_DATA', 'data is a string, not a mapping'],
    [
      { table: 't', data: { a: 1 }, mode: 'merge' },
      'INVALID_MODE',
      "mode 'merge' is not one of insert (append)",
    ],
    [
      { table: 't', data: { a: 1 }, mode: 'upsert', key: [] },
      'INVALID_KEY',
      'key must be a column or a list',
    ],
    [
      { table: 't', data: { a: 1 }, command: 'x' },
      'INVALID_TABLE',
      '`table` and `command` exclude each other',
    ],
    [{ mode: 'upsert' }, 'INVALID_TABLE', '`mode` needs a `table`'],
  ])('%j is refused: %s', (config, code, message) => {
    expect(refusal(() => read(config))).toMatchObject({
      code,
      message: expect.stringContaining(message) as string,
    });
  });
});

describe('columns', () => {
  const table = { columns: ['id', 'name', 'createdAt'], primaryKey: ['id'] };
  const split = (config: JsonObject, input: JsonObject = {}): ReturnType<typeof batches> => {
    const write = read({ table: 't', ...config }, input)!;
    return batches('postgres', write, table, keyColumns('postgres', write, table));
  };

  test('are found in any case, and a misspelt one is named', () => {
    expect(split({ data: { ID: 1, createdat: 2 } })[0]!.columns).toEqual(['id', 'createdAt']);
    expect(refusal(() => split({ data: [{ id: 1 }, { nmae: 1 }] }))).toMatchObject({
      code: 'NO_SUCH_COLUMN',
      message: 'postgres: table t has no column `nmae` (data[1]); did you mean `name`?',
    });
    expect(refusal(() => split({}, { something: 1 })).message).toContain(
      'its columns are id, name, createdAt; the row consists of the inputs of the task, add `data`',
    );
    expect(refusal(() => split({ data: { id: 1, ID: 2 } })).code).toBe('DUPLICATE_COLUMN');
  });

  test('that a row lacks split the rows, and so does a key that comes again', () => {
    expect(split({ data: [{ id: 1 }, { id: 2 }, { id: 3, name: 'c' }] }).map((one) => one.rows)).toEqual([
      [[1], [2]],
      [[3, 'c']],
    ]);
    const again = [
      { id: 1, name: 'a' },
      { id: 2, name: 'b' },
      { id: '1', name: 'c' },
    ];
    expect(split({ mode: 'upsert', data: again }).map((one) => one.rows.length)).toEqual([2, 1]);
    expect(
      split({ data: Array.from({ length: 2500 }, (_, id) => ({ id })) }).map((one) => one.rows.length),
    ).toEqual([1000, 1000, 500]);
  });

  test('of a key must be there', () => {
    const upsert = { mode: 'upsert' };
    expect(refusal(() => split({ ...upsert, data: [{ name: 'a' }] }))).toMatchObject({
      code: 'MISSING_KEY',
      message: "postgres: the upsert's key is `id`, and data[0] does not have it",
    });
    expect(refusal(() => split({ ...upsert, data: [{ id: 1 }, { id: null }] })).message).toContain(
      'data[1] has null there',
    );
    const write = read({ table: 't', ...upsert, data: { id: 1 } })!;
    expect(refusal(() => keyColumns('postgres', write, { ...table, primaryKey: [] })).code).toBe('NO_KEY');
    const named = read({ table: 't', ...upsert, key: 'ID, Name', data: { id: 1 } })!;
    expect(keyColumns('postgres', named, table)).toEqual(['id', 'name']);
  });
});
