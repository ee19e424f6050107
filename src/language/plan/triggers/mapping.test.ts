/** What official engines give a playbook of a message, and what templates make of it. */
import { compileTrigger } from '../../dsl';
import { messageStart, type MessageStart } from './mapping';
import { type TriggerMessage } from './plan';

const ENVIRONMENT = { now: () => 0, random: () => 0 };
const MESSAGE: TriggerMessage = {
  id: '7',
  data: { order: 5, source: 'not this' },
  headers: { 'x-route': ['a/slow', 'a/express'], 'x-key': 'k1', 'x-class': 'gold' },
  attributes: { region: 'eu' },
  metadata: { subject: 's' },
};
const start = (rest: string, message: Partial<TriggerMessage> = {}): MessageStart | undefined => {
  const text = `kind: Subscription\nmetadata: {path: sub/a}\nspec:\n  source: postgres\n  auth: pg\n  table: t\n${rest.replace(/^/gm, '  ')}\n`;
  const { trigger, diagnostics } = compileTrigger(text);
  expect(diagnostics).toEqual([]);
  return messageStart(trigger!, { ...MESSAGE, ...message }, ENVIRONMENT);
};

test('the official workload: the primary at the top, under the three names', () => {
  const told = { message: MESSAGE, subscription: 'sub/a', source: 'postgres' };
  expect(start('dispatch: {playbook: a/b}')).toEqual({
    playbook: 'a/b',
    payload: { order: 5, ...told },
    applied: [],
  });
  expect(start('dispatch: {playbook: a/b, payload_from: message.attributes}')?.payload).toEqual({
    region: 'eu',
    ...told,
  });
  const text = JSON.stringify(MESSAGE.data);
  expect(start('dispatch: {playbook: a/b, payload_from: message.body}')?.payload).toEqual({
    body: text,
    ...told,
  });
  expect(start('dispatch: {playbook: a/b}', { data: [1] })?.payload).toMatchObject({ body: [1] });
});

test('templates see the message; types stay', () => {
  const workload =
    '{n: "{{ message.body.order }}", all: ["{{ message.text }}", 3], of: "{{ subscription }}/{{ source }}"}';
  expect(start(`dispatch: {playbook: a, workload: ${workload}, key: "o-{{ message.body.order }}"}`)).toEqual({
    playbook: 'a',
    payload: { n: 5, all: [JSON.stringify(MESSAGE.data), 3], of: 'sub/a/postgres' },
    key: 'o-5',
    applied: [],
  });
});

test.each([
  ['"{{ message.body.order > 5 }}"', false],
  ["\"{{ message.headers['x-class'] == 'gold' }}\"", true],
  ['"{{ message.body.nothing }}"', false],
  ['message.id == "7"', true],
])('where: %s', (where, isStarted) => {
  expect(
    start(`dispatch: {playbook: a, where: ${where.startsWith('"') ? where : `'${where}'`}}`) !== undefined,
  ).toBe(isStarted);
});

test('only what is listed instructs: the last of repeated headers, if it is allowed', () => {
  const directives = `dispatch: {playbook: a/b, execution_pool: usual}
headers:
  directives:
    - {header: X-Route, controls: dispatch.playbook, allowed: [a/b, a/express]}
    - {header: x-key, controls: idempotency_key}
    - {header: x-class, controls: priority, map: {gold: fast}}`;
  expect(start(directives)).toMatchObject({
    playbook: 'a/express',
    pool: 'fast',
    key: 'k1',
    payload: { idempotency_key: 'k1' },
    applied: [
      { header: 'x-route', controls: 'dispatch.playbook', effective_value: 'a/express' },
      { header: 'x-key', controls: 'idempotency_key', effective_value: 'k1' },
      { header: 'x-class', controls: 'priority', effective_value: 'fast' },
    ],
  });
  const others = { headers: { 'x-route': 'evil/one', 'x-class': 'constructor' } };
  expect(start(directives, others)).toMatchObject({ playbook: 'a/b', pool: 'usual', applied: [] });
});

test('a trace is continued, with the baggage that is listed', () => {
  const headers = {
    traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
    baggage: 'tenant=x,secret=y',
  };
  const trace = 'dispatch: {playbook: a}\nheaders: {trace: {propagate: w3c, baggage_allowlist: [tenant]}}';
  expect(start(trace, { headers })?.trace).toEqual({ traceparent: headers.traceparent, baggage: 'tenant=x' });
  expect(start(trace, { headers: { traceparent: 'nonsense' } })?.trace).toBeUndefined();
});

test('a key that is empty is an error of the message', () => {
  expect(() => start('dispatch: {playbook: a, key: "{{ message.body.missing }}"}')).toThrow(/dispatch.key/);
});
