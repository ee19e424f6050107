/** Forms of waits, answered over REST, by the command line and by links; each by one, once, in time. */
import { createSecretKey, randomBytes } from 'node:crypto';
import { byToken } from '../../src/server/facade';
import { Tokens } from '../../src/server/store';
import { keyRing } from '../../src/storage/keyring';
import { answerLinkPath } from '../../src/storage/sealed';
import { startFacade, type TestFacade } from '../support/facade';
import { inProcess } from '../support/program';
import { playbookOf } from '../support/simulator';
import { type Stack, startStack } from '../support/stack';
import { until } from '../support/until';

const keys = keyRing([{ kid: 'a', key: createSecretKey(randomBytes(32)) }]);

let stack: Stack;
let facade: TestFacade;
let guarded: TestFacade;
const tokens: Record<string, string> = {};
beforeAll(async () => {
  stack = await startStack({ kinds: [] });
  facade = await startFacade(stack, { over: { keys } });
  const known = new Tokens(facade.services.database);
  const authentication = byToken(known, () => undefined);
  guarded = await startFacade(stack, {
    over: { keys, database: facade.services.database, authenticate: authentication.authenticate },
  });
  for (const [name, scope] of [
    ['reader', 'read'],
    ['finance', 'read'],
    ['runner', 'run'],
    ['root', 'admin'],
  ] as const)
    [tokens[name]] = await known.create({ name, scopes: [scope] });
});
afterAll(async () => {
  await guarded?.stop();
  await facade?.stop();
  await stack?.stop();
  expect([...facade.reported, ...guarded.reported]).toEqual([]);
});

const asks = (who: string): string =>
  playbookOf(`
- step: start
  tool:
    kind: wait
    event: asked
    timeout: 1h
    form:
      title: "<b>Pay {{ 100 * 9 }}?</b>"
      text: "Line one\\nline two"
      fields:
        amount: {type: number, label: "Amount & more", required: true, maximum: 900}
        urgent: {type: boolean}
        tone: {type: string, enum: [kind, strict], default: kind}
      who: ${who}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {said: "{{ start }}"}}`);

async function asked(who = '{scope: run, link: true}', yaml = asks(who)) {
  const handle = await stack.start(stack.compile(yaml));
  const id = handle.workflowId.replace('noetl-', '');
  const waits = async () =>
    (await rest(facade, 'GET', `/api/executions/${id}/waits`)).body['waits'] as object[];
  await until(async () => (await waits()).length > 0);
  return {
    handle,
    id,
    result: async () => ((await handle.result()) as { result: { said: unknown } }).result.said,
  };
}

async function rest(at: TestFacade, method: string, path: string, body?: object, token?: string) {
  const response = await fetch(`${at.url}${path}`, {
    method,
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const answer = (id: string, given: object, at = facade, token?: string) =>
  rest(at, 'POST', `/api/executions/${id}/answer`, { answer: given }, token);

async function linkOf(id: string): Promise<string> {
  const { body } = await rest(facade, 'POST', `/api/executions/${id}/answer-link`, {});
  return String(body['url']);
}

/** As a browser that has no scripts. */
async function browse(url: string, form?: Record<string, string>) {
  const response = await fetch(url, {
    method: form ? 'POST' : 'GET',
    headers: { accept: 'text/html', ...(form && { origin: new URL(url).origin }) },
    ...(form && { body: new URLSearchParams(form) }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

test('the form is checked by the server, which names the field; the answer says who gave it', async () => {
  const { id, result } = await asked();
  const { body } = await rest(facade, 'GET', `/api/executions/${id}/waits`);
  expect(body['waits']).toMatchObject([
    { step: 'start', event: 'asked', form: { title: '<b>Pay 900?</b>' } },
  ]);
  expect(await answer(id, { amount: '12' })).toMatchObject({
    status: 422,
    body: {
      code: 'ANSWER_INVALID',
      at: 'answer.amount',
      detail: 'answer.amount must be a number, not a string',
    },
  });
  expect(await answer(id, { amount: 12, extra: 1 })).toMatchObject({ body: { at: 'answer.extra' } });
  // A plain event does not end it.
  const event = { execution_id: id, name: 'asked', payload: { amount: 12 } };
  expect(await rest(facade, 'POST', '/api/events', event)).toMatchObject({ body: { fate: 'kept' } });
  expect(await answer(id, { amount: 12, urgent: true })).toMatchObject({
    status: 200,
    body: { fate: 'taken' },
  });
  const said = {
    amount: 12,
    urgent: true,
    tone: 'kind',
    rejected: false,
    reason: null,
    by: 'local',
    via: 'token',
  };
  expect(await result()).toEqual(said);
  expect(await answer(id, { amount: 13 })).toMatchObject({ status: 409 });
});

test.each([
  ['{scope: run}', { reader: 403, finance: 403, runner: 200 }],
  ['{tokens: [finance]}', { reader: 403, runner: 403, finance: 200 }],
  ['{link: true}', { reader: 403, runner: 403, root: 200 }],
])('who may answer: %s', async (who, expected) => {
  const { id, result } = await asked(who);
  for (const [name, status] of Object.entries(expected)) {
    const { status: got, body } = await answer(id, { amount: 1 }, guarded, tokens[name]);
    expect([name, got, body['code']]).toEqual([name, status, status === 403 ? 'MAY_NOT_ANSWER' : undefined]);
  }
  expect(await result()).toMatchObject({ by: Object.keys(expected).at(-1) });
  // Nobody without a token.
  expect(await answer(id, { amount: 1 }, guarded)).toMatchObject({ status: 401 });
});

test('who may not answer may not make a link either', async () => {
  const { id, handle } = await asked('{tokens: [finance], link: true}');
  const made = await rest(guarded, 'POST', `/api/executions/${id}/answer-link`, {}, tokens['runner']);
  expect(made).toMatchObject({ status: 403, body: { code: 'MAY_NOT_ANSWER' } });
  await handle.cancel();
});

test('a link shows the form as text, answers once, and looking at it answers nothing', async () => {
  const { id, handle, result } = await asked();
  const url = (await linkOf(id)).replace(facade.url, guarded.url);
  const { status, text, headers } = await browse(url);
  expect([status, headers.get('referrer-policy'), headers.get('cache-control')]).toEqual([
    200,
    'same-origin',
    'no-store',
  ]);
  expect(text).toContain('<h1>&#60;b&#62;Pay 900?&#60;/b&#62;</h1>');
  expect(text).toContain('Amount &#38; more');
  expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
  expect((await handle.describe()).status.name).toBe('RUNNING');

  const wrong = await browse(url, { verdict: 'answer', 'f.amount': '901', 'f.tone': 'strict' });
  expect([wrong.status, /answer\.amount must be at most 900/.test(wrong.text)]).toEqual([422, true]);
  expect(wrong.text).toContain('value="901"');
  expect(wrong.text).toContain('<option value="strict" selected>');
  expect((await browse(url, { 'f.amount': '9' })).status).toBe(422);

  const form = { verdict: 'answer', 'f.amount': '900', 'f.urgent': 'true', 'f.tone': 'strict', reason: '' };
  expect(await browse(url, form)).toMatchObject({ status: 200, text: expect.stringContaining('Thank you') });
  const said = { amount: 900, urgent: true, tone: 'strict', rejected: false, reason: null };
  expect(await result()).toEqual({ ...said, by: 'somebody, from local', via: 'link' });
  for (const again of [await browse(url), await browse(url, form)])
    expect([again.status, /answered already/.test(again.text)]).toEqual([409, true]);
});

test('a link rejects, with a reason that the playbook reads', async () => {
  const { id, result } = await asked();
  await browse(await linkOf(id), { verdict: 'reject', reason: 'too much', 'f.amount': '' });
  expect(await result()).toEqual({
    rejected: true,
    reason: 'too much',
    by: 'somebody, from local',
    via: 'link',
  });
});

test('of uses at the same time one wins', async () => {
  const { id, result } = await asked();
  const url = await linkOf(id);
  const uses = [1, 2, 3, 4].map(async (amount) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ amount }),
    });
    return { amount, status: response.status, body: (await response.json()) as object };
  });
  const answered = await Promise.all([
    ...uses,
    answer(id, { amount: 5 }).then((one) => ({ amount: 5, ...one })),
  ]);
  const taken = answered.filter(({ status }) => status === 200);
  expect(taken).toHaveLength(1);
  expect(await result()).toMatchObject({ amount: taken[0]!.amount });
  // The link says which wait it was for; whoever names only the execution may find that it has gone on.
  const lost = answered.filter(({ status }) => status !== 200);
  for (const { amount, status, body } of lost) {
    const code = amount === 5 ? expect.stringMatching(/^(ANSWERED|NOTHING_ASKED)$/) : 'ANSWERED';
    expect([status, body]).toMatchObject([409, { code }]);
  }
});

test('a link is worth nothing later, for another wait, or with other keys', async () => {
  const again = asks('{link: true}').replace(
    '{arcs: [{step: end}]}',
    '{arcs: [{step: start, when: "{{ not start.urgent }}"}, {step: end}]}',
  );
  const { id, handle } = await asked('{link: true}', again);
  const first = await linkOf(id);
  await browse(first, { verdict: 'answer', 'f.amount': '1', 'f.urgent': 'false' });
  const waits = async () =>
    (await rest(facade, 'GET', `/api/executions/${id}/waits`)).body['waits'] as { task_run_id: string }[];
  await until(async () => (await waits())[0]?.task_run_id.startsWith('start#2') === true);
  // The step waits again, under the same name: the link was for the time before.
  expect((await browse(first, { verdict: 'answer', 'f.amount': '1', 'f.urgent': 'true' })).status).toBe(409);
  const [{ task_run_id }] = (await waits()) as [{ task_run_id: string }];
  const link = { execution_id: id, task_run_id, expires: Date.now() + 60_000 };
  const at = (path: string) =>
    browse(`${facade.url}${path}`, { verdict: 'answer', 'f.amount': '1', 'f.urgent': 'true' });
  const other = keyRing([{ kid: 'a', key: createSecretKey(randomBytes(32)) }]);
  const late = answerLinkPath(keys, { ...link, expires: Date.now() - 1 });
  const strange = answerLinkPath(keys, { ...link, task_run_id: 'start#3~1@1' });
  const [foreign, expired, elsewhere, nobodys] = [
    await at(answerLinkPath(other, link)),
    await at(late),
    await at(strange),
    await at(answerLinkPath(keys, { ...link, execution_id: '7' })),
  ];
  expect([foreign.status, expired.status, elsewhere.status, nobodys.status]).toEqual([404, 410, 409, 404]);
  expect((await handle.describe()).status.name).toBe('RUNNING');
  expect((await at(answerLinkPath(keys, link))).status).toBe(200);
  await handle.result();
});

test('a form without links has none', async () => {
  const { id, handle } = await asked('{scope: run}');
  const made = await rest(facade, 'POST', `/api/executions/${id}/answer-link`, {});
  expect(made).toMatchObject({ status: 409, body: { code: 'NO_LINKS' } });
  const [{ task_run_id }] = (await rest(facade, 'GET', `/api/executions/${id}/waits`)).body['waits'] as [
    { task_run_id: string },
  ];
  const path = answerLinkPath(keys, { execution_id: id, task_run_id, expires: Date.now() + 60_000 });
  expect((await browse(`${facade.url}${path}`)).status).toBe(404);
  await handle.cancel();
});

test.each(['Temporal', 'a facade'])(
  'the command line of %s shows what is asked, answers and rejects',
  async (place) => {
    const run = (...args: string[]) =>
      place === 'Temporal'
        ? inProcess(args, { TEMPORAL_ADDRESS: stack.server.address, NOETL_STORAGE: 'none' })
        : inProcess([...args, '--server', facade.url], {
            TEMPORAL_ADDRESS: '127.0.0.1:1',
            NOETL_STORAGE: 'none',
          });
    const { id, result } = await asked();
    const shown = await run('answer', id);
    expect(shown.stdout).toMatch(
      /^start asks \(start#1[^]*Pay 900[^]*amount: number +\(Amount & more\)[^]*tone\?: one of "kind", "strict"/,
    );
    const wrong = await run('answer', id, 'amount=12', 'tone=rude');
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('answer.tone must be one of')]);
    const link = await run('answer', id, '--link');
    expect(link.code).toBe(place === 'Temporal' ? 2 : 0);
    expect(await run('answer', id, 'amount=12', 'urgent=true')).toMatchObject({
      code: 0,
      stdout: 'answered\n',
    });
    expect(await result()).toMatchObject({ amount: 12, urgent: true, by: 'local' });
    const second = await asked();
    expect(await run('answer', second.id, '--reject', 'no')).toMatchObject({ code: 0 });
    expect(await second.result()).toMatchObject({ rejected: true, reason: 'no' });
  },
);
