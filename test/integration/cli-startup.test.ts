/** Commands load what they need: asking a facade for a status does not wait for DuckDB, Rust and a Temporal client. */
import path from 'node:path';
import { packageVersion } from '../../src/cli/output/version';
import { CLI, ROOT, start } from '../support/process';

const LOADED = path.join(ROOT, 'test/support/print-loaded.cjs');
/** `asap` belongs to the half of nunjucks that is not used. */
const HEAVY =
  /^(asap|@temporalio\/(worker|core-bridge|client)|@duckdb|undici|pg|@grpc|express|pino|@aws-sdk|@google-cloud)($|\/)/;

async function loadedBy(...args: string[]): Promise<string[]> {
  const { stdout } = await start(process.execPath, ['-r', LOADED, CLI, ...args]).finished;
  return JSON.parse(stdout.split('\n').at(-1)!) as string[];
}

test.each([
  ['--version', []],
  ['--help', []],
  ['validate playbooks/hello_world.yaml', []],
  ['test playbooks/hello_world.rehearsal.yaml', []],
  ['status 1 --server http://127.0.0.1:1', []],
  ['events 1 --server http://127.0.0.1:1', []],
  // Temporal's client, which reads histories, but no workers.
  ['explain test/histories/0.1.0/hello_world.json', ['@temporalio/client', '@grpc/grpc-js', 'pg']],
  // A store, and no facade.
  ['credentials list --database postgres://x@127.0.0.1:1/x', ['@temporalio/client', '@grpc/grpc-js', 'pg']],
])('%s', async (command, allowed) => {
  const loaded = await loadedBy(...command.split(' '));
  expect(loaded).toContain('commander');
  expect(loaded.filter((name) => HEAVY.test(name) && !allowed.includes(name))).toEqual([]);
});

test('validate loads nothing of Temporal, nor what shows the changes of --fix', async () => {
  const loaded = await loadedBy('validate', 'playbooks/hello_world.yaml');
  expect(loaded.filter((name) => /^(@temporalio|protobufjs|nexus-rpc|diff)($|\/)/.test(name))).toEqual([]);
});

test('run loads no database before a playbook needs one', async () => {
  const loaded = await loadedBy('run', 'nowhere.yaml');
  expect(loaded).toContain('@temporalio/worker');
  expect(loaded.filter((name) => /^(kysely|pg)($|\/)/.test(name))).toEqual([]);
});

test('a worker loads no HTTP client, compiler or metrics before it needs them', async () => {
  // A storage of no known kind: the command ends once everything is loaded.
  const loaded = await loadedBy('worker', '--kinds', 'http', '--storage', 'nowhere://x');
  expect(loaded).toContain('@temporalio/worker');
  expect(loaded.filter((name) => /^(undici|yaml|nunjucks|prom-client)$/.test(name))).toEqual([]);
});

test.each(['--version', '--help', 'run --help'])('%s waits for no compiler', async (command) => {
  expect(await loadedBy(...command.split(' '))).toEqual(['commander']);
});

test('--version says which release this is', async () => {
  const { code, stdout } = await start(process.execPath, [CLI, '--version']).finished;
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${packageVersion()}\n` });
});
