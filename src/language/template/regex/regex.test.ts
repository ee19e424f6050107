import fs from 'node:fs';
import path from 'node:path';
import { evaluate, parseTemplate, type TemplateError } from '..';
import { EXPLODED_MS, processorMs } from '../../../../test/support/processor-time';
import { isNightly, someOf } from '../../../../test/support/sampled';

type Pair = readonly [pattern: string, flags: string, text: string, operation: string, answer: unknown];
interface Corpus {
  readonly refused: readonly string[];
  readonly pairs: readonly Pair[];
}
const file = path.resolve('test/fixtures/regex/pairs.json');
const { refused, pairs } = JSON.parse(fs.readFileSync(file, 'utf8')) as Corpus;

const OPERATIONS: Readonly<Record<string, string>> = {
  search: 'text | regex_search(pattern, ignorecase=i, multiline=m)',
  groups: 'text | regex_search(pattern, *all, ignorecase=i, multiline=m)',
  match: 'text is match(pattern, ignorecase=i, multiline=m)',
  findall: 'text | regex_findall(pattern, ignorecase=i, multiline=m)',
  replace: "text | regex_replace(pattern, '<>', ignorecase=i, multiline=m)",
  'replace once': "text | regex_replace(pattern, '<>', count=1, ignorecase=i, multiline=m)",
  'replace grouped': "text | regex_replace(pattern, '[\\\\1]', ignorecase=i, multiline=m)",
  split: 'text | regex_split(pattern, ignorecase=i)',
  'split once': 'text | regex_split(pattern, maxsplit=1, ignorecase=i)',
};
const templates = new Map(
  Object.entries(OPERATIONS).map(([name, source]) => [name, parseTemplate(`{{ ${source} }}`)]),
);

function answer(operation: string, names: Record<string, unknown>, budget = { left: 400_000 }): unknown {
  const scope = { lookup: (name: string) => names[name] };
  return evaluate(templates.get(operation)!, scope, { now: () => 0, random: () => 0.5, budget });
}

describe('patterns mean what they mean in Python', () => {
  const patterns = [...new Set(pairs.map(([pattern]) => pattern))];

  it('the corpus is of the size that is promised', () => {
    expect(pairs.length).toBeGreaterThan(2000);
    expect(
      new Set(pairs.map(([pattern, flags, text]) => JSON.stringify([pattern, flags, text]))).size,
    ).toBeGreaterThan(300);
  });

  it.each(patterns)('%s', (pattern) => {
    for (const [, flags, text, operation, expected] of pairs.filter(([one]) => one === pattern)) {
      const groups = operation === 'groups' && Array.isArray(expected) ? expected.length : 0;
      const all = Array.from({ length: groups }, (_, i) => String(i + 1));
      const names = { text, pattern, i: flags.includes('i'), m: flags.includes('m'), all };
      // A search that fails has no groups to ask for.
      expect([operation, text, flags, answer(operation, names)]).toEqual([operation, text, flags, expected]);
    }
  });

  it.each(refused)('neither accepts %s', (pattern) => {
    expect(() => answer('search', { text: 'a', pattern })).toThrow(
      expect.objectContaining({ code: 'NT4113' }),
    );
  });

  it.each([String.raw`(\w+)\s+\1`, '(?P<a>.)(?P=a)', '(a)(?(1)b|c)', 'a++', '(?>a)'])(
    '%s is refused',
    (pattern) => {
      expect(() => answer('search', { text: 'a', pattern })).toThrow(
        /pattern is wrong at character \d+: .*not supported/,
      );
    },
  );
});

/** A page of 2 MB, mostly of ordinary words. */
function page(): string {
  const words = 'Lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod'.split(' ');
  const lines: string[] = [];
  for (let size = 0, i = 0; size < 2_000_000; i++) {
    const [a, b, c] = [words[i % 11]!, words[(i * 7) % 11]!, words[(i * 3) % 11]!];
    lines.push(
      `<p>${a} ${b} ${i} ${c} <a href="https://example.com/${a}/${i}">${b}@example.org</a> 2026-11-${10 + (i % 20)}</p>`,
    );
    size += lines.at(-1)!.length + 1;
  }
  return lines.join('\n');
}

describe('time', () => {
  const text = page();

  const FAST = [
    ['findall', String.raw`\d+`],
    ['findall', '[a-z]+@[a-z.]+'],
    ['findall', '(?<=href=")[^"]*'],
    ['findall', String.raw`^\S+`],
    ['findall', String.raw`(\d{4})-(\d\d)-(\d\d)`],
    ['findall', '<[^>]+>'],
    ['replace', String.raw`\s+`],
    ['split', String.raw`\n`],
    ['search', 'nowhere|neither'],
    ['findall', String.raw`\b[A-Z]\w+`],
    ['findall', String.raw`[\w.+-]{1,64}@[\w-]+\.[\w.]+`],
    ['search', String.raw`\s+$`],
  ] as const;
  it.each(someOf(FAST, 3))('%s of %s in 2 MB', async (operation, pattern) => {
    let found: unknown;
    const took = await processorMs(() => {
      found = answer(operation, { text, pattern, i: false, m: true });
    });
    expect(found).toBeDefined();
    expect(took).toBeLessThan(EXPLODED_MS);
  });

  const repeated: readonly string[] = ['a', 'aab 😀\n'];
  const evil: readonly string[] = [
    '(?<=a)a',
    '(a+)+$',
    '(a|aa)+$',
    '(a|a)*b',
    'a*b',
    'a*?b',
    '(?=.*b)a',
    '(a*)*b',
    '(?:a?){30}c',
    String.raw`\w{1,64}@`,
    'a{0,1000}b',
    '(?:ab|a){0,500}c',
    '(x*)*(x*)*y',
    'a(?=a*)',
    '(?<!b)a*c',
    '(?i)(a|A)*z',
    '((a*)*)*b',
    '(?:(?:|)(?:|)(?:|)a?)*c',
    '(.*)(.*)(.*)c',
    '(?=(?=(?=.*b).*b).*b)c',
    String.raw`(\s|.)*$c`,
    '(?:.|\n)*?c',
  ];

  it.each(someOf(evil, 2))('%s in a text of 200,000 characters', async (pattern) => {
    for (const part of repeated) {
      const names = { text: part.repeat(200_000 / part.length), pattern, i: false, m: false };
      expect(await timeOf(names)).toBeLessThan(EXPLODED_MS);
    }
  });

  it('random patterns on texts of 200,000 characters', async () => {
    const random = generator(7);
    for (let i = 0; i < Number(process.env['REGEX_PATTERNS'] ?? (isNightly ? 25 : 8)); i++) {
      const pattern = randomPattern(random, 4);
      const part = repeated[Math.floor(random() * repeated.length)]!;
      const names = {
        text: part.repeat(200_000 / part.length),
        pattern,
        i: random() < 0.2,
        m: random() < 0.2,
      };
      const took = await timeOf(names);
      if (!(took < EXPLODED_MS))
        throw new Error(`${took} ms: ${JSON.stringify(pattern)} in ${JSON.stringify(part)}`);
    }
  });

  it('what a pattern takes grows with the text, not with its square', () => {
    for (const pattern of ['(?<=href=")[^"]*', '[a-z]+@', String.raw`\s+$`, 'a*b', '(a+)+$', '(a|b)*?c']) {
      const [short, long] = [20_000, 40_000].map((size) => {
        const budget = { left: 400_000 };
        answer('findall', { text: 'a'.repeat(size), pattern }, budget);
        return 400_000 - budget.left;
      });
      expect(long! / short!).toBeLessThan(2.1);
    }
  });

  async function timeOf(names: Record<string, unknown>): Promise<number> {
    return await processorMs(() => {
      try {
        answer('findall', names);
      } catch (error) {
        // Counts of counts can be too large for a pattern.
        expect((error as TemplateError).message).toMatch(/too many steps|too large/);
      }
    });
  }
});

function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const ATOMS = ['a', 'b', '.', '[ab]', '[^a]', String.raw`\w`, String.raw`\s`, '😀', '^', '$', String.raw`\b`];
const COUNTS = ['*', '+', '?', '*?', '+?', '{2}', '{0,9}', '{1,}', '{3,500}'];

function randomPattern(random: () => number, depth: number): string {
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!;
  const parts = Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
    if (depth === 0 || random() < 0.5) {
      const atom = pick(ATOMS);
      return /^[$^]$|^\\b$/.test(atom) || random() < 0.5 ? atom : atom + pick(COUNTS);
    }
    const inner = randomPattern(random, depth - 1);
    if (random() < 0.15) return `${pick(['(?=', '(?!'])}${inner})`;
    return `${pick(['(', '(?:'])}${inner}${random() < 0.3 ? `|${randomPattern(random, depth - 1)}` : ''})${random() < 0.6 ? pick(COUNTS) : ''}`;
  });
  return parts.join('');
}
