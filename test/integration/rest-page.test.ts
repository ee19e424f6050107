/** docs/rest.md, as written: its commands are run in order against a facade, and say what the page says they say. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startFacade, type TestFacade } from '../support/facade';
import { fencesOf, runPage } from '../support/page';
import { CLI } from '../support/process';
import { inProcess } from '../support/program';
import { type Stack, startStack } from '../support/stack';

const fences = fencesOf('rest.md');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-rest-'));
let stack: Stack;
let facade: TestFacade;

beforeAll(async () => {
  stack = await startStack({ kinds: [] });
  facade = await startFacade(stack);
  fs.writeFileSync(path.join(folder, 'greet.yaml'), fences.find(({ language }) => language === 'yaml')!.text);
  const command = `#!/bin/sh\nexec "${process.execPath}" "${CLI}" "$@"\n`;
  fs.writeFileSync(path.join(folder, 'noetl-temporal'), command, { mode: 0o755 });
});
afterAll(async () => {
  await facade?.stop();
  await stack?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
  expect(facade.reported).toEqual([]);
});

test('every command of the page works', async () => {
  const ran = await runPage(fences, folder, { PATH: `${folder}:${process.env['PATH']}`, NOETL: facade.url });
  expect(ran).toBe(6);
}, 300_000);

test('the commands say what is wrong, and exit accordingly', async () => {
  const bad = path.join(folder, 'bad.yaml');
  fs.writeFileSync(bad, 'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: b}\nworkflow: []\n');
  const refused = await inProcess(['register', bad, '--server', facade.url]);
  expect(refused).toMatchObject({
    code: 2,
    stdout: expect.stringMatching(/bad\.yaml:4:\d+: error NT2005: /),
  });
  const none = await inProcess(['run', 'nobody/has', '--server', facade.url]);
  expect(none).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Executable catalog entry not found: nobody/has'),
  });
  const away = await inProcess(['list', '--server', 'http://127.0.0.1:1']);
  expect(away).toMatchObject({ code: 1, stderr: expect.stringContaining('[FACADE_UNREACHABLE]') });
  const fails = path.join(folder, 'fails.yaml');
  fs.writeFileSync(
    fails,
    'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: fails, path: t/fails}\nworkflow:\n' +
      '- step: start\n  tool: {kind: wait, event: never, timeout: 0.1}\n',
  );
  const failed = await inProcess(['run', fails, '--server', facade.url, '--json']);
  expect({ code: failed.code, document: JSON.parse(failed.stdout) as unknown }).toMatchObject({
    code: 1,
    document: { status: 'failed', error: { step: 'start', at: { file: 'catalog://t/fails@1', line: 6 } } },
  });
});
