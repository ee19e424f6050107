/** Credentials in files: one JSON mapping of all (`NOETL_CREDENTIALS_FILE`), or a folder with one file each. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isMapping, type Json } from '../../../src/language/plan';
import { parseJson } from '../../../src/language/plan/json-text';
import { credentialFrom, type CredentialProvider, invalidCredential } from './credential';

/** `file`: JSON `{name: {type, data}}`. Read at every lookup, so that a rotated credential takes effect. */
export function fileProvider(file: string): CredentialProvider {
  return {
    async find(name) {
      const all = await readJson(file, name);
      if (all === undefined) return undefined;
      if (!isMapping(all))
        throw invalidCredential(name, file, 'the file must contain a JSON mapping of name to {type, data}');
      if (!Object.hasOwn(all, name)) return undefined;
      return credentialFrom(name, (all as Record<string, Json>)[name]!, file);
    },
    hint: () => `the file ${file} (NOETL_CREDENTIALS_FILE)`,
  };
}

/** `folder/<name>.json` in the official CLI's shape `{name, type, data}`. */
export function folderProvider(folder: string): CredentialProvider {
  return {
    async find(name) {
      // A name is a file name, never a path.
      if (!/^[\w.@-]+$/.test(name) || name.startsWith('.')) return undefined;
      const file = path.join(folder, `${name}.json`);
      const value = await readJson(file, name);
      return value === undefined ? undefined : credentialFrom(name, value, file);
    },
    hint: (name) => `the file ${path.join(folder, `${name}.json`)} (NOETL_CREDENTIALS_DIR)`,
  };
}

async function readJson(file: string, name: string): Promise<Json | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw invalidCredential(name, file, `the file cannot be read (${code ?? 'unknown error'})`);
  }
  try {
    return parseJson(text);
  } catch {
    throw invalidCredential(name, file, 'the file is not valid JSON');
  }
}
