/** What `init` writes runs as its page says: the commands of its first shell block, on a machine that has nothing else. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { CLI } from '../support/process';
import { inProcess } from '../support/program';
import { someOf } from '../support/sampled';
import { runProgram } from '../../src/temporal/client';
import { startTestPostgres, type TestPostgres } from '../support/postgres';
import { startTestServer, type TestServer } from '../support/temporal';

let server: TestServer;
let postgres: TestPostgres;
let folder: string;
beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-templates-'));
  [server, postgres] = await Promise.all([startTestServer(), startTestPostgres()]);
});
afterAll(async () => {
  await server?.stop();
  await postgres?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

const TEMPLATES = [
  ['hello', '"letters":3'],
  ['fan-out', '"total":1700,"largest":1156,"worked":7,"failed":1'],
  ['approval', '"placed":true,"approved_by":null'],
  [
    'files-to-duckdb',
    '"loaded":8,"missing":1,"means":[{"city":"Oslo","mean":-4.5},{"city":"Rome","mean":12.63}]',
  ],
  ['api-to-postgres', '"stored":25,"cities":[{"city":"Oslo","customers":13},{"city":"Rome","customers":12}]'],
  ['webhook', '"order":"A-1","placed":true'],
] as const;

// In CI two of them; `init.test.ts` rehearses all.
test.each(someOf(TEMPLATES, 3))('%s', async (template, says) => {
  const where = path.join(folder, template);
  const { stdout } = await inProcess(['init', where, '--template', template]);
  const script = stdout
    .slice(stdout.indexOf('\n  cd '))
    .replaceAll('npx noetl-temporal', `${process.execPath} ${CLI}`)
    // What `init.test.ts` does.
    .replace(/^.* test playbooks$/m, '')
    // Any free port, and the time that a server needs to begin.
    .replace(
      'node api.mjs &',
      'coproc api { exec node api.mjs 0; }; read -r line <&"${api[0]}"; url=${line##* }',
    )
    .replace(/^.*api_to_postgres\.yaml$/m, '$& --set api_url=${url%/customers}')
    .replace('kill %1', 'kill "$api_PID"');
  const env = { ...process.env, TEMPORAL_ADDRESS: server.address, NOETL_CREDENTIAL_PG_LOCAL: postgres.url };
  const ran = await runProgram('bash', ['-e', '-c', script], { timeoutMs: 110_000, env });
  expect({ code: ran.code, stderr: ran.code === 0 ? '' : ran.stderr }).toEqual({ code: 0, stderr: '' });
  expect(ran.stdout.replaceAll(/(?<=[:,{[])\s+|\s+(?=[}\]])/g, '')).toContain(says);
});
