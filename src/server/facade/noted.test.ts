/** Which requests are noted, and what of them. */
import { FacadeError } from './http/errors';
import { RouteReply } from './http/route';
import { noted } from './noted';

interface Case {
  readonly route: Partial<Parameters<typeof noted>[0]>;
  readonly call?: { readonly params?: object; readonly body?: unknown };
  readonly answers?: unknown;
}

async function rowsOf({ route, call = {}, answers }: Case): Promise<unknown[][]> {
  const rows: unknown[][] = [];
  const database = {
    rows: (text: string, values: unknown[]) => {
      if (text.startsWith('INSERT')) rows.push(values);
      return Promise.resolve([]);
    },
  };
  const report = (error: unknown): void => {
    throw error;
  };
  const handle = noted(
    { scope: 'run', method: 'post', path: '/api/x', ...route },
    { database, report } as never,
    () => (answers instanceof Error ? Promise.reject(answers) : answers),
  );
  const request = { get: () => undefined, ip: '10.0.0.1' };
  await Promise.resolve(handle({ body: {}, principal: { name: 'ada' }, request, ...call } as never)).catch(
    () => undefined,
  );
  return rows;
}

test.each<[string, Case, unknown[]]>([
  [
    'a cancellation, by its execution',
    {
      route: { path: '/api/executions/{id}/cancel' },
      call: { params: { id: '7' }, body: { reason: 'secret' } },
    },
    ['POST /api/executions/{id}/cancel', ['7'], null],
  ],
  [
    'what is done with a subscription, which is part of the path',
    { route: { path: '/api/subscriptions/{id}/{action}' }, call: { params: { id: '7', action: 'pause' } } },
    ['POST /api/subscriptions/{id}/pause', ['7'], null],
  ],
  [
    'a start, by the playbook and the execution that the answer names',
    {
      route: { path: '/api/execute' },
      call: { body: { path: 'etl/load', payload: { name: 'secret' } } },
      answers: { execution_id: '8', path: 'etl/load', version: 3 },
    },
    ['POST /api/execute', ['etl/load', '8', 'version 3'], null],
  ],
  [
    'many at once, by each of them',
    {
      route: { path: '/api/bulk' },
      call: { body: { verb: 'cancel' } },
      answers: new RouteReply(202, { bulk_id: '9', executions: ['1', '2'] }),
    },
    ['POST /api/bulk', ['cancel', '9', '1', '2'], null],
  ],
  [
    'starts of a batch',
    { route: {}, answers: { results: [{ execution_id: '1' }, { error: 'no' }] } },
    ['POST /api/x', ['1'], null],
  ],
  [
    'a refusal, with its code',
    { route: {}, call: { params: { id: '7' } }, answers: new FacadeError(409, 'ANSWERED', 'it was') },
    ['POST /api/x', ['7'], 'ANSWERED'],
  ],
  [
    'an answer of a person, for which reading is enough',
    { route: { scope: 'read', acts: true } },
    ['POST /api/x', [], null],
  ],
])('%s', async (_what, given, [request, about, code]) => {
  expect(await rowsOf(given)).toEqual([['ada', null, '10.0.0.1', request, about, code]]);
});

test.each<[string, Case]>([
  ['reading', { route: { scope: 'read' } }],
  ['a look with a scope of its own', { route: { method: 'get' } }],
  ['a dry run', { route: {}, call: { body: { dry_run: true } } }],
  ['what has no effect', { route: { acts: false } }],
  ['what workers ask for', { route: { scope: 'worker' } }],
])('%s is not noted', async (_what, given) => {
  expect(await rowsOf(given)).toEqual([]);
});
