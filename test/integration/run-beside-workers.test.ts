/** `run FILE` at a server that others work at too: sub-playbooks of each are looked up by whoever started it. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { historyPages, newExecutionId, startExecution, workflowId } from '../../src/temporal/client';
import { checkEvents } from '../support/event-checks';
import { recordedExecution } from '../../src/history';
import { playbooksOf } from '../support/playbooks';
import { noetl } from '../support/process';
import { type Stack, startStack } from '../support/stack';

const head = (name: string): string =>
  `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: ${name}, path: ${name}}\nworkflow:\n`;
const returning = (name: string, value: string): string =>
  `${head(name)}- step: start\n  tool: {kind: noop, input: {of: "${value}"}}\n`;

const calling = (name: string, called: string, times: number): string => `${head(name)}
- step: start
  loop: {in: "{{ range(${times}) | list }}", iterator: n}
  tool: {kind: playbook, path: ${called}}
  next: {arcs: [{step: apart}]}
- step: apart
  loop: {in: "{{ range(${times}) | list }}", iterator: n, spec: {exec: distributed, chunk_size: 4}}
  tool: {kind: playbook, path: ${called}}
  next: {arcs: [{step: end}]}
- step: end
  tool:
    kind: noop
    input:
      of: "{{ (start.results + apart.results) | map(attribute='of') | unique | list }}"
      failed: "{{ start.stats.failed + apart.stats.failed }}"
`;

let stack: Stack;
let folder: string;
beforeAll(async () => {
  // The other side knows a playbook of the same path, and one that the folder does not have.
  stack = await startStack({
    kinds: [],
    playbooks: playbooksOf({
      'lib/inner': returning('lib/inner', 'theirs'),
      'lib/own': returning('lib/own', 'theirs'),
    }),
    config: ['limit.historyCount.suggestContinueAsNew=60'],
  });
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-beside-'));
  fs.writeFileSync(path.join(folder, 'main.yaml'), calling('main', 'lib/outer', 8));
  fs.writeFileSync(
    path.join(folder, 'outer.yaml'),
    `${head('lib/outer')}- step: start\n  tool: {kind: playbook, path: lib/inner}\n`,
  );
  fs.writeFileSync(path.join(folder, 'inner.yaml'), returning('lib/inner', 'mine'));
});
afterAll(async () => {
  await stack?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

test('sub-playbooks of the run are those beside its file, and those of others are not asked of it', async () => {
  const theirs = stack.run(stack.compile(calling('theirs', 'lib/own', 30)));
  const { code, stdout } = await noetl(['run', path.join(folder, 'main.yaml'), '--json'], {
    TEMPORAL_ADDRESS: stack.server.address,
  });
  const document = JSON.parse(stdout) as { result: object; error: object | null; workflow_id: string };
  expect({ code, error: document.error }).toEqual({ code: 0, error: null });
  expect(document.result).toMatchObject({ of: ['mine'], failed: 0 });
  expect((await theirs).result).toMatchObject({ of: ['theirs'], failed: 0 });
});

test('what nobody answers for any more is asked of those who are there', async () => {
  const plan = stack.compile(
    `${head('left')}- step: start\n  tool: {kind: playbook, path: lib/inner}\n  next: {arcs: [{step: end}]}\n` +
      '- step: end\n  tool: {kind: noop, input: {got: "{{ start }}"}}\n',
  );
  const { id, handle } = await startExecution(
    stack.client,
    { plan, resolver: 'noetl-playbooks-of-one-that-is-gone' },
    newExecutionId(),
  );
  expect(await handle.result()).toMatchObject({ result: { got: { of: 'theirs' } } });
  const child = await childOf(id);
  const { events, divergence } = await recordedExecution(historyPages(stack.client, child));
  expect(divergence).toBeUndefined();
  expect(checkEvents(events, true)).toEqual([]);
});

async function childOf(caller: string): Promise<string> {
  const { events } = await recordedExecution(historyPages(stack.client, workflowId(caller)));
  const done = events.find(({ event_type }) => event_type === 'task.done')!;
  const { meta } = done.payload['outcome'] as { meta: { child: { execution_id: string } } };
  return workflowId(meta.child.execution_id);
}
