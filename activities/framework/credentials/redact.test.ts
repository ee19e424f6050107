/** Spellings of secrets as real tools write them: Python's library, bash and base64 of this machine. */
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { redactor } from './redact';
import { secretsOf } from './secret-texts';

const PASSWORD = `it's "q" a\\b <x>&y é%41 of=2B 7$z`;
const PEM = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();

const PYTHON = `
import base64, html, json, quopri, shlex, sys, traceback, urllib.parse
from xml.sax.saxutils import quoteattr
s = sys.argv[1]
try:
    raise KeyError(s)
except KeyError:
    failed = traceback.format_exc()
q = urllib.parse.quote
print(json.dumps({
    'repr': repr(s), 'ascii': ascii(s), 'bytes': repr(s.encode()), 'in a list': repr([[s]]), 'KeyError': failed,
    'repr in JSON': json.dumps(repr({'k': s})), 'JSON in JSON': json.dumps(json.dumps({'k': s})),
    'shell': shlex.quote(s), 'HTML': html.escape(s), 'XML attribute': quoteattr(s),
    'character references': html.escape(s).encode('ascii', 'xmlcharrefreplace').decode(),
    'HTML twice': html.escape(html.escape(s)),
    'URL': q(s), 'URL twice': q(q(s)), 'form twice': urllib.parse.quote_plus(urllib.parse.quote_plus(s)),
    'JSON in a URL in HTML': html.escape('?a=b&k=' + q(json.dumps(s))),
    'quoted-printable': quopri.encodestring(s.encode()).decode(),
    'base64 with breaks': base64.encodebytes(('x' * 50 + s).encode()).decode(),
    'base64 in a form': urllib.parse.quote_plus(base64.b64encode(b'user:' + s.encode()).decode()),
    'hex with colons': s.encode().hex(':'), 'hex with blanks': s.encode().hex(' ', 2).upper(),
    'hex of C': ', '.join(f'0x{b:02x}' for b in s.encode()),
    'hex escapes': ''.join(f'\\\\x{b:02x}' for b in s.encode()),
    'SQL': "'" + s.replace("'", "''") + "'", 'CSV': '"' + s.replace('"', '""') + '"',
    'UTF-8 read as Latin-1': s.encode().decode('latin-1'), 'UTF-8 cut': s.encode().decode('ascii', 'replace'), 'lower case': s.lower(), 'upper case': s.upper(),
    'indented': '\\n'.join('  ' + line for line in s.splitlines()), 'CRLF': s.replace('\\n', '\\r\\n'),
    'joined': s.replace('\\n', ''), 'quoted lines': ''.join('> ' + line + '\\n' for line in s.splitlines()),
    'three lines': '\\n'.join(s.splitlines()[:3]),
}))`;
import { EXPLODED_MS, processorMs } from '../../../test/support/processor-time';
const BASH = `
t=$1; ( set -x; : "$t" ) 2>&1; echo; printf '%q\\n' "$t"; echo "\${t@Q}"; LC_ALL=C printf '%q\\n' "$t"`;

const spelt = (secret: string): Readonly<Record<string, string>> => ({
  ...(JSON.parse(execFileSync('python3', ['-c', PYTHON, secret]).toString()) as Record<string, string>),
  ...Object.fromEntries(
    execFileSync('bash', ['-c', BASH, 'bash', secret], { env: { ...process.env, LC_ALL: 'C.UTF-8' } })
      .toString()
      .split(/\n(?=[^\n])/)
      .map((line, index) => [`bash ${index}`, line]),
  ),
});

test('a secret of quotes, blanks, signs and letters in every spelling of Python, shell, SQL, HTML and mail', () => {
  const hide = redactor();
  hide.add([PASSWORD]);
  const left = Object.entries(spelt(PASSWORD)).filter(([, text]) => !hide.text(text).includes('[redacted]'));
  expect(left).toEqual([]);
  // Nothing but the secret is taken away.
  expect(hide.text(`before %41 ${encodeURIComponent(encodeURIComponent(PASSWORD))} after \\x41`)).toBe(
    'before %41 [redacted] after \\x41',
  );
  const other = `it's no "q" in a\\b <x>&y é%41`;
  expect(hide.text(other)).toBe(other);
});

test('no line of a key is left in any spelling', () => {
  const hide = redactor();
  hide.add([PEM]);
  const lines = PEM.split('\n').filter((line) => line.length === 64);
  const left = Object.entries(spelt(PEM)).filter(([, text]) => {
    const hidden = hide.text(text).toLowerCase();
    const inBase64 = Buffer.from(PEM).toString('base64').toLowerCase();
    // Of each line as it is, and of the whole in base64, no sixteen characters in the middle.
    return [...lines, inBase64].some((line) => hidden.includes(line.slice(20, 36).toLowerCase()));
  });
  expect(left).toEqual([]);
  expect(hide.text('-----BEGIN PRIVATE KEY-----')).toBe('-----BEGIN PRIVATE KEY-----');
});

test('what stands before a secret may look like the start of an escape', () => {
  const hide = redactor();
  hide.add(['abcdef0123456789', "beef it's"]);
  for (const before of ['k=', '%', '\\', '\\x', '\\u', '&#', '0x'])
    expect(hide.text(`${before}abcdef0123456789`)).toBe(`${before}[redacted]`);
  expect(hide.text('k=beef%2520it%2527s')).toBe('k=[redacted]');
});

test('numbers: secrets that are numbers, and numbers that are secrets', () => {
  const hide = redactor();
  expect(secretsOf({ pin_token: 73918264501, port: 54321098, password: 1234 })).toEqual(['73918264501']);
  hide.add(['91827364', '73918264501', '0012345678', '1234567890123456789']);
  const answer = {
    pin: 91827364,
    list: [73918264501, 12345678, 91827365],
    big: Number('1234567890123456789'),
    ok: 2.5,
  };
  expect(hide.json(answer)).toEqual({
    pin: '[redacted]',
    list: ['[redacted]', '[redacted]', 91827365],
    big: '[redacted]',
    ok: 2.5,
  });
});

test('the host of a URL in lower case, a method in upper case', () => {
  const hide = redactor();
  hide.add(['PlainSecretXk82']);
  expect(hide.text("GET http://plainsecretxk82.invalid/: 'PLAINSECRETXK82' is no method")).toBe(
    "GET http://[redacted].invalid/: '[redacted]' is no method",
  );
});

test.each([
  ['backslashes', '\\'.repeat(300_000)],
  ['per cents', '%25'.repeat(100_000)],
  ['entities', '&amp;'.repeat(100_000)],
  ['equals signs', '=3D'.repeat(100_000)],
  ['zeros', `&#${'0'.repeat(300_000)}`],
])('%s by the hundred thousand take no longer than their number', async (_, text) => {
  const hide = redactor();
  hide.add([PEM, PASSWORD]);
  expect(await processorMs(() => hide.text(text))).toBeLessThan(EXPLODED_MS);
});

test('a secret of any length', () => {
  const hide = redactor();
  const long = Array.from({ length: 60_000 }, (_, index) => `word ${index}`).join(', ');
  hide.add([long]);
  expect(hide.text(JSON.stringify(`${long} and more`))).toBe('"[redacted] and more"');
});
