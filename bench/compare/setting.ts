/** What benchmarks run on: a Temporal server, our workers, a client and an HTTP target. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { openStorage } from '../../src/storage/blobs';
import { compile, formatDiagnostics } from '../../src/language/dsl';
import { type Plan } from '../../src/language/plan';
import { startDevServer } from '../../src/temporal/client';
import { startWorkers } from '../../src/temporal/worker/workers';

const HEAD = 'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: bench, path: bench/bench}\n';

export function planOf(yaml: string): Plan {
  const { plan, diagnostics } = compile(HEAD + yaml);
  if (!plan) throw new Error(formatDiagnostics(diagnostics, yaml));
  return plan;
}

/** An HTTP server in a separate process, so that its work is not counted as ours. */
async function startTarget(): Promise<{ url: string; stop: () => void }> {
  const code = `const s = require('http').createServer((_, r) => { r.setHeader('content-type', 'application/json'); r.end('{"ok":true}'); });
    s.listen(0, '127.0.0.1', () => console.log(s.address().port));`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await new Promise<string>((resolve) =>
    child.stdout.once('data', (text) => resolve(String(text).trim())),
  );
  return { url: `http://127.0.0.1:${port}/`, stop: () => child.kill() };
}

/** A dev server of its own, or the one at TEMPORAL_ADDRESS, with workers of `kinds` in this process. */
export async function openSetting(kinds: readonly string[]) {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-bench-'));
  const target = await startTarget();
  const { dataConverter } = await openStorage(`file://${dataDir}/blobs`);
  const given = process.env['TEMPORAL_ADDRESS'];
  const server = given ? undefined : await startDevServer({ dataDir, inMemory: true, dataConverter });
  const address = given ?? server!.address;
  const connection = await NativeConnection.connect({ address });
  const client = new Client({ connection: await Connection.connect({ address }), dataConverter });
  const workers = await startWorkers({
    connection,
    namespace: 'default',
    dataConverter,
    kinds,
    workflows: true,
  });
  const close = async (): Promise<void> => {
    await workers.stop({ graceMs: 5000 });
    await connection.close();
    await client.connection.close();
    await server?.stop();
    target.stop();
    fs.rmSync(dataDir, { recursive: true, force: true });
  };
  return { client, connection, target, serverPid: server?.pid, close };
}
