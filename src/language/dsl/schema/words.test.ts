import { compile } from '../compile';
import { LOOP } from './loop';
import { PLAYBOOK } from './playbook';
import { STEP } from './step';
import { LOOP_WORDS, ROOT_WORDS, STEP_WORDS, wordIn } from './words';

const HEAD = 'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: words}\n';

/** The finding about one key, of the whole: `code: hint`. */
function told(key: string, playbook: string): string {
  const { diagnostics } = compile(HEAD + playbook);
  const found = diagnostics.filter(({ message }) => message.includes(`\`${key}\``));
  expect(found).toHaveLength(1);
  return `${found[0]!.code}: ${found[0]!.hint}`;
}

const ATTEMPTS = expect.stringMatching(/policy: \{rules: .*do: retry, attempts: 3/) as string;
const LOOPED = expect.stringContaining('`loop: {in: ') as string;
const NEXT = expect.stringMatching(/next: \{.*arcs: \[\{step: /) as string;

describe('a word of another product names what is written here', () => {
  test.each([
    ['retries', ATTEMPTS],
    ['maxRetries', ATTEMPTS],
    ['depends_on', NEXT],
    ['dependsOn', NEXT],
    ['needs', NEXT],
    ['run_after', NEXT],
    ['if', NEXT],
    ['on_failure', expect.stringContaining("event.name == 'step.failed'")],
    ['foreach', LOOPED],
    ['for_each', LOOPED],
    ['with_items', LOOPED],
    ['uses', expect.stringContaining('kind: playbook')],
    ['run', expect.stringContaining('kind: shell')],
    ['environment', expect.stringContaining('`env: {NAME')],
    ['outputs', expect.stringContaining('`set: {ctx.name')],
    ['inputs', 'NT2001: did you mean `input`?'],
  ])('at a step: %s', (key, hint) => {
    const finding = told(key, `workflow:\n- step: start\n  ${key}: {a: 1}\n  tool: {kind: noop}\n`);
    expect(finding).toEqual(hint);
    expect(finding).toMatch(/^NT2001/);
  });

  test.each([
    ['image', expect.stringContaining('kind: container')],
    ['script', expect.stringContaining('kind: script')],
    ['timeout_seconds', expect.stringContaining('`spec: {timeout: SECONDS}`')],
  ])('at a step, a field of tools: %s', (key, hint) => {
    const finding = told(key, `workflow:\n- step: start\n  ${key}: 3\n  tool: {kind: noop}\n`);
    expect(finding).toEqual(hint);
    expect(finding).toMatch(/^NT2007/);
  });

  test.each([
    ['retries', ATTEMPTS],
    ['depends_on', expect.stringContaining('as a list')],
    ['if', NEXT],
    ['when', NEXT],
    ['foreach', LOOPED],
    ['on_failure', expect.stringContaining('do: continue')],
    ['outputs', expect.stringContaining('`set: {ctx.name')],
    ['run', expect.stringContaining('kind: shell')],
    ['image', expect.stringContaining('kind: container')],
  ])('at a tool: %s', (key, hint) => {
    const finding = told(
      key,
      `workflow:\n- step: start\n  tool:\n    kind: http\n    url: https://example.com\n    ${key}: 3\n`,
    );
    expect(finding).toEqual(hint);
    expect(finding).toMatch(/^NT2052/);
  });

  test.each([
    ['items', 'NT2001: did you mean `in`?'],
    ['foreach', 'NT2001: did you mean `in`?'],
    ['as', 'NT2001: did you mean `iterator`?'],
    ['parallel', expect.stringContaining('`spec: {mode: parallel')],
    ['until', expect.stringContaining('`while: {when')],
    ['times', expect.stringContaining('range(3)')],
  ])('in a loop: %s', (key, hint) => {
    const others = key === 'as' ? 'in: [1]' : key === 'parallel' ? 'in: [1], iterator: n' : 'iterator: n';
    const list = /until|times/.test(key) ? ', in: [1]' : '';
    expect(
      told(
        key,
        `workflow:\n- step: start\n  loop: {${others}${list}, ${key}: ${key === 'as' ? 'n' : '[1]'}}\n  tool: {kind: noop}\n`,
      ),
    ).toEqual(hint);
  });

  test.each([
    ['inputs', 'NT2001: did you mean `workload`?'],
    ['env', expect.stringContaining('`workload`')],
    ['on', expect.stringContaining('noetl-temporal schedule')],
    ['timeout', expect.stringContaining('`executor: {spec: {timeout: SECONDS}}`')],
    ['description', expect.stringContaining('`metadata`')],
    ['outputs', expect.stringContaining('the last step')],
  ])('at the root: %s', (key, hint) => {
    expect(told(key, `${key}: {a: 1}\nworkflow: [{step: start, tool: {kind: noop}}]\n`)).toEqual(hint);
  });
});

test('what a kind reads, or what nobody closes, is no word of another product', () => {
  const tool = (text: string): unknown =>
    compile(`${HEAD}workflow: [{step: start, tool: ${text}}]`).diagnostics;
  expect(tool('{kind: container, image: alpine, timeout_seconds: 3}')).toEqual([]);
  expect(tool('{kind: python, script: {uri: ./a.py}}')).toEqual([]);
  const extension = `${HEAD}executor: {spec: {extensions: [dice]}}\nworkflow: [{step: start, tool: {kind: dice, uses: x, run: y}}]`;
  expect(compile(extension).diagnostics).toEqual([]);
});

test.each([
  ['root', PLAYBOOK, ROOT_WORDS],
  ['step', STEP, STEP_WORDS],
  ['loop', LOOP, LOOP_WORDS],
] as const)('words of the %s are none of its keys, and stand for keys that there are', (_, shape, words) => {
  const keys = Object.keys(shape.fields);
  expect(keys.filter((key) => wordIn(words, key) !== undefined)).toEqual([]);
  for (const word of Object.values(words)) if (typeof word === 'string') expect(keys).toContain(word);
});
