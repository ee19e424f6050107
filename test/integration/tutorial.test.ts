/** docs/tutorial.md: its files, and its commands in their order, on a machine that has nothing but the package. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '../../src/temporal/client';

import { CLI, ROOT } from '../support/process';
import { until } from '../support/until';

jest.setTimeout(240_000);

const PAGE = fs.readFileSync(path.join(ROOT, 'docs', 'tutorial.md'), 'utf8');
const blocks = [...PAGE.matchAll(/^```(yaml|sh|text)(?: (\S+))?\n([^]*?)^```$/gm)].map(
  ([, language, rest, text]) => ({ language: language!, rest: rest ?? '', text: text! }),
);
const background: ChildProcess[] = [];
let folder: string;

beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-tutorial-'));
  fs.mkdirSync(path.join(folder, 'playbooks'));
  fs.mkdirSync(path.join(folder, 'bin'));
  fs.copyFileSync(path.join(ROOT, 'playbooks/api/server.mjs'), path.join(folder, 'server.mjs'));
  const command = `#!/bin/sh\nexec "${process.execPath}" "${CLI}" "$@"\n`;
  fs.writeFileSync(path.join(folder, 'bin/noetl-temporal'), command, { mode: 0o755 });
});

afterAll(async () => {
  for (const child of background.reverse()) {
    if (child.exitCode !== null || child.pid === undefined) continue;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    process.kill(-child.pid, 'SIGINT');
    await ended;
  }
  fs.rmSync(folder, { recursive: true, force: true });
});

test('every command of the tutorial does what the page says', async () => {
  const [facade, api] = [await freePort(), await freePort()];
  const here = (text: string): string =>
    text
      .replaceAll('127.0.0.1:8082', `127.0.0.1:${facade}`)
      .replaceAll('127.0.0.1:8089', `127.0.0.1:${api}`)
      .replace('node server.mjs', `node server.mjs --port ${api}`)
      .replace('noetl-temporal dev', `noetl-temporal dev --port ${facade}`);
  const env = {
    ...process.env,
    PATH: `${path.join(folder, 'bin')}:${process.env.PATH}`,
    TEMPORAL_ADDRESS: '',
  };
  const answers = async (): Promise<boolean> =>
    (await fetch(`http://127.0.0.1:${facade}/api/health`).catch(() => undefined))?.ok === true;
  const ask = async (route: string): Promise<unknown> => {
    const answer = await fetch(`http://127.0.0.1:${facade}${route}`);
    return answer.ok ? await answer.json() : undefined;
  };
  const registered = async (file: string): Promise<boolean> => {
    const listed = await ask('/api/catalog/playbook/content?playbook_id=shop/customers');
    return JSON.stringify(listed ?? '').includes(JSON.stringify(fs.readFileSync(file, 'utf8')).slice(1, -1));
  };
  const waiting = async (): Promise<boolean> => {
    const [one] = (await ask('/api/executions?status=running')) as { execution_id: string }[];
    return (
      one !== undefined &&
      /"form"/.test(JSON.stringify(await ask(`/api/executions/${one.execution_id}/waits`)))
    );
  };
  const variables = path.join(folder, 'variables');
  fs.writeFileSync(variables, '');
  let said = '';
  for (const { language, rest, text } of blocks) {
    if (language === 'yaml') {
      fs.writeFileSync(path.join(folder, rest), here(text));
    } else if (rest === 'background') {
      const child = spawn('bash', ['-c', `exec ${here(text)}`], {
        cwd: folder,
        env,
        detached: true,
        stdio: 'ignore',
      });
      background.push(child);
      if (/ dev /.test(text)) await until(answers, 60_000);
      if (/ run /.test(text)) await until(waiting, 60_000);
    } else if (language === 'sh') {
      const file = path.join(folder, 'playbooks/customers.yaml');
      if (/ run /.test(text)) await until(() => registered(file));
      const script = `. ${variables}\n${rest === 'fails' ? '' : 'set -e\n'}${here(text)}\nstatus=$?\nset +e\ndeclare -p run failed > ${variables} 2>/dev/null\nexit $status`;
      const inside = { ...env, NOETL_FACADE_URL: `http://127.0.0.1:${facade}` };
      const done = spawnSync('bash', ['-c', script], { cwd: folder, env: inside, encoding: 'utf8' });
      said = done.stdout + done.stderr;
      expect({ text, failed: done.status !== 0, said }).toEqual({ text, failed: rest === 'fails', said });
    } else {
      const missing = text.split('\n').filter((line) => !said.includes(line.trim()));
      expect({ missing, said }).toEqual({ missing: [], said });
    }
  }
});
