/** docs/recipes: the files of each page, and its commands in their order, beside a `dev` with the example API. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '../../src/temporal/client';
import { CLI, ROOT } from '../support/process';
import { until } from '../support/until';

jest.setTimeout(240_000);

const PAGES = path.join(ROOT, 'docs', 'recipes');
const background: ChildProcess[] = [];
let folder: string;
let env: NodeJS.ProcessEnv;
let ports: { facade: number; api: number };

function start(command: readonly string[]): void {
  const [program = '', ...args] = command;
  background.push(spawn(program, args, { cwd: folder, env, detached: true, stdio: 'ignore' }));
}

const answers = async (url: string): Promise<boolean> =>
  (await fetch(url).catch(() => undefined))?.ok === true;

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-recipes-'));
  fs.mkdirSync(path.join(folder, 'bin'));
  const command = `#!/bin/sh\nexec "${process.execPath}" "${CLI}" "$@"\n`;
  fs.writeFileSync(path.join(folder, 'bin/noetl-temporal'), command, { mode: 0o755 });
  ports = { facade: await freePort(), api: await freePort() };
  const facade = `http://127.0.0.1:${ports.facade}`;
  env = {
    ...process.env,
    PATH: `${path.join(folder, 'bin')}:${process.env.PATH}`,
    TEMPORAL_ADDRESS: '',
    NO_COLOR: '1',
  };
  start(['noetl-temporal', 'dev', '--port', String(ports.facade)]);
  start([process.execPath, path.join(ROOT, 'playbooks/api/server.mjs'), '--port', String(ports.api)]);
  env = { ...env, NOETL: facade, NOETL_FACADE_URL: facade };
  await until(() => answers(`${facade}/api/health/ready`), 120_000);
  await until(() => answers(`http://127.0.0.1:${ports.api}/health`), 60_000);
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

interface Block {
  readonly language: string;
  /** The name of a file, or `fails` or `background` of commands. */
  readonly rest: string;
  readonly text: string;
}

function blocksOf(page: string): Block[] {
  const text = fs.readFileSync(path.join(PAGES, page), 'utf8');
  return [...text.matchAll(/^```(\w+)(?: (\S+))?\n([^]*?)^```$/gm)].map(([, language, rest, body]) => ({
    language: language!,
    rest: rest ?? '',
    text: body!.replaceAll('127.0.0.1:8089', `127.0.0.1:${ports.api}`),
  }));
}

/** JSON is printed with or without spaces. */
const compact = (text: string): string => text.replaceAll(/(?<=[:,])\s+/g, '');

const pages = fs.readdirSync(PAGES).filter((name) => name !== 'README.md');

test('there are recipes', () => {
  expect(pages.length).toBeGreaterThanOrEqual(10);
});

test.each(pages)('the commands of %s do what it says', (page) => {
  let said = '';
  for (const { language, rest, text } of blocksOf(page)) {
    if (language === 'sh' && rest !== 'background') {
      const options = { cwd: folder, env, encoding: 'utf8', timeout: 180_000 } as const;
      const done = spawnSync('bash', ['-euo', 'pipefail', '-c', text], options);
      said = done.stdout + done.stderr;
      expect({ text, failed: done.status !== 0, said }).toEqual({ text, failed: rest === 'fails', said });
    } else if (language === 'text') {
      const missing = text.split('\n').filter((line) => !compact(said).includes(compact(line.trim())));
      expect({ missing, said }).toEqual({ missing: [], said });
    } else if (rest.includes('.')) {
      const file = path.join(folder, rest);
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, text);
    }
  }
});
