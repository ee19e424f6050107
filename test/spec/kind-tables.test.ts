/** What stands about every kind of tool outside of its own files is made from its declaration and its tests (test/kinds). */
import fs from 'node:fs';
import path from 'node:path';
import { runsCode } from '../../src/cli/runtime/code-workers';
import { LOCAL_KIND, TOOL_KINDS } from '../../src/language/plan';
import { KIND_TESTS } from '../support/kind-tests';
import { ROOT } from '../support/process';

const KINDS = Object.entries(TOOL_KINDS);

type Row = readonly string[];
const table = (head: Row, rows: readonly Row[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');

/** Rows that differ in their first cell only become one. */
function merged(rows: readonly Row[]): Row[] {
  const found = new Map<string, Row[]>();
  for (const row of rows) {
    const rest = row.slice(1).join('|');
    found.set(rest, [...(found.get(rest) ?? []), row]);
  }
  return [...found.values()].map((same) => [same.map(([kind]) => kind!).join(', '), ...same[0]!.slice(1)]);
}

const tools = (): string =>
  table(
    ['Kind', 'Purpose', 'Example', 'Default timeout'],
    KINDS.map(([kind, { doc, timeout }]) => [
      `[${kind}](${kind}.md)`,
      doc.replace(/\.$/, ''),
      `[${kind}.yaml](../../playbooks/tools/${kind}.yaml)`,
      `${timeout} s`,
    ]),
  );

const against = (): string =>
  table(
    ['Kind', 'Tested against', 'Not testable here'],
    merged(
      Object.entries(KIND_TESTS).map(([kind, tests]) => [kind, tests.against.real, tests.against.not ?? '']),
    ),
  );

const delivery = (): string =>
  table(
    [
      'Kind',
      'No fault, or an error the tool reports',
      'Worker stopped (SIGTERM), task ends within `--grace`',
      'Worker killed, cut off or stopped too early',
      '… with `delivery: at_most_once`',
    ],
    [
      ...merged(
        KINDS.map(([kind, declared]) => [
          `\`${kind}\``,
          ...(declared.delivery === 'reads only'
            ? Array<string>(4).fill(declared.delivery)
            : ['once', 'once', declared.delivery.killed, declared.delivery.atMostOnce ?? 'at most once']),
        ]),
      ),
      ['extensions', 'once', 'once', 'at least once; their program gets the key', 'at most once'],
      [
        '`noop`, `event_log`, `iterator`, `wait`, `playbook`',
        'exactly once: decided by the engine, recorded in history',
        ...Array<string>(3).fill('exactly once'),
      ],
    ],
  );

/** What stands between `<!-- made: name -->` and `<!-- end: name -->`. */
function between(text: string, name: string, made: string): string {
  const [begin, end] = [`<!-- made: ${name} -->\n`, `<!-- end: ${name} -->`];
  const [from, to] = [text.indexOf(begin) + begin.length, text.indexOf(end)];
  expect(from).toBeGreaterThan(begin.length);
  expect(to).toBeGreaterThanOrEqual(from);
  return text.slice(0, from) + made + text.slice(to);
}

/** Adds what is missing before the entry of local loops; what stands there may have been changed by hand. */
function added(text: string, entryOf: (kind: string) => readonly [found: string, made: string]): string {
  const at = text.indexOf('  # Loops with `exec: local`');
  expect(at).toBeGreaterThan(0);
  const missing = KINDS.map(([kind]) => entryOf(kind)).filter(([found]) => !text.includes(found));
  return text.slice(0, at) + missing.map(([, made]) => made).join('') + text.slice(at);
}

const FILES: Readonly<Record<string, (text: string) => string>> = {
  'docs/tools/README.md': (text) => between(between(text, 'kinds', tools()), 'against', against()),
  'docs/guarantees.md': (text) => between(text, 'delivery', delivery()),
  'docker-compose.temporal.yml': (text) =>
    added(text, (kind) => [
      `\n  worker-${kind}:\n`,
      `  worker-${kind}:\n    <<: *${runsCode(kind) ? 'code-' : ''}worker\n` +
        `    command: ['worker', '--kinds', '${kind}', '--health-port', '8090']\n\n`,
    ]).replace(
      /--scopes worker --granted --kinds \S+/,
      `--scopes worker --granted --kinds ${[...Object.keys(TOOL_KINDS).filter(runsCode), LOCAL_KIND].join(',')}`,
    ),
  'deploy/helm/noetl-temporal/values.yaml': (text) =>
    added(text, (kind) => [`\n  ${kind}: {`, `  ${kind}: {}\n`]),
};

test.each(Object.keys(FILES))(
  '%s has every kind as it is declared (UPDATE_REFERENCE=1 writes it)',
  (name) => {
    const file = path.join(ROOT, name);
    const text = fs.readFileSync(file, 'utf8');
    const made = FILES[name]!(text);
    if (process.env.UPDATE_REFERENCE === '1') fs.writeFileSync(file, made);
    else expect(text).toBe(made);
  },
);
