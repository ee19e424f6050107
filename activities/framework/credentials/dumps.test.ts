/** Bytes and texts as programs of this machine print them, and how long the search takes. */
import { execFileSync } from 'node:child_process';
import { EXPLODED_MS, processorMs } from '../../../test/support/processor-time';
import { redactor } from './redact';

const SECRETS = [
  'Qz7PlainCanary8xK2LmN0',
  'pä$s wörd*(with) ünïcode/éà',
  `${'A'.repeat(8)}-long-${Array.from({ length: 20 }, (_, n) => n * 7919).join('x')}`,
];

const PYTHON = `
import json, quopri, sys
from email.header import Header
from email.mime.text import MIMEText
s = sys.argv[1]
b = s.encode()
import unicodedata as u
ldap = ''.join('\\\\%02x' % x if chr(x) in '*()\\\\' or x > 126 else chr(x) for x in b)
m = MIMEText(s, 'plain', 'utf-8'); del m['Content-Transfer-Encoding']
print(json.dumps({
  'list of Python': str(list(b)), 'in a sentence': 'got %s there' % list(b), 'one a line': '\\n'.join(map(str, b)),
  'Q words': '=?utf-8?q?' + ''.join(chr(x) if chr(x).isalnum() and x < 128 else '_' if x == 32 else '=%02X' % x for x in b) + '?=',
  'Header': Header(s, 'utf-8').encode(), 'long header': Header('subject ' + s + ' and more words behind it', 'utf-8', maxlinelen=60).encode(),
  'quoted-printable': quopri.encodestring(b).decode(), 'ldap': ldap, 'all ldap': ''.join('\\\\%02x' % x for x in b), 'all LDAP': ''.join('\\\\%02X' % x for x in b),
  'NFD': u.normalize('NFD', s), 'NFC': u.normalize('NFC', s), 'NFKC': u.normalize('NFKC', s), 'NFKD': u.normalize('NFKD', s),
  'UTF-16 as Latin-1': s.encode('utf-16-le').decode('latin-1'), 'NFD in JSON': json.dumps(u.normalize('NFD', s)),
}))`;

/** Programs whose output is a dump of their input. */
const DUMPS = [
  ['od'],
  ['od', '-c'],
  ['od', '-An', '-tx1'],
  ['od', '-tx1'],
  ['od', '-Ax', '-tx1z'],
  ['od', '-tu1'],
  ['od', '-An', '-tu1'],
  ['od', '-b'],
  ['od', '-x'],
  ['xxd'],
  ['xxd', '-g1'],
  ['xxd', '-p'],
  ['hexdump'],
  ['hexdump', '-C'],
  ['cat', '-v'],
  ['cat', '-A'],
  ['base64', '-w', '20'],
];

function dumps(secret: string): Record<string, string> {
  const all: Record<string, string> = {};
  for (const [program, ...args] of DUMPS) {
    for (const before of ['', 'some text before: ']) {
      try {
        all[`${program} ${args.join(' ')} ${before}`] = execFileSync(program!, args, {
          input: `${before}${secret} and behind\n`,
        }).toString();
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      }
    }
  }
  return all;
}

test.each(SECRETS)('%s in every form that programs print', (secret) => {
  const hide = redactor();
  hide.add([secret]);
  const spelt = {
    ...dumps(secret),
    ...(JSON.parse(execFileSync('python3', ['-c', PYTHON, secret]).toString()) as Record<string, string>),
    'Buffer of Node': JSON.stringify(Buffer.from(`token ${secret}`)),
    'Buffer, indented': JSON.stringify({ a: Buffer.from(secret) }, null, 2),
  };
  expect(Object.keys(spelt).length).toBeGreaterThan(30);
  const left = Object.entries(spelt).filter(([, text]) => !hide.text(text).includes('[redacted]'));
  expect(left.map(([name, text]) => `${name}: ${hide.text(text).slice(0, 200)}`)).toEqual([]);
});

test('xxd, hexdump and od as they are elsewhere', () => {
  const hide = redactor();
  hide.add([SECRETS[0]!]);
  const printed = {
    xxd: '00000000: 5175 513a 2051 7a37 506c 6169 6e43 616e  QuQ: Qz7PlainCan\n00000010: 6172 7938 784b 324c 6d4e 300a            ary8xK2LmN0.\n',
    hexdump: '0000000 7a51 5037 616c 6e69 6143 616e 7972 7838\n0000010 324b 6d4c 304e 000a\n0000018\n',
    'hexdump -C':
      '00000000  51 7a 37 50 6c 61 69 6e  43 61 6e 61 72 79 38 78  |Qz7PlainCanary8x|\n00000010  4b 32 4c 6d 4e 30 0a                              |K2LmN0.|\n',
  };
  for (const [name, text] of Object.entries(printed))
    expect([name, /7a|Qz7|Canary|K2Lm|6d4/.test(hide.text(text))]).toEqual([name, false]);
});

test('bytes in JSON are found in the value, not only in a text', () => {
  const hide = redactor();
  hide.add([SECRETS[1]!]);
  const bytes = [...Buffer.from(SECRETS[1]!)];
  expect(hide.json({ type: 'Buffer', data: [1, ...bytes, 2], other: [1, 2, 3, 4, 5, 6, 7, 8, 9] })).toEqual({
    type: 'Buffer',
    data: '[redacted]',
    other: [1, 2, 3, 4, 5, 6, 7, 8, 9],
  });
});

test('numbers with separators of thousands; a rounded one is not found', () => {
  const hide = redactor();
  hide.add(['73918264501']);
  for (const text of [
    '73,918,264,501',
    '73_918_264_501',
    "73'918'264'501",
    '73 918 264 501',
    'n=73,918,264,501.',
  ])
    expect(hide.text(text)).toContain('[redacted]');
  expect(hide.text('7.39e10, 73918264502')).toBe('7.39e10, 73918264502');
});

test('what is no secret stays: lists, dumps, headers, paths', () => {
  const hide = redactor();
  hide.add(SECRETS);
  for (const text of [
    'rows [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]',
    '00000000: 4865 6c6c 6f20 776f 726c 6420 4865 6c6c  Hello world Hell\n',
    'Subject: =?utf-8?q?gr=C3=BC=C3=9Fe?= =?utf-8?b?aGFsbG8=?=',
    'C:\\dir\\00file, ^M and M-x, 1,234,567',
  ])
    expect(hide.text(text)).toBe(text);
});

test.each([1, 10, 100])('%d secrets: the time grows with the text, not with its square', async (count) => {
  const hide = redactor();
  hide.add(Array.from({ length: count }, (_, n) => `${SECRETS[0]}${n}`));
  const line =
    'A line of a log, 12:30:01.123 INFO worker=7 path=/a/b/c?x=%20y size=[1, 2, 3] "quoted" 00ff… \\n\n';
  hide.text(line);
  const of = (kB: number): Promise<number> =>
    processorMs(() => hide.text(line.repeat((kB * 1024) / line.length)));
  await of(64);
  const [small, large] = [await of(64), await of(512)];
  expect(large).toBeLessThan(8 * small * 3 + 2000);
});

test.each([
  ['numbers', '1, '.repeat(100_000)],
  ['dump lines', '00000000: 4865 6c6c\n'.repeat(20_000)],
  ['words', '=?utf-8?q?a?= '.repeat(20_000)],
  ['half words', '=?utf-8?q?a'.repeat(20_000)],
  ['carets', '^M-^M-'.repeat(50_000)],
  ['escapes', '\\2a'.repeat(100_000)],
  ['marks', '…'.repeat(200_000)],
  ['digits', '1'.repeat(300_000)],
])('%s by the ten thousand take no longer than their number', async (_, text) => {
  const hide = redactor();
  hide.add(SECRETS);
  expect(await processorMs(() => hide.text(text))).toBeLessThan(EXPLODED_MS);
});
