import { playbookOf } from '../../../../test/support/simulator';
import { compile } from '../compile';
import { everyTask } from '../../plan';

const HEAD = (spec: string): string => `executor: {kind: local, spec: {${spec}}}`;
const compiled = (steps: string, more = '') => compile(playbookOf(steps, more), { file: 'a.yaml' });
/** Caches by task. */
const caches = (steps: string, more = ''): Record<string, unknown> => {
  const { plan, diagnostics } = compiled(steps, more);
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  const tasks = plan!.steps.flatMap(everyTask);
  return Object.fromEntries(
    tasks.map(({ name, spec: { options } }) => [
      name,
      'const' in options ? (options.const as { cache?: unknown }).cache : options,
    ]),
  );
};
const path = expect.any(String) as string;

test('a cache is inherited like other settings, key by key, and only by tasks that have results to keep', () => {
  const found = caches(
    `
- step: start
  spec: {cache: {version: 2}}
  loop: {in: [1], iterator: n, spec: {cache: {ttl: 5m}}}
  tool:
    - {name: a, kind: http, url: "http://x"}
    - {name: b, kind: http, url: "http://x", spec: {cache: {key: k}}}
    - {name: c, kind: http, url: "http://x", spec: {cache: false}}
    - {name: d, kind: noop}
    - {name: e, kind: secrets, secret: s}
    - {name: f, kind: http, url: "http://x", spec: {sensitive: [data]}}
- step: other
  tool: {name: g, kind: http, url: "http://x", spec: {cache: true}}`,
    HEAD('cache: {ttl: 1h}'),
  );
  expect(found).toEqual({
    a: { path, ttl: '5m', version: 2 },
    b: { path, ttl: '5m', version: 2, key: 'k' },
    g: { path, ttl: '24h' },
  });
});

test('a key may be a template, and a sink does not inherit the cache of its step', () => {
  const { plan } = compiled(`
- step: start
  spec: {cache: {key: "{{ workload.day }}"}}
  tool: {name: a, kind: http, url: "http://x"}
  case:
    - when: "{{ event.name == 'call.done' }}"
      then: {sink: {tool: {kind: postgres, auth: db, table: t, args: {a: 1}}}}`);
  const [a, sink] = plan!.steps.flatMap(everyTask);
  expect(a!.spec.options).toMatchObject({
    map: [
      [
        'cache',
        {
          map: [
            ['path', {}],
            ['ttl', {}],
            ['key', {}],
          ],
        },
      ],
    ],
  });
  expect(sink!.spec.options).toEqual({ const: {} });
});

test.each([
  ['{kind: wait, for: 1s, spec: {cache: true}}', 'runs no tool'],
  ['{kind: playbook, path: a/b, spec: {cache: {ttl: 1h}}}', 'runs no tool'],
  ['{kind: secrets, secret: s, spec: {cache: true}}', 'returns a secret'],
  ['{kind: artifact, data: 1, spec: {cache: true}}', 'stores and reads values of its execution'],
  ['{kind: http, url: "http://x", spec: {sensitive: [data], cache: true}}', '`sensitive` values'],
])('%s: %s', (tool, why) => {
  const { diagnostics } = compiled(`\n- step: start\n  tool: ${tool}`);
  expect(diagnostics).toMatchObject([
    {
      code: 'NT2058',
      severity: 'error',
      hint: 'remove `cache`',
      message: expect.stringContaining(why) as string,
    },
  ]);
});

test('at a step without a result to keep, the reason is said; elsewhere wrong fields are', () => {
  const at = (steps: string): unknown[] => compiled(steps).diagnostics.map(({ code }) => code);
  expect(at(`\n- step: start\n  spec: {cache: true}\n  tool: {kind: noop}`)).toEqual(['NT2058']);
  expect(at(`\n- step: start\n  tool: {kind: http, url: "http://x", spec: {cache: {tll: 1h}}}`)).not.toEqual(
    [],
  );
  expect(
    at(`\n- step: start\n  tool: {kind: http, url: "http://x", spec: {cache: {ttl: soon}}}`),
  ).not.toEqual([]);
});
