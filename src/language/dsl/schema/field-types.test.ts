/** Wrong inputs of each kind of tool, told of when the playbook is compiled: where, what, and what to write. */
import { compile } from '../compile';

/** `‹` stands before the place that is told of. */
const WRONG: readonly (readonly [tool: string, code: string, message: string])[] = [
  ['kind: http, ‹uri: x', 'NT2001', '`uri` is not a field of `http`'],
  ['kind: http, url: x, save_to: {store: ‹s3}', 'NT2004', '`store` is `results`, not the text "s3"'],
  [
    'kind: http, url: x, save_to: {‹file: x, store: results}',
    'NT2001',
    '`file` is not a key of a place to save to',
  ],
  ['kind: http, url: x, save_to: ‹[x]', 'NT2003', '`save_to` is a string or a mapping, not a list'],
  ['kind: http, url: x, json: {a: 1}, ‹body: b', 'NT2006', '`json` and `body` of `http` exclude each other'],
  ['kind: python, code: x, memory_mb: ‹-5', 'NT2003', '`memory_mb` is a whole number from 1'],
  ['kind: postgres, auth: a, table: t, mode: ‹merge, data: {a: 1}', 'NT2004', '`mode` is `insert`'],
  ['kind: duckdb, command: x, ‹sql: y', 'NT2006', '`command` and `sql` of `duckdb` exclude each other'],
  ['kind: shell, cmds: x, ‹commands: [y]', 'NT2006', '`cmds` and `commands` of `shell` exclude each other'],
  ['kind: script, code: x, args: ‹a b', 'NT2003', '`args` is a template or a list, not the text "a b"'],
  [
    'kind: container, image: x, limits: {‹memory: 1}',
    'NT2001',
    '`memory` is not a key of limits of a container',
  ],
  ['kind: container, image: x, pull: ‹sometimes', 'NT2004', '`pull` is `missing`, `always` or `never`'],
  ['kind: artifact, action: ‹pull', 'NT2004', '`action` is `put` or `get`, not the text "pull"'],
  ['kind: gcs, source: gs://b/c, action: ‹move', 'NT2004', '`action` is `upload`'],
  ['kind: nats, auth: n, operation: ‹kv_rename, bucket: b', 'NT2004', '`operation` is `kv_get`'],
  ['kind: secrets, provider: ‹keepass, secret: s', 'NT2004', '`provider` is `credential`'],
  ['kind: secrets, secret: s, auth: ‹{name: x}', 'NT2003', '`auth` is a string, not a mapping'],
  [
    'kind: transfer, source: {kind: ‹oracle}, target: {kind: postgres, auth: a, table: t}',
    'NT2004',
    '`kind` is `http`, `postgres`',
  ],
  [
    'kind: transfer, source: {kind: duckdb, query: x}, target: {kind: postgres, auth: a, ‹tabel: t}',
    'NT2002',
    'an end of a transfer has no such key',
  ],
];

const playbook = (tool: string): string => `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: x, path: x}
workflow: [{step: start, tool: {${tool}}}]
`;

test.each(WRONG)('%s', (tool, code, message) => {
  const written = playbook(tool);
  const text = written.replace('‹', '');
  const { diagnostics } = compile(text);
  expect(diagnostics).toContainEqual(
    expect.objectContaining({
      code,
      line: 4,
      column: written.split('\n')[3]!.indexOf('‹') + 1,
      message: expect.stringContaining(message) as string,
    }),
  );
  expect(diagnostics).toHaveLength(1);
});

test.each([
  'kind: container, image: x, limits: "{{ workload.limits }}", args: "{{ workload.items }}"',
  'kind: transfer, source: "{{ workload.source }}", target: "{{ workload.target }}"',
  'kind: artifact, action: GET, ref: "{{ workload.ref }}"',
  'kind: nats, auth: n, operation: "{{ workload.operation }}"',
])('a template may give any of them: %s', (tool) => {
  const names = ['limits', 'items', 'source', 'target', 'ref', 'operation'];
  const text = `${playbook(tool)}workload: {${names.map((name) => `${name}: x`).join(', ')}}\n`;
  expect(compile(text).diagnostics).toEqual([]);
});
