import { compile, type CompileOptions } from '../compile';

const HEAD = 'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: tools}\n';

/** Findings of one tool, as `code: what is underlined`. */
function told(tool: string, options: CompileOptions = {}, root = ''): string[] {
  const text = `${HEAD}${root}workflow:\n- step: start\n  tool: ${tool}\n`;
  const lines = text.split('\n');
  return compile(text, options).diagnostics.map(
    ({ code, severity, line, column, endColumn }) =>
      `${code} ${severity}: ${lines[line - 1]!.slice(column - 1, endColumn - 1)}`,
  );
}

describe('a tool without a credential (NT2054)', () => {
  test.each([
    '{kind: postgres, query: select 1}',
    '{kind: postgres, query: select 1, auth: }',
    "{kind: postgres, query: select 1, auth: ''}",
    '{kind: postgres, query: select 1, credential: {}}',
    '{kind: snowflake, query: select 1}',
    '{kind: nats, operation: kv_get, bucket: b, key: k}',
  ])('is told of %s', (tool) => {
    expect(told(tool)).toEqual(['NT2054 warning: kind']);
  });

  test.each([
    '{kind: postgres, query: select 1, auth: pg_local}',
    '{kind: postgres, query: select 1, credential: pg_local}',
    '{kind: postgres, query: select 1, spec: {auth: pg_local}}',
    '{kind: postgres, query: select 1, auth: {type: postgres, credential: pg_local}}',
    '{kind: snowflake, query: select 1, auth: sf}',
    '{kind: duckdb, query: select 1}',
    '{kind: gcs, source: gs://b/n}',
    '{kind: http, url: https://example.com}',
  ])('is not told of %s', (tool) => {
    expect(told(tool)).toEqual([]);
  });

  test('an end of a transfer is a tool of its own', () => {
    const source = '{kind: postgres, auth: a, query: select 1}';
    expect(told(`{kind: transfer, source: ${source}, target: {kind: snowflake, table: t}}`)).toEqual([
      'NT2054 warning: target',
    ]);
    expect(told(`{kind: transfer, source: ${source}, target: {kind: duckdb, table: t}}`)).toEqual([]);
  });

  test('a sink is a task', () => {
    const text = (auth: string): string =>
      `${HEAD}workflow:\n- step: start\n  tool: {kind: noop}\n  sink: {tool: {kind: postgres, table: t${auth}}, args: {a: 1}}\n`;
    expect(compile(text('')).diagnostics.map(({ code }) => code)).toEqual(['NT2054']);
    expect(compile(text(', auth: pg')).diagnostics).toEqual([]);
  });
});

describe('a kind that nobody serves (NT2055)', () => {
  test.each(['agent', 'provider', 'subscription', 'gateway'])('%s compiles, with a warning', (kind) => {
    expect(told(`{kind: ${kind}}`)).toEqual([`NT2055 warning: ${kind}`]);
    expect(compile(`${HEAD}workflow: [{step: start, tool: {kind: ${kind}}}]`).plan).toBeDefined();
  });

  test('it is an error under --strict', () => {
    expect(told('{kind: agent}', { strict: true })).toEqual(['NT2055 error: agent']);
    expect(told('{kind: noop}', { strict: true })).toEqual([]);
  });

  test('a worker of your own serves it', () => {
    const root = 'executor: {spec: {extensions: [agent]}}\n';
    expect(told('{kind: agent, path: a}', { strict: true }, root)).toEqual([]);
    const text = `${HEAD}${root}workflow: [{step: start, tool: {kind: agent}}]`;
    expect(compile(text).plan!.steps[0]!.tasks[0]).not.toHaveProperty('unavailable');
  });

  test('an unknown kind stays an error with a near name', () => {
    expect(told('{kind: agnt}')).toEqual(['NT2050 error: agnt']);
  });
});

test('a wait for an event without a limit is worth knowing (NT2056)', () => {
  expect(told('{kind: wait, event: paid}')).toEqual(['NT2056 info: event']);
  expect(told('{kind: wait, event: paid, timeout: }')).toEqual(['NT2056 info: event']);
  expect(told('{kind: wait, event: paid, timeout: 60}')).toEqual([]);
  expect(told('{kind: wait, for: 60}')).toEqual([]);
});
