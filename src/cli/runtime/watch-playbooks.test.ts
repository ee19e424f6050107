import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type RegisterOutcome } from './remote/register-files';
import { PlaybookWatch } from './watch-playbooks';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-watch-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string): void => fs.writeFileSync(path.join(folder, name), text);
const outcome = (file: string): RegisterOutcome =>
  ({ file, status: 'registered', path: 'p', version: 1, diagnostics: [] }) as unknown as RegisterOutcome;

test('playbooks are registered at first, and each again once its saving has ended', async () => {
  const registered: string[][] = [];
  const [reported, troubles]: [string[], string[]] = [[], []];
  let isAway = false;
  const watch = new PlaybookWatch(folder, {
    register: (files) => {
      if (isAway) return Promise.reject(new Error('no facade answers'));
      registered.push(files.map((file) => path.basename(file)));
      return Promise.resolve(files.map(outcome));
    },
    report: ({ file }) => void reported.push(path.basename(file)),
    trouble: (message) => void troubles.push(message),
  });
  write('a.yaml', 'kind: Playbook\n');
  write('notes.yaml', 'kind: Notes\n');
  await watch.look();
  expect(registered).toEqual([]);
  for (let n = 0; n < 3; n++) await watch.look();
  expect(registered).toEqual([['a.yaml']]);

  fs.mkdirSync(path.join(folder, 'deep'));
  write('deep/b.yaml', 'kind: Playbook\n');
  write('a.yaml', 'kind: Playbook\nmore');
  await watch.look();
  write('a.yaml', 'kind: Playbook\nmore: and more');
  await watch.look();
  expect(registered.slice(1)).toEqual([['b.yaml']]);
  isAway = true;
  for (let n = 0; n < 2; n++) await watch.look();
  expect(troubles).toEqual(['no facade answers']);
  isAway = false;
  fs.rmSync(path.join(folder, 'deep'), { recursive: true });
  for (let n = 0; n < 2; n++) await watch.look();
  expect(registered.slice(2)).toEqual([['a.yaml']]);
  expect(reported).toEqual(['a.yaml', 'b.yaml', 'a.yaml']);
});

test('it stops', async () => {
  const watch = new PlaybookWatch(path.join(folder, 'missing'), {
    register: () => Promise.resolve([]),
    report: () => undefined,
    trouble: () => undefined,
  });
  const stop = watch.start();
  await stop();
});
