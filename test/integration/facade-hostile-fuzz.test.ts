/**
 * Every route, with bodies and callers of every kind: `test/support/request-fuzz.ts`. Always the same requests;
 * `npm run bench -- fuzz` sends others, for as long as one likes.
 */
import { randomBytes } from 'node:crypto';
import { byToken } from '../../src/server/facade';
import { configuredKeyRing } from '../../src/storage/keyring';
import { type Database, openDatabase, Tokens } from '../../src/server/store';
import { startFacade, type TestFacade } from '../support/facade';
import { startTestPostgres, type TestPostgres } from '../support/postgres';
import { type ApiDocument, fuzz } from '../support/request-fuzz';
import { playbookOf } from '../support/simulator';
import { type Stack, startStack } from '../support/stack';

const REQUESTS = Number(process.env['NOETL_FUZZ_REQUESTS'] ?? 600);
/** Hung, on the busiest machine: a cancel waits five seconds for tools to stop. */
const HUNG_MS = 60_000;

let stack: Stack;
let postgres: TestPostgres;
let facade: TestFacade;
let database: Database;
const callers: Record<string, string>[] = [{}, { authorization: 'Bearer x' }];
let ended: string;

beforeAll(async () => {
  [stack, postgres] = await Promise.all([startStack({ kinds: ['shell'] }), startTestPostgres()]);
  database = await openDatabase(postgres.url);
  const tokens = new Tokens(database);
  for (const scopes of [['read'], ['run'], ['worker', 'read'], ['admin']]) {
    const [token] = await tokens.create({ name: scopes[0]!, scopes });
    callers.push({ authorization: `Bearer ${token}` }, { 'x-session-token': token });
  }
  const { authenticate, check } = byToken(tokens, () => undefined);
  const keys = configuredKeyRing({ NOETL_SECRETS_KEY: `k:${randomBytes(32).toString('base64')}` });
  facade = await startFacade(stack, {
    postgres,
    over: { authenticate, checkToken: check, byToken: authenticate, keys },
  });
  const run = await stack.run(
    stack.compile(playbookOf('- step: start\n  tool: {kind: noop, input: {x: 1}}')),
  );
  ended = run.handle.workflowId.replace(/^noetl-/, '');
}, 180_000);
afterAll(async () => {
  await facade?.stop();
  await database?.close();
  await stack?.stop();
  await postgres?.stop();
});

test('whatever is sent by whomever, no answer is an error of ours, late, or shows our code', async () => {
  const document = (await (await fetch(`${facade.url}/openapi.json`)).json()) as ApiDocument;
  const known = { id: [ended, '1'], path: ['test/test'], type: ['playbook'], name: ['x'] };
  const findings = await fuzz(
    { url: facade.url, document, seed: 'fixed', callers, known, patienceMs: HUNG_MS },
    0,
    REQUESTS,
  );
  expect(findings).toEqual([]);
  expect(facade.reported).toEqual([]);
}, 600_000);
