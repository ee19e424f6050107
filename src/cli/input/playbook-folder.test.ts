import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { PlaybookFolder } from './playbook-folder';

let folder: string;
beforeEach(() => (folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-folder-'))));
afterEach(() => fs.rmSync(folder, { recursive: true }));

function write(file: string, metadata: string, tool = '{kind: noop}'): string {
  const full = path.join(folder, file);
  fs.mkdirSync(path.dirname(full), { recursive: true });
  const text = `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: x, ${metadata}}\nworkflow:\n- step: start\n  tool: ${tool}\n`;
  fs.writeFileSync(full, text);
  return full;
}

describe('a folder of playbooks', () => {
  it('finds a playbook by its metadata.path, wherever it stands, the newest version unless one is asked for', async () => {
    write('a/one.yaml', 'path: lib/x, version: "1.9"');
    write('b/two.yml', 'path: lib/x, version: "1.10"');
    const playbooks = new PlaybookFolder([folder]);
    expect((await playbooks.resolve({ path: 'lib/x' })).metadata.version).toBe('1.10');
    expect((await playbooks.resolve({ path: 'lib/x', version: '1.9' })).metadata.version).toBe('1.9');
    await expect(playbooks.resolve({ path: 'lib/x', version: '3' })).rejects.toMatchObject({
      code: 'PLAYBOOK_NOT_FOUND',
      message: expect.stringMatching(/lib\/x, version 3$/) as string,
    });
    await expect(playbooks.resolve({ path: 'x' })).rejects.toThrow('has the path x: did you mean lib/x?');
  });

  it('finds a file relative to the caller, but none outside of its trees', async () => {
    const from = write('main/main.yaml', 'path: main');
    write('main/parts/load.yaml', 'path: other/name');
    const playbooks = new PlaybookFolder([path.join(folder, 'main')]);
    for (const name of ['./parts/load.yaml', 'parts/load']) {
      expect((await playbooks.resolve({ path: name, from })).metadata.path).toBe('other/name');
    }
    write('outside.yaml', 'path: outside');
    await expect(playbooks.resolve({ path: '../outside.yaml', from })).rejects.toMatchObject({
      code: 'PLAYBOOK_NOT_FOUND',
    });
  });

  it('refuses two of one path and version, naming both, and one that does not compile, saying why', async () => {
    write('a.yaml', 'path: twice');
    write('b.yaml', 'path: twice');
    write('c.yaml', 'path: broken', '{kind: pyhton}');
    const playbooks = new PlaybookFolder([folder]);
    await expect(playbooks.resolve({ path: 'twice' })).rejects.toMatchObject({
      code: 'PLAYBOOK_AMBIGUOUS',
      message: expect.stringMatching(/a\.yaml and .*b\.yaml/) as string,
    });
    await expect(playbooks.resolve({ path: 'broken' })).rejects.toMatchObject({
      code: 'PLAYBOOK_INVALID',
      details: { diagnostics: [{ code: 'NT2050', line: 6 }] },
    });
  });

  it('reads a file again when it changed', async () => {
    const file = write('a.yaml', 'path: lib/x, version: "1"');
    const playbooks = new PlaybookFolder([folder]);
    expect((await playbooks.resolve({ path: 'lib/x' })).metadata.version).toBe('1');
    write('a.yaml', 'path: lib/x, version: "2"');
    fs.utimesSync(file, new Date(), new Date(Date.now() + 5000));
    expect((await playbooks.resolve({ path: 'lib/x' })).metadata.version).toBe('2');
  });
});
