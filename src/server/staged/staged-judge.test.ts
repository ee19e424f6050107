/** What the judge of staged versions does with its rows, on a stand-in for the database that remembers statements. */
import { type Pool } from 'pg';
import { CodedError } from '../../language/errors';
import { type Judge } from './judge';
import { StagedJudge } from './staged-judge';

const ROW = {
  path: 'a/b',
  version: 2,
  execution_id: '7',
  workflow_id: 'noetl-7',
  run_id: 'r',
  catalog_id: '9',
  digest: 'd',
  content: 'text',
};

/** Judges one row that was tried `attempts` times with this one. @returns the statements after the claim */
async function statements(judge: Judge, attempts = 1): Promise<{ text: string; values: unknown[] }[]> {
  const said: { text: string; values: unknown[] }[] = [];
  let rows: object[] = [{ ...ROW, attempts }];
  const pool = {
    query: (text: string, values: unknown[]) => {
      if (text.includes('SKIP LOCKED')) return Promise.resolve({ rows: rows.splice(0) });
      said.push({ text, values });
      return Promise.resolve({ rows: [] });
    },
  } as unknown as Pool;
  const { signal } = new AbortController();
  await new StagedJudge({ pool, namespace: 'n', judge, signal, report: () => undefined }).once();
  rows = [];
  return said;
}

test('a verdict is stored with its first difference; the values of a large one are left out', async () => {
  const finding = { kind: 'call', cause: 'c', what: 'w', path: 'p', recorded: 'x'.repeat(30_000) } as const;
  const [stored] = await statements(() => Promise.resolve({ kind: 'call', finding, touches: { a: 1 } }));
  expect(stored!.values).toEqual([
    'a/b',
    2,
    '7',
    'call',
    'c',
    '{"kind":"call","cause":"c","what":"w","path":"p"}',
    '{"a":1}',
  ]);
});

test('an execution of the staged version itself is no evidence', async () => {
  const [deleted] = await statements(() => Promise.resolve('own'));
  expect(deleted!.text).toMatch(/^DELETE/);
});

test('what may be readable later is tried again, less and less often, and is not answerable at last', async () => {
  const away: Judge = () => Promise.reject(new Error('no connection'));
  const [again] = await statements(away, 1);
  const [later] = await statements(away, 5);
  const [never] = await statements(away, 6);
  expect([again!.values.slice(3), later!.values.slice(3)]).toEqual([
    ['no connection', 5],
    ['no connection', 3600],
  ]);
  expect(never!.values.slice(3, 5)).toEqual(['unanswerable', 'no connection']);
});

test('what will never be readable is not answerable at once', async () => {
  const broken: Judge = () => Promise.reject(new CodedError('HISTORY', 'not reproduced'));
  const [stored] = await statements(broken);
  expect(stored!.values.slice(3, 5)).toEqual(['unanswerable', 'not reproduced [HISTORY]']);
});
