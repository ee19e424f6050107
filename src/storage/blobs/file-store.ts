/** Payloads as files in a folder. */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { ownerPrefix, parseKey } from './key';
import { type ObjectStore, type OwnedBlobs, bytesSha256 } from './object-driver';

/** @param folder absolute; created at the first write. Files are readable by their owner only. */
export function fileStore(folder: string): ObjectStore {
  return {
    shown: folder,
    put: (key, bytes, isLasting) => put(path.join(folder, key), bytes, isLasting),
    async get(key) {
      if (!parseKey(key)) return undefined; // a key from history is untrusted: it must not name files elsewhere
      return (await unlessMissing(fs.readFile(path.join(folder, key)))) ?? undefined;
    },
    async list(prefix, after, count) {
      const names = (await unlessMissing(fs.readdir(path.join(folder, prefix)))) ?? [];
      return names
        .filter((name) => name > after && !name.endsWith('.tmp'))
        .sort()
        .slice(0, count);
    },
    async delete(key) {
      if (parseKey(key)) await fs.rm(path.join(folder, key), { force: true });
    },
    owners: () => owners(folder),
    async remove(owner, before) {
      const prefix = path.join(folder, ownerPrefix(owner));
      let count = 0;
      let bytes = 0;
      for (const file of await filesBelow(prefix)) {
        const stats = await unlessMissing(fs.stat(file));
        const of = parseKey(keyIn(folder, file));
        if (!stats || stats.mtimeMs >= before || (of && of.workflowId !== owner.workflowId)) continue;
        await fs.rm(file, { force: true });
        count += 1;
        bytes += stats.size;
      }
      await removeEmpty(prefix);
      return { count, bytes };
    },
    close: () => Promise.resolve(),
  };
}

async function put(file: string, bytes: Uint8Array, isLasting = true): Promise<void> {
  const existing = await unlessMissing(fs.readFile(file));
  if (existing && existing.length === bytes.length && bytesSha256(existing) === path.basename(file)) {
    const now = new Date();
    await unlessMissing(fs.utimes(file, now, now)); // its age counts from the last time it was stored
    return;
  }
  const folder = path.dirname(file);
  const firstFolder = await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  const partial = `${file}.${randomUUID()}.tmp`;
  try {
    const handle = await fs.open(partial, 'wx', 0o600);
    try {
      await handle.writeFile(bytes);
      if (isLasting) await handle.sync();
    } finally {
      await handle.close();
    }
    await fs.rename(partial, file);
  } catch (error) {
    await fs.rm(partial, { force: true });
    throw error;
  }
  if (!isLasting) return;
  // A new name is recorded in its folder, and a new folder in its parent.
  const last = firstFolder === undefined ? folder : path.dirname(firstFolder);
  for (let one = folder; ; one = path.dirname(one)) {
    await syncFolder(one);
    if (one === last || one === path.dirname(one)) break;
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await fs.open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

async function owners(folder: string): Promise<OwnedBlobs[]> {
  const byName = new Map<string, { -readonly [K in keyof OwnedBlobs]: OwnedBlobs[K] }>();
  for (const file of await filesBelow(path.join(folder, 'v0'))) {
    const key = keyIn(folder, file).replace(/\.[0-9a-f-]{36}\.tmp$/, '');
    const owner = parseKey(key);
    const stats = owner && (await unlessMissing(fs.stat(file)));
    if (!stats) continue;
    const { namespace, workflowId } = owner;
    const name = ownerPrefix(owner);
    const sum = byName.get(name) ?? { namespace, workflowId, count: 0, bytes: 0, newest: 0 };
    sum.count += 1;
    sum.bytes += stats.size;
    sum.newest = Math.max(sum.newest, stats.mtimeMs);
    byName.set(name, sum);
  }
  return [...byName.values()];
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await unlessMissing(fs.readdir(folder, { recursive: true, withFileTypes: true }));
  return (entries ?? []).filter((one) => one.isFile()).map((one) => path.join(one.parentPath, one.name));
}

/** From below, so that a folder is removed after its subfolders. A folder that just received a new file stays. */
async function removeEmpty(folder: string): Promise<void> {
  const entries = await unlessMissing(fs.readdir(folder, { withFileTypes: true }));
  for (const one of entries ?? []) if (one.isDirectory()) await removeEmpty(path.join(folder, one.name));
  await fs.rmdir(folder).catch(() => undefined);
}

function keyIn(folder: string, file: string): string {
  return path.relative(folder, file).split(path.sep).join('/');
}

async function unlessMissing<T>(operation: Promise<T>): Promise<T | undefined> {
  return operation.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
}
