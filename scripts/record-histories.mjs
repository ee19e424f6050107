// Records the golden histories of the version in package.json: runs the example playbooks and saves their Temporal
// histories. `npm run release -- freeze` records all of them anew.
//
//   node playbooks/api/server.mjs & node scripts/record-histories.mjs [NAME ...]
//
// An existing history is not changed: it represents executions that may still be running. To record a new scenario
// add it here.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const require = createRequire(import.meta.url);
const { version } = require(path.join(root, 'package.json'));
const { connect, historyPages, startDevServer, startExecution, WORKFLOW_TASK_QUEUE, workflowId } = require(
  path.join(root, 'dist/src/temporal/client/index.js'),
);
const { compile } = require(path.join(root, 'dist/src/language/dsl/index.js'));
const { historyToJSON } = require('@temporalio/common/lib/proto-utils');
const cli = path.join(root, 'dist/src/cli/main.js');
const folder = path.join(root, 'test', 'histories', version);
fs.mkdirSync(folder, { recursive: true });

/** A task that may run for an hour, an event, and a loop that fills the history. */
const LONG = `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: long, path: histories/long}
workflow:
- step: start
  next: {spec: {mode: inclusive}, arcs: [{step: slow}, {step: work}, {step: wait}]}
- step: slow
  tool: {kind: shell, cmds: ["sleep 4; echo slept"], spec: {timeout: {total: 3600}}}
  next: {arcs: [{step: end}]}
- step: work
  loop: {in: "{{ range(30) | list }}", iterator: n, spec: {mode: parallel, max_in_flight: 5}}
  tool: {kind: shell, cmds: ["echo {{ iter.n }}"]}
  next: {arcs: [{step: end}]}
- step: wait
  tool: {kind: wait, event: go, timeout: PT1H}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {slow: "{{ slow.stdout | trim }}", work: "{{ work | length }}", went: "{{ wait }}"}}
`;

/** Results too large for history, which refers to them: their values are stored in test/stored-values. */
const STORED = `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: stored, path: histories/stored}
executor: {spec: {policy: {limits: {max_payload_bytes: 2048}}}}
workflow:
- step: start
  tool: {kind: python, code: "result = [{'id': n, 'name': f'item {n}'} for n in range(400)]"}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: python, input: {items: "{{ start.data }}"}, code: "result = {'count': len(items), 'last': items[-1]}"}
`;

/**
 * Templates that cost more than a batch may take: in which workflow task their commands appear depends on the prices of
 * sorting, patterns, loops and texts, so a replay notices a change of them.
 */
const HEAVY = `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: heavy, path: histories/heavy}
workflow:
- step: start
  loop: {in: "{{ range(48) | list }}", iterator: n, spec: {mode: parallel, max_in_flight: 48}}
  tool:
    kind: shell
    input:
      top: "{{ range(4000) | sort(reverse=true) | first }}"
      found: "{{ ('ab, ' * 4000) | regex_findall('[a-z]+') | length }}"
      sum: "{% set ns = namespace(t=0) %}{% for i in range(2000) %}{% set ns.t = ns.t + i %}{% endfor %}{{ ns.t }}"
    cmds: ["echo {{ iter.n }}"]
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {count: "{{ start | length }}"}}
`;
const values = path.join(root, 'test', 'stored-values');

const scenarios = {
  hello_world: { playbook: 'hello_world' },
  // Started like with the `temporal` CLI, by path only: it resolves its plan and sets its search attributes itself.
  by_path: { path: 'examples/hello_world' },
  streaming_pagination: {
    playbook: 'streaming_pagination',
    set:
      'endpoints=' +
      JSON.stringify([
        { name: 'assessments', path: '/api/v1/assessments', page_size: 20 },
        { name: 'flaky', path: '/api/v1/flaky', page_size: 20 },
        { name: 'missing', path: '/api/v1/missing', page_size: 20 },
      ]),
  },
  fetch_transform_store: { playbook: 'fetch_transform_store' },
  fan_out_reduce: { playbook: 'fan_out_reduce' },
  collect_pages: { playbook: 'collect_pages', set: 'page_size=20' },
  loop_elsewhere: { playbook: 'loop_elsewhere' },
  error_path_rescued: { playbook: 'error_path' },
  error_path_failed: { playbook: 'error_path', set: 'rescue=false' },
  sub_playbook_parent: { playbook: 'sub_playbook' },
  // Its first child: resolved by the calling run, and once that is gone, by the remaining workers.
  sub_playbook_child: { playbook: 'sub_playbook', child: true },
  sub_playbook_child_unheard: { playbook: 'sub_playbook', child: true, resolver: 'noetl-playbooks-gone' },
  stored_result: { text: STORED, env: { NOETL_STORAGE: pathToFileURL(values).href } },
  keychain: { playbook: 'keychain', env: { NOETL_SECRET_DEMO_CLIENT: 'swordfish-4711' } },
  keychain_unresolved: { playbook: 'keychain' },
  wait_event: { playbook: 'approval', event: ['approved', { by: 'Ada', amount: 900 }] },
  limits: { playbook: 'one_per_customer', set: 'accounts=6' },
  debounced: { playbook: 'last_change' },
  wait_timeout: { playbook: 'approval', set: 'patience=1' },
  heavy: { text: HEAVY },
  // Its runs are a folder of histories, 1.json first.
  continued_as_new: {
    text: LONG,
    chain: true,
    config: ['limit.historyCount.suggestContinueAsNew=60'],
    event: ['go', 'on'],
  },
};

const named = process.argv.slice(2);
const open = Object.entries(scenarios)
  .filter(([name]) => named.length === 0 || named.includes(name))
  .map(([name, scenario]) => [name, scenario, path.join(folder, scenario.chain ? name : `${name}.json`)])
  .filter(([, , target]) => !fs.existsSync(target));
/** Each has a server of its own, and waits for processes most of the time. */
const AT_ONCE = 3;
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let next = open.shift(); next; next = open.shift()) await record(...next);
  }),
);

async function record(
  name,
  { playbook, text, set, event, config, chain, child, resolver, path: type, env: more },
  target,
) {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-record-'));
  const server = await startDevServer({
    dataDir: scratch,
    inMemory: true,
    namespace: 'default',
    dynamicConfig: config ?? [],
  });
  const env = { ...process.env, TEMPORAL_ADDRESS: server.address, ...more };
  let file = path.join('playbooks', `${playbook}.yaml`);
  if (text) fs.writeFileSync((file = path.join(scratch, 'playbook.yaml')), text);
  const args = [
    'run',
    file,
    '--json',
    ...(set ? ['--set', set] : []),
    ...(chain || child ? [] : ['--history', target]),
  ];
  if (resolver || type) {
    const worker = startWorker(env, type ? ['--kinds', 'python'] : []);
    if (type) await recordByPath(server, type, target);
    else await recordUnheard(server, file, resolver, target);
    worker.kill('SIGTERM');
    await once(worker, 'close');
    await server.stop();
    fs.rmSync(scratch, { recursive: true, force: true });
    return;
  }
  const running = spawn(process.execPath, [cli, ...args], { cwd: root, env });
  let output = '';
  let said = '';
  running.stdout.setEncoding('utf8').on('data', (chunk) => (output += chunk));
  running.stderr.setEncoding('utf8').on('data', (chunk) => (said += chunk));
  const ended = once(running, 'close');
  if (event) {
    while (!/execution \d{10,}/.test(said) && running.exitCode === null) await sleep(50);
    const [what, payload] = event;
    const id = /execution (\d+)/.exec(said)[1];
    const sent = ['event', id, what, '--payload', JSON.stringify(payload)];
    await once(spawn(process.execPath, [cli, ...sent], { cwd: root, env, stdio: 'inherit' }), 'close');
  }
  const [status] = await ended;
  process.stdout.write(`${name}: exit ${status}, ${(output.trim() || said.trim()).slice(0, 120)}\n`);
  if (chain) await saveChain(server.address, JSON.parse(output).execution_id, target);
  if (child) await saveChild(server.client, JSON.parse(output).workflow_id, target);
  await server.stop();
  fs.rmSync(scratch, { recursive: true, force: true });
}

/** Each run of the chain in the format of `temporal workflow show --output json`. */
async function saveChain(address, id, target) {
  const { client, connection } = await connect({ address, namespace: 'default' });
  const runs = [];
  for await (const page of historyPages(client, workflowId(id))) {
    for (const one of page) {
      if (one.workflowExecutionStartedEventAttributes) runs.push([]);
      runs.at(-1).push(one);
    }
  }
  await connection.close();
  fs.mkdirSync(target);
  for (const [position, events] of runs.entries()) {
    fs.writeFileSync(path.join(target, `${position + 1}.json`), `${historyToJSON({ events })}\n`);
  }
}

function startWorker(env, more) {
  return spawn(process.execPath, [cli, 'worker', '--workflows', '--playbooks', 'playbooks', ...more], {
    cwd: root,
    env: { ...env, NOETL_STORAGE: 'none' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

async function recordByPath({ client }, type, target) {
  const handle = await client.workflow.start(type, {
    taskQueue: WORKFLOW_TASK_QUEUE,
    workflowId: workflowId('1001'),
  });
  await handle.result();
  fs.writeFileSync(target, `${historyToJSON(await handle.fetchHistory())}\n`);
}

/** As if the caller had been killed: nobody polls the queue on which it answered. */
async function recordUnheard({ client }, file, resolver, target) {
  const { plan } = compile(fs.readFileSync(path.join(root, file), 'utf8'), { file });
  const { handle } = await startExecution(client, { plan, resolver });
  await handle.result();
  await saveChild(client, handle.workflowId, target);
}

async function saveChild(client, parent, target) {
  for await (const page of historyPages(client, parent))
    for (const { childWorkflowExecutionStartedEventAttributes: started } of page) {
      if (!started) continue;
      const { workflowId } = started.workflowExecution;
      const events = [];
      for await (const more of historyPages(client, workflowId)) events.push(...more);
      fs.writeFileSync(target, `${historyToJSON({ events })}\n`);
      return;
    }
}
