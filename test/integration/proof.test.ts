/** What really ran, decided anew from the server's histories: races, retries, events, leases, chunks, sub-workflows. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { verdictsOn } from '../../src/cli/runtime/past-executions';
import { sendEvent } from '../../src/temporal/client';
import { LOCAL_KIND, type Plan } from '../../src/language/plan';
import { type VerificationTally } from '../../src/offline/proof';
import { type Stack, startStack } from '../support/stack';
import { until } from '../support/until';

let stack: Stack;
const data = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-proof-'));
const before = { ...process.env };
beforeAll(async () => {
  stack = await startStack({ kinds: ['shell', LOCAL_KIND] });
  Object.assign(process.env, {
    TEMPORAL_ADDRESS: stack.server.address,
    TEMPORAL_NAMESPACE: stack.server.namespace,
    NOETL_STORAGE: 'none',
  });
});
afterAll(async () => {
  process.env = before;
  fs.rmSync(data, { recursive: true, force: true });
  await stack?.stop();
});

const yaml = (attempts: number): string => `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: runs, path: proof/runs}
workload: {n: 4}
workflow:
- step: start
  next: {spec: {mode: inclusive}, arcs: [{step: flaky}, {step: near}, {step: far}, {step: ask}]}
- step: flaky
  tool:
    kind: shell
    cmds: ["exit {{ 0 if _attempt > 2 else 7 }}"]
    spec: {policy: {rules: [{when: "{{ output.status == 'error' }}", then: {do: retry, attempts: ${attempts}, delay: 0.1}}]}}
  next: {arcs: [{step: end}]}
- step: near
  loop: {in: "{{ range(workload.n) | list }}", iterator: item, spec: {mode: parallel, policy: {exec: local}}}
  tool: {kind: shell, cmds: ["echo {{ iter.item }}"]}
  next: {arcs: [{step: end}]}
- step: far
  loop: {in: "{{ range(workload.n) | list }}", iterator: item, spec: {mode: parallel, policy: {exec: distributed}}}
  tool: {kind: shell, cmds: ["echo {{ iter.item }}"]}
  next: {arcs: [{step: end}]}
- step: ask
  tool: {kind: wait, event: go, timeout: 60s}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {near: "{{ near | length }}", far: "{{ far | length }}", who: "{{ ask }}"}}
`;

/** Visibility learns of ends a little later. */
async function verdicts(now: Plan, wanted: number): Promise<VerificationTally> {
  let tally: VerificationTally | undefined;
  await until(async () => {
    tally = await verdictsOn({ files: [], against: 'path=proof/* status=completed since=1h', data }, { now });
    return tally.executions >= wanted;
  });
  return tally!;
}

test('an unchanged playbook decides as it did, and a changed one shows where it does not', async () => {
  const plan = stack.compile(yaml(5));
  for (const n of [1, 4, 20]) {
    const handle = await stack.start(plan, { n });
    await sendEvent(stack.client, handle.workflowId, { name: 'go', payload: 'Ada', id: `e${n}` });
    expect(await handle.result()).toMatchObject({ result: { near: n, far: n, who: 'Ada' } });
  }
  expect(await verdicts(plan, 3)).toMatchObject({ executions: 3, counts: { same: 3 }, groups: {} });
  const changed = await verdicts(stack.compile(yaml(2)), 3);
  expect(Object.values(changed.groups)).toMatchObject([
    { kind: 'decision', cause: 'after task flaky: fail instead of retry', count: 3 },
  ]);
});
