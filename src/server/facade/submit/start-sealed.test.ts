import { createSecretKey, randomBytes } from 'node:crypto';
import { type Client } from '@temporalio/client';
import { memoryResults } from '../../../../test/support/memory-results';
import { compile } from '../../../language/dsl';
import { type KeyRing, keyRing } from '../../../storage/keyring';
import { sealedValues } from '../../../storage/sealed';
import { EnvironmentError } from '../../../language/errors';

import { Metrics } from '../http/metrics';
import { fromOutside } from '../http/outside';
import { startSealed } from './start-sealed';
import { turnOf } from './turns';

const CANARY = 'canary-of-a-submission';
const { plan } = compile(`
apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: p, path: p, workload: {token: {secret: true}}}
workload: {token: null, open: 1}
workflow: [{step: start, tool: {kind: http, url: "http://x", headers: {x-token: "{{ token }}"}}}]
`);
const keys = (): KeyRing => keyRing([{ kid: 'k', key: createSecretKey(randomBytes(32)) }]);

/** What Temporal was asked to start. */
let started: unknown[];
const client = {
  workflow: {
    start: (...asked: unknown[]) => (started.push(asked), Promise.resolve({ firstExecutionRunId: 'r' })),
  },
} as unknown as Client;
beforeEach(() => (started = []));

test('a secret input is a handle before Temporal hears of it, and its value is encrypted', async () => {
  const results = memoryResults();
  const payload = { token: CANARY, open: 2 };
  const { id } = await startSealed(
    { client, sealed: sealedValues(keys, results) },
    { plan: plan!, payload },
    '42',
    { caller: 'ann' },
  );
  expect(id).toBe('42');
  const text = JSON.stringify(started);
  expect(text).not.toContain(CANARY);
  expect(text).toMatch(/\{"token":\{"\$secret":"[0-9a-f]{32}"\},"open":2\}/);
  expect(text).toContain('"provider":"sealed"');
  expect(results.kept.size).toBe(1);
});

test('an execution without a value for it needs neither key nor store, and is counted', async () => {
  const metrics = new Metrics();
  await startSealed({ client, metrics }, { plan: plan!, payload: { open: 2 } }, '42', { caller: 'ann' });
  expect(started).toHaveLength(1);
  expect(started).toMatchObject([['p', { priority: { fairnessKey: turnOf('ann', '42') } }]]);
  expect(await metrics.text()).toMatch(/^noetl_executions_started_total 1$/m);
});

test.each([
  ['no store', undefined, 'SEALED_STORE'],
  ['a store, but no place', sealedValues(keys, undefined), 'SEALED_STORE'],
  [
    'a store, but no key',
    sealedValues(() => {
      throw new EnvironmentError('KEY_MISSING', 'there is no key');
    }, memoryResults()),
    'KEY_MISSING',
  ],
])('with %s nothing is started, and the answer is 503', async (_, sealed, code) => {
  const services = { client, ...(sealed && { sealed }) };
  const input = { plan: plan!, payload: { token: CANARY } };
  const refused = startSealed(services, input, '42', { caller: 'ann' }).catch(fromOutside);
  expect(await refused).toMatchObject({ status: 503, code });
  expect(started).toEqual([]);
});
