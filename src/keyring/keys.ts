/**
 * Where keys come from: `NOETL_SECRETS_KEY`, then the file of `NOETL_SECRETS_KEY_FILE`, then (embedded mode) a file of
 * the data folder, which is made when there is no key at all.
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
 * @throws KeyRingError `KEY_MISSING` when none is configured, `KEY_INVALID`, `KEY_FILE`; `KEY_FILE_OPEN` when anybody may
 *   read the file, or its group may write it
 */
export function configuredKeyRing(env: Env = process.env): KeyRing {
  return keyRing(configuredKeys(env));
}

/**
 * The keys of a process with a data folder: those of the environment, then that of the folder, made where there is none
 * at all. So secrets that the folder's key encrypted stay readable when a key is configured.
 *
 * @throws KeyRingError as `configuredKeyRing`, and `KEY_FILE_OPEN` when others than its owner may read the folder's key
 */
export function localKeyRing(folder: string, env: Env = process.env): KeyRing {
  const configured = configuredKeys(env);
  const file = path.join(folder, KEY_FILE);
  if (configured.length === 0) makeKeyFile(file);
  return keyRing(fs.existsSync(file) ? [...configured, ...ownKeys(file)] : configured);
}

/**
 * The same without making a key: of a process that only reads what others encrypted.
 *
 * @throws KeyRingError `KEY_MISSING` when there is none, and as `localKeyRing`
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
 * `KEY` or `NAME:KEY`, separated by commas or on lines of their own; `#` begins a remark. A key without a name is named
 * after its digest, so it has the same name wherever it stands.
 *
 * @throws KeyRingError `KEY_INVALID`, naming the place and never the text
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

/** Rights of others than the owner that are too many. Orchestrators hand files to containers by their group. */
const GROUP_MAY_READ = 0o037;
const OWNER_ONLY = 0o077;

/** Looks at the very file that is read: between two looks it could be another one. */
function readClosed(file: string, tooMany: number): string {
  let descriptor: number | undefined;
  try {
    descriptor = fs.openSync(file, 'r');
    const mode = fs.fstatSync(descriptor).mode & 0o777;
    // Windows has no such mode: there the folder's own rights protect the file.
    if (process.platform !== 'win32' && mode & tooMany) {
      const said = `users other than the owner can read or write the key file ${file} (mode ${mode.toString(8)})`;
      throw new KeyRingError('KEY_FILE_OPEN', said);
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

/** Made aside and linked into place: of processes that start at once one wins, and nobody reads half a key. */
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
