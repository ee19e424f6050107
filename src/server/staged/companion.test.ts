import { type PoolClient } from 'pg';
import { type EventBatch } from '../projection';
import { noteEnds } from './companion';

const ended = (path: string): EventBatch =>
  ({
    events: [{ event: { event_type: 'workflow.finished' } }],
    execution: { executionId: '7', namespace: 'n', workflowId: 'w', runId: 'r' },
    plan: { metadata: { path } },
  }) as unknown as EventBatch;

test('rows are counted outside of the transaction, now and then, and none is added to 10,000', async () => {
  let rows = 9_998;
  let counted = 0;
  let now = 0;
  const statements: string[] = [];
  const db = {
    query: (text: string) => {
      statements.push(text);
      rows++;
      return Promise.resolve({ rowCount: 1 });
    },
  } as unknown as PoolClient;
  const pool = { query: () => Promise.resolve({ rows: [{ count: (counted++, rows) }] }) };
  const note = noteEnds(pool as never, () => now);
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  for (let n = 0; n < 5; n++) {
    await note(db, ended('a'));
    await settled();
  }
  expect([rows, counted]).toEqual([10_000, 1]);
  expect(statements.join('')).not.toMatch(/count/);
  rows = 5;
  now = 61_000;
  await note(db, ended('a'));
  await settled();
  await note(db, ended('a'));
  expect([rows, counted]).toEqual([6, 2]);
});
