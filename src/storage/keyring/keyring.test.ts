import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { configuredKeyRing, KEY_FILE, type KeyRing, KeyRingError, localKeyRing } from './index';

const [ONE, TWO] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
const ring = (text: string): KeyRing => configuredKeyRing({ NOETL_SECRETS_KEY: text });

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-keyring-'));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const codeOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(KeyRingError);
    expect((error as KeyRingError).hint).not.toEqual([]);
    return (error as KeyRingError).code;
  }
  return 'nothing was thrown';
};

test('what is sealed is opened again, whatever it is, and is not to be seen in the ciphertext', () => {
  const keys = ring(ONE);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.string(), (plain, place) => {
      const sealed = keys.seal(plain, place);
      expect(keys.open(sealed, place).equals(plain)).toBe(true);
      if (plain.length > 8) expect(sealed.includes(Buffer.from(plain))).toBe(false);
    }),
  );
});

test('the same text is never sealed alike', () => {
  const keys = ring(ONE);
  const sealed = new Set(Array.from({ length: 100 }, () => keys.seal('text', 'a').toString('hex')));
  expect(sealed.size).toBe(100);
});

test('any change of any byte, any shortening and any addition is refused', () => {
  const keys = ring(`first:${ONE}`);
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 60 }),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      fc.nat(),
      (plain, at, change, cut) => {
        const sealed = keys.seal(plain, 'place');
        const changed = Buffer.from(sealed);
        changed[at % sealed.length]! ^= change;
        expect(codeOf(() => keys.open(changed, 'place'))).toMatch(/^(CIPHERTEXT_DAMAGED|KEY_UNKNOWN)$/);
        const shorter = sealed.subarray(0, cut % sealed.length);
        expect(codeOf(() => keys.open(shorter, 'place'))).toBe('CIPHERTEXT_DAMAGED');
        const longer = Buffer.concat([sealed, Buffer.from([change])]);
        expect(codeOf(() => keys.open(longer, 'place'))).toBe('CIPHERTEXT_DAMAGED');
      },
    ),
  );
});

test('a ciphertext moved to another place is refused', () => {
  const keys = ring(ONE);
  fc.assert(
    fc.property(fc.string(), fc.string(), (here, there) => {
      fc.pre(here !== there);
      expect(codeOf(() => keys.open(keys.seal('x', here), there))).toBe('CIPHERTEXT_DAMAGED');
    }),
  );
});

test('the first key encrypts, all decrypt; one that was taken away is named', () => {
  const before = ring(`old:${ONE}`);
  const sealed = before.seal('text', 'place');
  const both = ring(`new:${TWO},old:${ONE}`);
  expect(both.kids).toEqual(['new', 'old']);
  expect(both.open(sealed, 'place').toString()).toBe('text');
  expect(both.kidOf(sealed)).toBe('old');
  expect(both.kidOf(both.seal('text', 'place'))).toBe('new');
  const after = ring(`new:${TWO}`);
  expect(codeOf(() => after.open(sealed, 'place'))).toBe('KEY_UNKNOWN');
  expect(() => after.open(sealed, 'place')).toThrow("encrypted with the key 'old', which is not here");
  expect(codeOf(() => ring(`old:${TWO}`).open(sealed, 'place'))).toBe('CIPHERTEXT_DAMAGED');
});

test('a key without a name has the same name wherever it stands', () => {
  expect(ring(`${ONE},${TWO}`).kids).toEqual([...ring(ONE).kids, ...ring(TWO).kids]);
});

test('keys of the variable come before those of the file; remarks and empty lines are skipped', () => {
  const file = path.join(folder, 'keys');
  fs.writeFileSync(file, '', { mode: 0o600 });
  fs.writeFileSync(file, `# made in 2026\nb:${TWO}  # since May\n\n`);
  const both = configuredKeyRing({ NOETL_SECRETS_KEY: `a:${ONE}`, NOETL_SECRETS_KEY_FILE: file });
  expect(both.kids).toEqual(['a', 'b']);
});

test.each<[string, Record<string, string>, string, RegExp]>([
  ['no key', {}, 'KEY_MISSING', /no key/],
  ['a short key', { NOETL_SECRETS_KEY: 'c2hvcnQ=' }, 'KEY_INVALID', /it has 5 bytes, not 32/],
  [
    'not base64',
    { NOETL_SECRETS_KEY: 'my pass word!' },
    'KEY_INVALID',
    /key 1 of NOETL_SECRETS_KEY .*base64/,
  ],
  ['a bad name', { NOETL_SECRETS_KEY: `a b:${ONE}` }, 'KEY_INVALID', /its name/],
  ['nothing but commas', { NOETL_SECRETS_KEY: ' , ' }, 'KEY_INVALID', /contains no key/],
  ['one name twice', { NOETL_SECRETS_KEY: `a:${ONE},a:${TWO}` }, 'KEY_INVALID', /two keys .* 'a'/],
  ['no file', { NOETL_SECRETS_KEY_FILE: '/nowhere/key' }, 'KEY_FILE', /ENOENT/],
])('%s is told, and the key is not', (_name, env, code, message) => {
  expect(codeOf(() => configuredKeyRing(env))).toBe(code);
  expect(() => configuredKeyRing(env)).toThrow(message);
  for (const word of Object.values(env).flatMap((text) => text.split(/[:,]/)))
    if (word.length > 8 && !word.startsWith('/')) expect(() => configuredKeyRing(env)).not.toThrow(word);
});

test('a data folder gets a key once, for its owner only', () => {
  const first = localKeyRing(path.join(folder, 'data'), {});
  const file = path.join(folder, 'data', KEY_FILE);
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  expect(fs.readdirSync(path.dirname(file))).toEqual([KEY_FILE]);
  const second = localKeyRing(path.join(folder, 'data'), {});
  expect(second.open(first.seal('text', 'x'), 'x').toString()).toBe('text');
  const configured = localKeyRing(path.join(folder, 'data'), { NOETL_SECRETS_KEY: `mine:${ONE}` });
  expect(configured.kid).toBe('mine');
  expect(configured.open(first.seal('text', 'x'), 'x').toString()).toBe('text');
  expect(localKeyRing(path.join(folder, 'other'), { NOETL_SECRETS_KEY: ONE }).kids).toHaveLength(1);
  expect(fs.existsSync(path.join(folder, 'other'))).toBe(false);
});

test('a key file that others may read is refused', () => {
  localKeyRing(folder, {});
  fs.chmodSync(path.join(folder, KEY_FILE), 0o640);
  expect(codeOf(() => localKeyRing(folder, {}))).toBe('KEY_FILE_OPEN');
});

test.each([
  [0o600, true],
  [0o400, true],
  [0o640, true],
  [0o440, true],
  [0o644, false],
  [0o604, false],
  [0o660, false],
  [0o622, false],
])('a configured key file of mode %o: %s', (mode, isTaken) => {
  const file = path.join(folder, 'keys');
  fs.writeFileSync(file, ONE);
  fs.chmodSync(file, mode);
  const open = () => configuredKeyRing({ NOETL_SECRETS_KEY_FILE: file });
  if (isTaken) return expect(open().kids).toHaveLength(1);
  expect(codeOf(open)).toBe('KEY_FILE_OPEN');
  expect(open).toThrow(`(mode ${mode.toString(8)})`);
});

test('a key is not shown by inspecting or printing the ring', () => {
  const shown = inspect(ring(ONE), { depth: 9, showHidden: true }) + JSON.stringify(ring(ONE));
  expect(shown).not.toContain(ONE);
});
