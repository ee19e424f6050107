/** docs/temporal-cli.md, as written: its commands are run in order, and say what the page says they say. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { recordedExecution } from '../../src/history';
import { historyPages, obtainTemporalCli, runProgram } from '../../src/temporal';
import { checkEvents } from '../support/event-checks';
import { CLI, ROOT } from '../support/process';
import { type Stack, startStack } from '../support/stack';

/** A fenced block, and the lines that it is expected to say, in the block after it. */
interface Block {
  readonly script: string;
  readonly says: readonly string[];
}

const PAGE = fs.readFileSync(path.join(ROOT, 'docs/temporal-cli.md'), 'utf8');
const fences = [...PAGE.matchAll(/^```(\w+)\n([^]*?)^```/gm)].map(([, language, text]) => ({
  language,
  text: text!,
}));
const blocks: Block[] = fences.flatMap(({ language, text }, index) => {
  const next = fences[index + 1];
  return language === 'sh'
    ? [{ script: text, says: next?.language === 'text' ? next.text.trim().split('\n') : [] }]
    : [];
});

let stack: Stack;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-temporal-cli-'));

beforeAll(async () => {
  stack = await startStack({ kinds: ['shell'] });
  fs.writeFileSync(
    path.join(folder, 'approval.yaml'),
    fences.find(({ language }) => language === 'yaml')!.text,
  );
  const { path: temporal } = await obtainTemporalCli();
  fs.symlinkSync(temporal, path.join(folder, 'temporal'));
  const command = `#!/bin/sh\nexec "${process.execPath}" "${CLI}" "$@"\n`;
  fs.writeFileSync(path.join(folder, 'noetl-temporal'), command, { mode: 0o755 });
});
afterAll(async () => {
  await stack?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

test('every command of the page works, and each outcome exports its events', async () => {
  expect(blocks.length).toBeGreaterThan(8);
  for (const { script, says } of blocks) {
    const { code, stdout, stderr } = await runProgram('bash', ['-euo', 'pipefail', '-c', script], {
      timeoutMs: 120_000,
      cwd: folder,
      env: {
        ...process.env,
        PATH: `${folder}:${process.env['PATH']}`,
        TEMPORAL_ADDRESS: stack.server.address,
        NOETL_STORAGE: 'none',
        NO_COLOR: '1',
      },
    });
    expect({ script, code, stderr: code === 0 ? '' : stderr }).toEqual({ script, code: 0, stderr: '' });
    // JSON is printed with or without spaces.
    const said = stdout.replaceAll(/(?<=[:,])\s+/g, '');
    for (const line of says)
      expect({ script, said }).toEqual({ script, said: expect.stringContaining(line) as string });
  }
  const ends = { 1001: 'completed', 1002: 'completed', 1003: 'cancelled', 1004: 'terminated' };
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
