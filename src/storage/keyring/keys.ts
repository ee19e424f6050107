/**
 * Sources of keys: `NOETL_SECRETS_KEY`, then the file of `NOETL_SECRETS_KEY_FILE`, then (embedded mode) a file of
 * the data folder, which is created if there is no key at all.
 */
import { createHash, createSecretKey, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { KeyRingError } from './error';
import { type Key, type KeyRing, keyRing } from './keyring';

type Env = Readonly<Record<string, string | undefined>>;

const KEY_BYTES = 32;
/** In the data folder, beside the embedded database. */
export const KEY_FILE = 'secrets.key';

/**
 * The keys of a production process.
 *
 * @throws KeyRingError `KEY_MISSING` if none is configured, `KEY_INVALID`, `KEY_FILE`; `KEY_FILE_OPEN` if others may
 *   read the file, or its group may write it
 */
export function configuredKeyRing(env: Env = process.env): KeyRing {
  return keyRing(configuredKeys(env));
}

/**
 * The keys of a process with a data folder: those of the environment, then that of the folder, which is created if
 * there is none at all. So secrets encrypted with the folder's key stay readable after a key is configured.
 *
 * @throws KeyRingError as `configuredKeyRing`, and `KEY_FILE_OPEN` if anyone but its owner may read the folder's
 * key
 */
export function localKeyRing(folder: string, env: Env = process.env): KeyRing {
  const configured = configuredKeys(env);
  const file = path.join(folder, KEY_FILE);
  if (configured.length === 0) makeKeyFile(file);
  return keyRing(fs.existsSync(file) ? [...configured, ...ownKeys(file)] : configured);
}

/**
 * As `localKeyRing` without creating a key: for processes that only read encrypted data.
 *
 * @throws KeyRingError `KEY_MISSING` if there is none, and as `localKeyRing`
 */
export function knownKeyRing(folder: string, env: Env = process.env): KeyRing {
  return fs.existsSync(path.join(folder, KEY_FILE)) ? localKeyRing(folder, env) : configuredKeyRing(env);
}

function configuredKeys(env: Env): Key[] {
  const text = env['NOETL_SECRETS_KEY'];
  const file = env['NOETL_SECRETS_KEY_FILE'];
  return [
    ...(text ? parseKeys(text, 'NOETL_SECRETS_KEY') : []),
    ...(file ? parseKeys(readClosed(file, GROUP_MAY_READ), `${file} (NOETL_SECRETS_KEY_FILE)`) : []),
  ];
}

/**
 * `KEY` or `NAME:KEY`, separated by commas or line breaks; `#` starts a comment. A key without a name is named
 * after its digest, so its name is the same everywhere.
 *
 * @throws KeyRingError `KEY_INVALID`, naming the position and never the text
 */
export function parseKeys(text: string, where: string): Key[] {
  const words = text
    .split('\n')
    .flatMap((line) => line.replace(/#.*$/, '').split(','))
    .map((word) => word.trim())
    .filter(Boolean);
  if (words.length === 0) throw new KeyRingError('KEY_INVALID', `${where} contains no key`);
  return words.map((word, index) => parseKey(word, `key ${index + 1} of ${where}`));
}

function parseKey(word: string, where: string): Key {
  const [, kid, text = ''] = /^(?:([^:]*):)?(.*)$/.exec(word)!;
  if (kid !== undefined && !/^[\w.-]{1,64}$/.test(kid)) {
    const rule = 'its name is not 1 to 64 letters, digits, ".", "_", "-"';
    throw new KeyRingError('KEY_INVALID', `${where} cannot be used: ${rule}`);
  }
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text))
    throw new KeyRingError('KEY_INVALID', `${where} cannot be used: it is not base64`);
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== KEY_BYTES) {
    const message = `${where} cannot be used: it has ${bytes.length} bytes, not ${KEY_BYTES}`;
    throw new KeyRingError('KEY_INVALID', message);
  }
  return { kid: kid ?? nameOf(bytes), key: createSecretKey(bytes) };
}

function nameOf(bytes: Buffer): string {
  return createHash('sha256').update('noetl-temporal key name\0').update(bytes).digest('hex').slice(0, 12);
}

/** Permission bits that must not be set for others. Orchestrators give containers access to files by group. */
const GROUP_MAY_READ = 0o037;
const OWNER_ONLY = 0o077;

/** Checks the opened file rather than the path, which could be replaced between check and read. */
function readClosed(file: string, tooMany: number): string {
  let descriptor: number | undefined;
  try {
    descriptor = fs.openSync(file, 'r');
    const mode = fs.fstatSync(descriptor).mode & 0o777;
    // Windows has no such mode: there the folder's permissions protect the file.
    if (process.platform !== 'win32' && mode & tooMany) {
      const message = `users other than the owner can read or write the key file ${file} (mode ${mode.toString(8)})`;
      throw new KeyRingError('KEY_FILE_OPEN', message);
    }
    return fs.readFileSync(descriptor, 'utf8');
  } catch (error) {
    if (error instanceof KeyRingError) throw error;
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new KeyRingError('KEY_FILE', `the key file ${file} cannot be read (${code})`, { cause: error });
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}

/**
 * Created as a temporary file and linked into place: of concurrent processes one wins, and nobody reads half a key.
 */
function makeKeyFile(file: string): void {
  if (fs.existsSync(file)) return;
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const staged = `${file}.${randomBytes(6).toString('hex')}`;
  const descriptor = fs.openSync(staged, 'wx', 0o600);
  try {
    fs.writeSync(descriptor, `${randomBytes(KEY_BYTES).toString('base64')}\n`);
    fs.fsyncSync(descriptor);
    fs.linkSync(staged, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    fs.closeSync(descriptor);
    fs.rmSync(staged, { force: true });
  }
}

function ownKeys(file: string): Key[] {
  return parseKeys(readClosed(file, OWNER_ONLY), file);
}
