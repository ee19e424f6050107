/** A process that is told to end does, whatever its tools are doing in threads of their own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import os from 'node:os';
import path from 'node:path';

const DIST = path.join(__dirname, '../../dist');
/** Takes days. */
const ENDLESS = 'select count(*) from range(10000000000) a, range(1000000) b where a.range % 7 = b.range % 5';

test('a query of duckdb does not outlive the process', async () => {
  const script = `
    const { duckdb } = require('./activities/kinds/duckdb/run.js');
    const call = { kind: 'duckdb', input: {}, config: { query: '${ENDLESS}' }, timeout: {}, options: {} };
    const report = () => { process.stdout.write('it ended'); };
    duckdb.run(call, { signal: new AbortController().signal, heartbeat() {} }).then(report, report);
    setTimeout(() => { process.stdout.write('told to end'); process.exit(3); }, 1000);
  `;
  const child = spawn(process.execPath, ['-e', script], { cwd: DIST });
  let said = '';
  child.stdout.on('data', (piece: Buffer) => (said += piece.toString()));
  const tooLong = setTimeout(() => child.kill('SIGKILL'), 30_000);
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  clearTimeout(tooLong);
  expect({ said, code, signal }).toEqual({ said: 'told to end', code: 3, signal: null });
});

test('a promise that is rejected beside its task is logged with the task, and the process goes on', async () => {
  const script = `
    const { asyncLocalStorage } = require('@temporalio/activity');
    const { guardProcess } = require('./src/temporal/worker/guard.js');
    const { workerLog } = require('./src/temporal/worker/log.js');
    const { secrets } = require('./activities/kinds/secrets/run.js');
    const stray = async () => { await null; throw new TypeError('words-of-a-secret'); };
    const config = { provider: 'google', secret: 'x', project: 'p' };
    const call = { kind: 'secrets', input: {}, config, timeout: {}, options: {}, execution_id: '1' };
    const context = { signal: new AbortController().signal, log: workerLog(), credentials: {} };
    // Before the guard: nothing is left behind by a client without an identity.
    secrets.run(call, context).catch((error) => {
      process.stdout.write(error.outcome.error.code + '\\n');
      setTimeout(() => {
        guardProcess(workerLog('error'));
        asyncLocalStorage.run({ info: { activityType: 'http', activityId: 't#1' } }, () => void stray());
        setTimeout(() => process.stdout.write('goes on'), 100);
      }, 100);
    });
  `;
  const { GOOGLE_APPLICATION_CREDENTIALS: _, ...own } = process.env;
  const env = { ...own, HOME: os.tmpdir(), METADATA_SERVER_DETECTION: 'none' };
  const child = spawn(process.execPath, ['-e', script], { cwd: DIST, env });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (piece: Buffer) => (said.stdout += piece.toString()));
  child.stderr.on('data', (piece: Buffer) => (said.stderr += piece.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  expect({ code, ...said }).toMatchObject({ code: 0, stdout: 'SECRET_DENIED\ngoes on' });
  expect(said.stderr).toMatch(/"kind":"http","task_run_id":"t#1","error":"TypeError","at":"stray /);
  expect(said.stderr).not.toContain('words-of-a-secret');
});
