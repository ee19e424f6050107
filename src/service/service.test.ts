import { LanguageService } from '.';
import { resultsOfRehearsal } from './names/mocks';

const HEAD = `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: shop, path: shop/orders }
workload: { api: "https://example.com", pg_auth: pg, customers: [{ id: 1, city: Bern }] }
workflow:
`;

const service = new LanguageService({
  credentials: ['pg_prod'],
  playbooks: new Map([['shop/bill', ['order', 'total']]]),
  resultsFor: () => resultsOfRehearsal('mocks: { fetch: { body: { orders: [{ no: 7 }], more: true } } }'),
});

/** The proposals at `¦`; the workflow of a text that begins with a dash. */
function proposed(text: string): string[] {
  const whole = text.startsWith('-') ? HEAD + text : text;
  const offset = whole.indexOf('¦');
  service.openDocument('a', whole.replace('¦', ''));
  return service.completionsAt('a', offset).proposals.map(({ label }) => label);
}

const FETCH = `- step: start
  tool: { kind: http, url: "{{ workload.api }}" }
  next: { arcs: [{ step: fetch }] }
- step: fetch
  loop: { in: "{{ workload.customers }}", iterator: customer }
  tool:
    kind: http
    url: "{{ workload.api }}"
  next: { arcs: [{ step: store }] }
`;

test.each([
  ['the root', '¦', ['apiVersion']],
  ['the root goes on', 'apiVersion: noetl.io/v2\n¦', ['kind']],
  ['a step', '- step: start\n  ¦', ['tool', 'desc']],
  ['a tool', '- step: start\n  tool:\n    ¦', ['kind']],
  ['kinds', '- step: start\n  tool:\n    kind: ¦', ['python', 'http', 'postgres']],
  ['a kind that is begun', '- step: start\n  tool:\n    kind: post¦', ['postgres']],
  ['keys of a kind', '- step: start\n  tool:\n    kind: http\n    ¦\n', ['url', 'method']],
  ['keys in braces', '- step: start\n  tool: { kind: http, ¦ }', ['url', 'method']],
  ['words of a key', '- step: start\n  tool:\n    kind: http\n    method: ¦', ['GET', 'POST']],
  [
    'rules',
    '- step: start\n  tool:\n    kind: http\n    spec:\n      policy:\n        rules:\n          - when: x\n            then: { do: ¦',
    ['retry', 'fail'],
  ],
  [
    'the next step in an arc',
    '- step: start\n  tool: { kind: noop }\n  next:\n    arcs:\n      - step: ¦\n- step: load\n  tool: { kind: noop }',
    ['load'],
  ],
  [
    'a step that an arc names already',
    '- step: start\n  tool: { kind: noop }\n  next: { arcs: [{ step: load }] }\n- step: ¦',
    ['load'],
  ],
  [
    'a name',
    `${FETCH}- step: store\n  tool:\n    kind: noop\n    input: { api: "{{ ¦ }}" }`,
    ['fetch', 'workload', 'api'],
  ],
  [
    'an input of the playbook',
    '- step: start\n  tool: { kind: http, url: "{{ workload.¦ }}" }',
    ['api', 'customers'],
  ],
  [
    'a field of an item',
    '- step: start\n  loop: { in: "{{ workload.customers }}", iterator: c }\n  tool: { kind: http, url: "{{ c.¦ }}" }',
    ['id', 'city'],
  ],
  [
    'a field from a rehearsal',
    '- step: fetch\n  tool: { kind: http, url: a }\n  set: { ctx.more: "{{ fetch.¦" }',
    ['orders', 'more'],
  ],
  [
    'a field below it',
    '- step: fetch\n  tool: { kind: http, url: a }\n  set: { ctx.more: "{{ fetch.orders[0].¦',
    ['no'],
  ],
  [
    'a field of the outcome',
    '- step: start\n  tool:\n    kind: python\n    code: |\n      result = {"count": 1}\n    set: { n: "{{ output.data.¦',
    ['count'],
  ],
  ['a filter', '- step: start\n  tool: { kind: http, url: "{{ workload.api | ¦ }}" }', ['default', 'tojson']],
  [
    'what an event is called',
    `- step: start\n  tool: { kind: noop }\n  next:\n    arcs:\n      - step: end\n        when: "{{ event.name == '¦`,
    ['step.done', 'step.failed'],
  ],
  [
    'a credential',
    '- step: start\n  tool: { kind: postgres, auth: ¦',
    ['pg_prod', '"{{ workload.pg_auth }}"'],
  ],
  ['a sub-playbook', '- step: start\n  tool:\n    kind: playbook\n    path: ¦', ['shop/bill']],
  [
    'inputs of a sub-playbook',
    '- step: start\n  tool:\n    kind: playbook\n    path: shop/bill\n    input:\n      ¦',
    ['order', 'total'],
  ],
  [
    'a task to jump to',
    '- step: start\n  tool:\n    - name: a\n      kind: noop\n      spec: { policy: { rules: [{ else: { then: { do: jump, to: ¦ } } }] } }\n    - { name: b, kind: noop }',
    ['a', 'b'],
  ],
  ['a rehearsal', 'playbook: ./a.yaml\n¦', ['rehearsals']],
])('completes %s', (_, text, expected) => {
  const first = proposed(text).slice(0, 4);
  expect(first).toEqual(expect.arrayContaining(expected.slice(0, 1)));
  expect(proposed(text)).toEqual(expect.arrayContaining(expected));
});

test.each([
  ['comments', '- step: start # ¦'],
  ['code', '- step: start\n  tool:\n    kind: python\n    code: |\n      x¦ = 1'],
  ['the text of a description', '- step: start\n  desc: some words ¦'],
])('proposes nothing in %s', (_, text) => {
  expect(proposed(text)).toEqual([]);
});

test('a key that is there is not proposed again, and an old one never first', () => {
  const keys = proposed('- step: start\n  ¦\n  tool: { kind: noop }');
  expect(keys).not.toContain('tool');
  expect(keys).not.toContain('when');
  expect(keys.slice(0, 5)).not.toContain('vars');
});

test('diagnostics have their fixes', () => {
  service.openDocument('a', `${HEAD}- step: start\n  tool: { kind: http, ulr: "{{ workload.api }}" }\n`);
  const [first] = service.diagnosticsOf('a').filter(({ fix }) => fix);
  expect(first?.fix?.edits).toEqual([expect.objectContaining({ text: 'url' })]);
});

test('hovers over keys, kinds, names, fields and filters', () => {
  const text = `${HEAD}${FETCH}- step: store\n  tool: { kind: noop, input: { n: "{{ fetch.results[0].orders | length }}", c: "{{ workload.api }}" } }\n`;
  service.openDocument('a', text);
  const hover = (word: string, skip = 0): string | undefined =>
    service.hoverAt('a', text.indexOf(word) + skip)?.markdown;
  expect(hover('loop:')).toContain('once for every item');
  expect(hover('http, url')).toContain('Required: `url`');
  expect(hover('workload.api }}', 10)).toContain('https://example.com');
  expect(hover('fetch.results', 1)).toContain('the result of a step');
  expect(hover('orders | length')).toContain('"no":7');
  expect(hover('length }}')).toContain('**filter**');
  expect(hover('step: store', 7)).toContain('a step of noop');
});

test('says what a filter accepts', () => {
  const text = `${HEAD}- step: start\n  tool: { kind: noop, input: { a: "{{ workload.api | replace('a', `;
  service.openDocument('a', text);
  expect(service.signatureAt('a', text.length)).toMatchObject({
    active: 1,
    parameters: ['old', 'new', 'count?'],
  });
});

test('an unknown document has no answers', () => {
  expect(service.completionsAt('nowhere', 3)).toEqual({ from: 3, to: 3, proposals: [] });
  expect([
    service.diagnosticsOf('nowhere'),
    service.symbolsOf('nowhere'),
    service.lensesOf('nowhere'),
  ]).toEqual([[], [], []]);
});
