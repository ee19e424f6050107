/**
 * `bench -- verify --served N`: N executions on a server, of some 80 events, verified from there against a version that is the same
 * and one that is not. They run for a few minutes first.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { compile } from '../../src/language/dsl';
import { startStack } from '../../test/support/stack';

const AT_ONCE = 64;
const waits = Array.from({ length: 12 }, (_, i) => `{ name: w${i}, kind: wait, for: 0.01 }`).join(', ');
const TEXT = `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: served, path: bench/served }
workflow:
  - step: start
    tool: [${waits}]
    next: { arcs: [{ step: end }] }
  - step: end
    tool: { kind: noop, input: { n: 1 } }
`;

export async function benchServed(count: number): Promise<void> {
  const stack = await startStack({ kinds: [] });
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-bench-'));
  try {
    const [old, other] = ['old.yaml', 'new.yaml'].map((name) => path.join(folder, name)) as [string, string];
    fs.writeFileSync(old, TEXT);
    fs.writeFileSync(other, TEXT.replace('n: 1', 'n: 2'));
    const { plan } = compile(TEXT, { file: old });
    let left = count;
    const run = async (): Promise<void> => {
      while (left-- > 0) await (await stack.start(plan!)).result();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, run));
    for (const now of [old, other]) verifyServed(old, now, stack.server.address);
  } finally {
    await stack.stopWorkers();
    await stack.server.stop({ checked: true });
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function verifyServed(old: string, now: string, address: string): void {
  const main = path.join(__dirname, '..', '..', 'src', 'cli', 'main.js');
  const began = performance.now();
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [main, 'verify', old, now, '--against', 'path=bench/served', '--json'],
    { encoding: 'utf8', maxBuffer: 1 << 28, env: { ...process.env, TEMPORAL_ADDRESS: address } },
  );
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const { counts } = JSON.parse(stdout || `{"counts":${JSON.stringify(stderr)}}`) as { counts: unknown };
  console.log(`  ${path.basename(now)}: verified from a server in ${seconds} s: ${JSON.stringify(counts)}`);
}
