/** Claims whose worker is lost at any moment: what they took is in the outcome of the next execution, and nothing else is taken. */
import { postgresTool, type PostgresTool } from '../../../test/support/postgres-tool';
import { type Json, type JsonObject, type Outcome } from '../../../src/language/plan';
import { ToolError } from '../../framework/tool/outcome';
import { type ToolContext } from '../../framework/tool/tool';

let pg: PostgresTool;
beforeAll(async () => {
  pg = await postgresTool();
});
afterAll(() => pg.stop());
beforeEach(() =>
  pg.admin(
    "DROP TABLE IF EXISTS work; CREATE TABLE work (id int, state text DEFAULT 'new'); INSERT INTO work SELECT generate_series(1, 6)",
  ),
);

const CLAIM = `UPDATE work SET state = 'taken' WHERE id IN
  (SELECT id FROM work WHERE state = 'new' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 2) RETURNING id`;
const claim = (record: ToolContext['record'], lastHeartbeat?: Json, command = CLAIM): Promise<Outcome> => {
  const handBack = (): never => {
    throw lost();
  };
  return pg.send(
    { command },
    { claim: true },
    { ...pg.context(), record, handBack, ...(lastHeartbeat !== undefined && { lastHeartbeat }) },
  );
};
const lost = (): ToolError => new ToolError({ kind: 'worker_lost', code: 'NOT_BEGUN', message: 'lost' });
const taken = async (): Promise<unknown[]> =>
  (await pg.admin("SELECT id FROM work WHERE state = 'taken' ORDER BY id")).map(({ id }) => id);
const idsOf = ({ result }: Outcome): unknown[] =>
  ((result as JsonObject)['rows'] as JsonObject[]).map(({ id }) => id).sort();

test('its rows are reported before they are taken', async () => {
  let before: unknown[] | undefined;
  let told: Json = null;
  const outcome = await claim(async (details) => {
    told = details;
    before = await taken();
  });
  expect(outcome.result).toMatchObject({ row_count: 2, columns: ['id'] });
  expect([idsOf(outcome), before, await taken()]).toEqual([[1, 2], [], [1, 2]]);
  expect(told).toMatchObject({ claimed: { rows: [{ id: 1 }, { id: 2 }] } });
});

test('lost after the commit: the next execution has the same rows, and takes no others', async () => {
  let told: Json = null;
  await claim((details) => Promise.resolve(void (told = details)));
  const again = await claim(() => Promise.reject(new Error('it has nothing to report')), told);
  expect([idsOf(again), await taken()]).toEqual([
    [1, 2],
    [1, 2],
  ]);
});

test('lost before the commit: the next execution claims', async () => {
  let told: Json = null;
  const failed = await claim((details) => {
    told = details;
    return Promise.reject(lost());
  });
  expect([failed.error?.code, await taken()]).toEqual(['NOT_BEGUN', []]);
  const again = await claim(() => Promise.resolve(), told);
  expect([idsOf(again), await taken()]).toEqual([
    [1, 2],
    [1, 2],
  ]);
});

test.each([true, false])(
  'undecided when the next execution begins: it waits (committed: %s)',
  async (commits) => {
    let decide: () => void = () => undefined;
    const told = new Promise<Json>((resolve) => {
      void claim((details) => {
        resolve(details);
        return new Promise((go, fail) => (decide = () => (commits ? go() : fail(lost()))));
      });
    });
    const details = await told;
    let isOver = false;
    const again = claim(() => Promise.resolve(), details).finally(() => (isOver = true));
    // A second claim beside the first would have taken other rows at once.
    await pg.admin('SELECT pg_sleep(0.3)');
    expect(isOver).toBe(false);
    decide();
    expect([idsOf(await again), await taken()]).toEqual([
      [1, 2],
      [1, 2],
    ]);
  },
);

test('the connection is lost at the commit: the task is handed back, and the next execution knows', async () => {
  let told: Json = null;
  const outcome = await claim(async (details) => {
    told = details;
    await pg.admin(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction' AND application_name = 'noetl-temporal'",
    );
  });
  expect([outcome.error?.code, await taken()]).toEqual(['NOT_BEGUN', []]);
  expect(idsOf(await claim(() => Promise.resolve(), told))).toEqual([1, 2]);
});

test('with more than an outcome holds, it fails and takes nothing', async () => {
  const outcome = await claim(
    undefined,
    undefined,
    CLAIM.replace('RETURNING id', "RETURNING id, repeat('x', 900000) AS text"),
  );
  expect(outcome.error).toMatchObject({ code: 'CLAIM_TOO_LARGE' });
  expect(await taken()).toEqual([]);
});

test('of no rows, or one that changes nothing, has nothing to report', async () => {
  const never = (): Promise<void> => Promise.reject(new Error('nothing to report'));
  expect(idsOf(await claim(never, undefined, 'SELECT id FROM work WHERE id < 2'))).toEqual([1]);
  await pg.admin("UPDATE work SET state = 'done'");
  expect(idsOf(await claim(never))).toEqual([]);
});
