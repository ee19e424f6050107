import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { UsageError } from '../errors';
import { graphCommand } from './graph';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-graph-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const file = path.join(folder, 'one.yaml');
fs.writeFileSync(
  file,
  'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: one}\nworkflow:\n- step: start\n  tool: {kind: noop}\n',
);

async function graph(...args: string[]): Promise<string> {
  const silent = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  const write = jest.spyOn(process.stdout, 'write').mockImplementation((_, done) => {
    (done as unknown as () => void)();
    return true;
  });
  try {
    await graphCommand().exitOverride().parseAsync(args, { from: 'user' });
    return write.mock.calls.map(([text]) => String(text)).join('');
  } finally {
    write.mockRestore();
    silent.mockRestore();
  }
}

test('draws in three formats', async () => {
  expect(await graph(file)).toMatch(/^flowchart TD\n {2}s0\(\["start<br\/>noop"\]\)\n/);
  expect(await graph(file, '--format', 'svg')).toMatch(/^<svg [^]*<\/svg>\n$/);
  expect(JSON.parse(await graph(file, '--format', 'json'))).toMatchObject({
    name: 'one',
    entry: 'start',
    nodes: [{ step: 'start', entry: true, end: true }],
    arcs: [],
  });
});

test.each([['an unknown format', ['--format', 'png'], /expected mermaid/]])(
  '%s is an error of usage',
  async (_, args, message) => {
    const done = graph(file, ...args);
    await expect(done).rejects.toThrow(UsageError);
    await expect(done).rejects.toThrow(message);
  },
);
