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
  test.each(['provider', 'subscription', 'gateway'])('%s compiles, with a warning', (kind) => {
    expect(told(`{kind: ${kind}}`)).toEqual([`NT2055 warning: ${kind}`]);
    expect(compile(`${HEAD}workflow: [{step: start, tool: {kind: ${kind}}}]`).plan).toBeDefined();
  });

  test('it is an error under --strict', () => {
    expect(told('{kind: gateway}', { strict: true })).toEqual(['NT2055 error: gateway']);
    expect(told('{kind: noop}', { strict: true })).toEqual([]);
  });

  test('a worker of your own serves it', () => {
    const root = 'executor: {spec: {extensions: [gateway]}}\n';
    expect(told('{kind: gateway, path: a}', { strict: true }, root)).toEqual([]);
    const text = `${HEAD}${root}workflow: [{step: start, tool: {kind: gateway}}]`;
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

describe('the form of a wait', () => {
  const asks = (form: string): string[] => told(`{kind: wait, event: e, timeout: 5, form: ${form}}`);

  test.each([
    '{}',
    '{title: "{{ 1 }}?", text: x, fields: {a: {type: string, label: A, default: x, enum: [x, y]}}, who: {scope: read, tokens: [t], link: 2d}}',
    '{fields: {a: {type: number, maximum: "{{ 5 }}", enum: "{{ [1] }}"}}, who: {link: "{{ 5 }}"}}',
  ])('%s is one', (form) => {
    expect(asks(form)).toEqual([]);
  });

  test.each([
    ['{titel: x}', 'NT2001 error: titel'],
    ['{fields: {a: {type: strnig}}}', 'NT2004 error: strnig'],
    ['{fields: {a: {tpye: string}}}', 'NT2001 error: tpye'],
    ['{fields: {by: {type: string}}}', 'NT2004 error: form'],
    ['{fields: {pin: {type: string, secret: true}}}', 'NT2004 error: form'],
    ['{who: {link: soon}}', 'NT2004 error: form'],
    ['{who: {scope: everybody}}', 'NT2004 error: everybody'],
  ])('%s is told of', (form, ...findings) => {
    expect(asks(form)).toEqual(findings);
  });

  test('it needs an event, and excludes `when`', () => {
    expect(told('{kind: wait, for: 5, form: {}}')).toEqual(['NT2051 error: form']);
    expect(told('{kind: wait, event: e, timeout: 5, form: {}, when: "{{ true }}"}')).toEqual([
      'NT2006 error: form',
    ]);
  });
});
