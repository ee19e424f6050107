/** docs/temporal-cli.md, as written: its commands are run in order, and say what the page says they say. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { recordedExecution } from '../../src/history';
import { historyPages, obtainTemporalCli } from '../../src/temporal/client';
import { checkEvents } from '../support/event-checks';
import { fencesOf, runPage } from '../support/page';
import { playbooksOf } from '../support/playbooks';
import { CLI, ROOT } from '../support/process';
import { type Stack, startStack } from '../support/stack';

const fences = fencesOf('temporal-cli.md');

/**
 * The CLI, which asks again what a run cannot answer before its playbook is found: whoever types the commands of the page
 * is slower than a busy machine.
 */
function patient(temporal: string): string {
  return `#!/bin/sh
[ "$1 $2" = "workflow query" ] || exec "${temporal}" "$@"
for _ in $(seq 50); do
  if said=$("${temporal}" "$@" 2>&1); then echo "$said"; exit 0; fi
  case "$said" in *"did not register a handler"*) sleep 0.2 ;; *) break ;; esac
done
echo "$said" >&2
exit 1
`;
}

let stack: Stack;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-temporal-cli-'));

beforeAll(async () => {
  const playbook = fences.find(({ language }) => language === 'yaml')!.text;
  stack = await startStack({ kinds: ['shell'], playbooks: playbooksOf({ 'examples/approval': playbook }) });
  const files = { yaml: 'approval.yaml', js: 'replay.mjs' };
  for (const [language, name] of Object.entries(files)) {
    fs.writeFileSync(path.join(folder, name), fences.find((fence) => fence.language === language)!.text);
  }
  const packages = path.join(folder, 'node_modules');
  fs.mkdirSync(packages);
  fs.symlinkSync(path.join(ROOT, 'node_modules/@temporalio'), path.join(packages, '@temporalio'));
  fs.symlinkSync(ROOT, path.join(packages, 'noetl-temporal'));
  const { path: temporal } = await obtainTemporalCli();
  fs.writeFileSync(path.join(folder, 'temporal'), patient(temporal), { mode: 0o755 });
  const command = `#!/bin/sh\nexec "${process.execPath}" "${CLI}" "$@"\n`;
  fs.writeFileSync(path.join(folder, 'noetl-temporal'), command, { mode: 0o755 });
});
afterAll(async () => {
  await stack?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

test('every command of the page works, and each outcome exports its events', async () => {
  const ran = await runPage(fences, folder, {
    PATH: `${folder}:${process.env['PATH']}`,
    TEMPORAL_ADDRESS: stack.server.address,
    NOETL_STORAGE: 'none',
  });
  expect(ran).toBeGreaterThan(8);
  // The plan that was looked up is compressed, so the page's own replayer has to unpack it.
  const zlib = Buffer.from('binary/zlib').toString('base64');
  expect(fs.readFileSync(path.join(folder, 'history.json'), 'utf8')).toContain(zlib);
  const ends = {
    1001: 'completed',
    1002: 'completed',
    1003: 'cancelled',
    1004: 'cancelled',
    1005: 'terminated',
  };
  for (const [id, end] of Object.entries(ends)) {
    const { events, closed, divergence } = await recordedExecution(historyPages(stack.client, `noetl-${id}`));
    expect({ id, end: closed?.status, divergence, wrong: checkEvents(events) }).toEqual({
      id,
      end,
      divergence: undefined,
      wrong: [],
    });
    expect(events.at(-1)!.event_type).toBe('playbook.processed');
  }
}, 300_000);
