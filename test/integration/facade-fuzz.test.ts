/**
 * schemathesis against the facade over a real stack: whatever is sent, no answer is an error of ours, and each is of
 * the status, type and schema that /openapi.json promises. NOETL_FUZZ_EXAMPLES (default 2) cases an operation; a long
 * run by hand takes 200.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { spawn } from 'node:child_process';
import { configuredKeyRing } from '../../src/storage/keyring';
import { startFacade, type TestFacade } from '../support/facade';
import { present } from '../support/present';
import { pythonVenv } from '../support/python-venv';
import { playbookOf } from '../support/simulator';
import { type Stack, startStack } from '../support/stack';

const EXAMPLES = process.env.NOETL_FUZZ_EXAMPLES ?? '2';
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
];
/** Nothing takes that long: a cancel waits five seconds at most for tools to stop. */
const PATIENCE_S = process.env['FUZZ_PATIENCE'] ?? '15';
/** Three times as long as a busy machine took, for the usual number of cases. */
const LIMIT_MS = 240_000 * Math.max(1, Number(EXAMPLES) / 5);

let stack: Stack;
let facade: TestFacade;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-fuzz-'));

beforeAll(async () => {
  stack = await startStack({ kinds: ['shell'] });
  const keys = configuredKeyRing({ NOETL_SECRETS_KEY: `k:${randomBytes(32).toString('base64')}` });
  facade = await startFacade(stack, { over: { keys } });
  await stack.run(stack.compile(playbookOf(`\n- step: start\n  tool: {kind: noop, input: {x: 1}}`)));
});
afterAll(async () => {
  await facade?.stop();
  await stack?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

test(
  'holds what its OpenAPI document promises, whatever it is sent',
  async () => {
    const venv = present(await pythonVenv(['schemathesis == 4.32.5']));
    const args = [
      'run',
      `${facade.url}/openapi.json`,
      ...['--phases', 'examples,fuzzing', '--max-examples', EXAMPLES, '--no-color'],
      ...['--checks', CHECKS.join(','), '--exclude-tag', 'language model', '--workers', '1'],
      ...['--generation-deterministic', '--suppress-health-check', 'all'],
      ...['--continue-on-failure', '--warnings', 'off', '--request-timeout', '60'],
      ...['--max-response-time', PATIENCE_S],
    ];
    const { code, said } = await run(path.join(venv.bin, 'schemathesis'), args);
    expect(facade.reported).toEqual([]);
    expect({ code, said: code === 0 ? '' : said }).toEqual({ code: 0, said: '' });
  },
  LIMIT_MS,
);

/** Not synchronously: the facade answers from this process. */
async function run(program: string, args: readonly string[]): Promise<{ code: number | null; said: string }> {
  const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, said };
}
