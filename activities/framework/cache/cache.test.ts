/** What is taken from the cache, what never gets into it, and that it never fails a task. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { call, context } from '../../../test/support/tool-call';
import { openStorage } from '../../../src/storage/blobs';
import { type StepCache } from '../../../src/storage/payloads';
import {
  type Json,
  type JsonObject,
  type Outcome,
  secretHandle,
  type TaskCall,
} from '../../../src/language/plan';
import { runHidden, type ToolServices } from '../activity/activity';
import { failedTask, succeeded } from '../tool/outcome';
import { type Tool, type ToolContext } from '../tool/tool';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-cache-'));
let cache: StepCache;
beforeEach(async () => {
  fs.rmSync(folder, { recursive: true, force: true });
  cache = (await openStorage(pathToFileURL(folder).href)).cache('default')!;
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

/** Counts its runs. */
function counting(
  answer: (n: number, context: ToolContext) => Outcome | Promise<Outcome>,
): Tool & { runs: number } {
  const tool = {
    kind: 'fake',
    runs: 0,
    run: async (_call: TaskCall, ctx: ToolContext) => answer(++tool.runs, ctx),
  };
  return tool;
}

const SPEC = { path: 'etl/load', ttl: '1h' };
const asking = (more: Partial<TaskCall> = {}, spec: JsonObject = SPEC, config: JsonObject = {}): TaskCall =>
  call('fake', { url: 'x', ...config }, { options: { cache: spec }, ...more });

const run = (tool: Tool, asked: TaskCall, more: Partial<ToolServices> = {}): Promise<Outcome> =>
  runHidden(tool, asked, { ...context(), cache, ...more }, new AbortController().signal);

test('an equal call of another execution takes the result, and says from where', async () => {
  const tool = counting((n) => succeeded({ n }, { http: { status: 200, headers: { a: 'b' } } }));
  const first = await run(tool, asking());
  expect(first.meta['cached']).toBeUndefined();
  const second = await run(tool, asking({ execution_id: '9', task_run_id: 'other#1[3].fake~1@1' }));
  expect(second).toMatchObject({
    status: 'ok',
    result: { n: 1 },
    http: { status: 200, headers: { a: 'b' } },
    meta: {
      attempt: 1,
      duration_ms: 0,
      cached: { execution_id: '287146398761160704', task_run_id: 'step#1.fake~1@1' },
    },
  });
  expect(tool.runs).toBe(1);
});

const entry = (name: string, execution_id: string): JsonObject =>
  ({ entry: { name, kind: 'bearer', config: {}, execution_id } }) as unknown as JsonObject;
/** A call with a secret behind a handle whose id is new in every execution. */
const withSecret = (id: string, secret: Json): TaskCall => ({
  ...asking({}, SPEC, { auth: secretHandle(id, 'token') }),
  secrets: { [id]: secret } as unknown as TaskCall['secrets'],
});

test.each<[string, TaskCall, TaskCall, boolean]>([
  ['the order of keys', asking({ input: { a: 1, b: 2 } }), asking({ input: { b: 2, a: 1 } }), true],
  ['another input', asking({ input: { a: 1 } }), asking({ input: { a: 2 } }), false],
  ['another field', asking(), asking({}, SPEC, { url: 'y' }), false],
  ['another key', asking({}, { ...SPEC, key: 1 }), asking({}, { ...SPEC, key: 2 }), false],
  ['another version', asking({}, { ...SPEC, version: 1 }), asking({}, { ...SPEC, version: 2 }), false],
  ['another playbook', asking(), asking({}, { ...SPEC, path: 'etl/store' }), false],
  ['another kind', asking(), { ...asking(), kind: 'other' }, false],
  ['another setting', asking(), asking({ options: { cache: SPEC, tls: { verify: false } } }), false],
  ['another time to live', asking(), asking({}, { ...SPEC, ttl: '2h' }), true],
  ['another step', asking(), asking({ step: 'other' }), true],
  [
    'the execution, as Python sees it',
    asking({ context: { execution_id: '1', workload: { a: 1 } } }),
    asking({ context: { execution_id: '2', workload: { a: 1 } } }),
    true,
  ],
  ['the id of a handle', withSecret('h1', entry('db', '1')), withSecret('h2', entry('db', '2')), true],
  ['another credential', withSecret('h1', entry('db', '1')), withSecret('h1', entry('mail', '1')), false],
])('%s: is the same call', async (_name, one, other, isSame) => {
  const tool = counting((n) => succeeded(n));
  // Only digests are compared: the secrets behind these handles do not exist.
  const keep = { ...tool, keepsHandles: true as const };
  await run(keep, one);
  await run(keep, other);
  expect(tool.runs).toBe(isSame ? 1 : 2);
});

test.each<[string, (n: number) => Outcome, TaskCall]>([
  ['an error', (n) => failedTask({ kind: 'sql', code: 'X', message: `m${n}`, retryable: false }), asking()],
  ['a result with secrets', () => succeeded(1, { meta: { secrets: { a: {} } } }), asking()],
  [
    'a reference to a stored value',
    () => succeeded({ deep: [{ store: 'file', key: 'k', checksum: 'sha256:0' }] }),
    asking(),
  ],
  ['a call without a time to live', (n) => succeeded(n), asking({}, { path: 'etl/load' })],
  ['a call without spec.cache', (n) => succeeded(n), call('fake', {})],
  [
    'a call with a sealed value',
    (n) => succeeded(n),
    withSecret('h1', { ref: { provider: 'sealed', secret: 'x' } }),
  ],
])('%s is not kept', async (_name, answer, asked) => {
  const tool = counting(answer);
  const keep = { ...tool, keepsHandles: true as const };
  await run(keep, asked);
  await run(keep, asked);
  expect(tool.runs).toBe(2);
});

test('a result is kept without secrets, for its time to live, and a rule that repeats the call gets another', async () => {
  const given = context({ db: { type: 'postgres', data: { db_password: 'canary-one' } } });
  const tool = counting(async (n, ctx) => {
    await ctx.credentials.resolve('db', { execution_id: '1' });
    return succeeded({ n, said: 'canary-one' });
  });
  await run(tool, asking(), given);
  expect((await run(tool, asking(), given)).result).toEqual({ n: 1, said: '[redacted]' });
  const again = asking({ attempt: 2, task_run_id: 'step#1.fake~1@2' });
  expect((await run(tool, again, given)).result).toMatchObject({ n: 2 });
  expect((await run(tool, asking(), given)).result).toMatchObject({ n: 2 });
  expect((await run(tool, asking({}, { ...SPEC, ttl: 0.001 }), given)).result).toMatchObject({ n: 3 });
  const stored = fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => fs.readFileSync(path.join(one.parentPath, one.name), 'latin1'));
  expect(stored).toHaveLength(1);
});

test.each(['step#1.fake~1@2', 'step#1.fake~2@1', 'step#2.fake~1@1', 'step#1[7].inner~2@1[3].fake~1@1'])(
  '%s asks again, and gets another answer, which is kept',
  async (task_run_id) => {
    const tool = counting((n) => succeeded(n));
    await run(tool, asking());
    expect((await run(tool, asking({ task_run_id }))).result).toBe(2);
    expect((await run(tool, asking())).result).toBe(2);
  },
);

test('a cache that is broken, damaged or absent is a miss, never a failure', async () => {
  const broken: StepCache = {
    ...cache,
    get: () => Promise.reject(new Error('no disk')),
    put: () => Promise.reject(new Error('no disk')),
  };
  const tool = counting((n) => succeeded(n));
  const services = context();
  for (const n of [1, 2])
    expect(await run(tool, asking(), { ...services, cache: broken })).toMatchObject({
      status: 'ok',
      result: n,
    });
  expect(services.lines.filter((line) => line.includes('no disk'))).toHaveLength(4);
  expect((await runHidden(tool, asking(), context(), new AbortController().signal)).result).toBe(3);

  await run(tool, asking());
  const [file] = fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => path.join(one.parentPath, one.name));
  fs.writeFileSync(file!, 'damaged');
  expect((await run(tool, asking())).result).toBe(5);
  expect((await run(tool, asking())).result).toBe(5);
});
