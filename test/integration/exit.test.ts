/** A process that is told to end does, whatever its tools are doing in threads of their own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

const DIST = path.join(__dirname, '../../dist');
/** Takes days. */
const ENDLESS = 'select count(*) from range(10000000000) a, range(1000000) b where a.range % 7 = b.range % 5';

test('a query of duckdb does not outlive the process', async () => {
  const script = `
    const { duckdb } = require('./activities/duckdb.js');
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
