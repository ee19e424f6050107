/** Files that sandboxes are made from, in a folder of this process that is gone with it. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

let folder: string | undefined;

/** Writes a file once per content and name. @returns its path */
export function ownFile(name: string, content: string | Buffer): string {
  folder ??= makeFolder();
  const file = path.join(folder, name);
  if (!fs.existsSync(file) || !fs.readFileSync(file).equals(Buffer.from(content)))
    fs.writeFileSync(file, content, { mode: 0o600 });
  return file;
}

function makeFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-sandbox-'));
  process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}
