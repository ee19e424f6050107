// Records the golden histories of the current engine version: runs the example playbooks and saves what Temporal kept.
//
//   node playbooks/api/server.mjs & node scripts/record-histories.mjs
//
// A history that is there already is left alone: it stands for executions that still run somewhere. To record a new
// scenario add it here; to record a new engine version raise CURRENT_ENGINE_VERSION first.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const { CURRENT_ENGINE_VERSION } = createRequire(import.meta.url)(path.join(root, 'dist/src/plan/index.js'));
const folder = path.join(root, 'test', 'histories', `v${CURRENT_ENGINE_VERSION}`);
fs.mkdirSync(folder, { recursive: true });

const scenarios = {
  hello_world: ['hello_world'],
  streaming_pagination: [
    'streaming_pagination',
    '--set',
    'endpoints=' +
      JSON.stringify([
        { name: 'assessments', path: '/api/v1/assessments', page_size: 20 },
        { name: 'flaky', path: '/api/v1/flaky', page_size: 20 },
        { name: 'missing', path: '/api/v1/missing', page_size: 20 },
      ]),
  ],
  fetch_transform_store: ['fetch_transform_store'],
  fan_out_reduce: ['fan_out_reduce'],
  collect_pages: ['collect_pages', '--set', 'page_size=20'],
  loop_elsewhere: ['loop_elsewhere'],
  error_path_rescued: ['error_path'],
  error_path_failed: ['error_path', '--set', 'rescue=false'],
};

for (const [name, [playbook, ...args]] of Object.entries(scenarios)) {
  const file = path.join(folder, `${name}.json`);
  if (fs.existsSync(file)) continue;
  const { status, stdout } = spawnSync(
    process.execPath,
    [
      path.join(root, 'dist/src/cli/main.js'),
      'run',
      path.join('playbooks', `${playbook}.yaml`),
      '--json',
      '--history',
      file,
      ...args,
    ],
    { cwd: root, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' },
  );
  process.stdout.write(`${name}: exit ${status}, ${stdout.trim().slice(0, 120)}\n`);
}
