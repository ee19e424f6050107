/** Schedules over REST, on a real Temporal server: what they start are executions like any other. */
import { measureExecutions } from '../../src/server/facade/executions/measured';
import { Meters } from '../../src/telemetry/metrics';
import { type Plan } from '../../src/language/plan';
import { PlaybookRefused, type PlaybookResolver } from '../../src/temporal/worker';
import { startFacade, type TestFacade } from '../support/facade';
import { type Stack, startStack } from '../support/stack';
import { type ScheduleDetails } from '../../src/server/facade/documents';

let stack: Stack;
let facade: TestFacade;
/** By version, in order: the last is the newest. */
const versions: Plan[] = [];
/** Resolved when it is released; what asked for it first has to ask again. */
let held: Promise<void> | undefined;
const playbooks: PlaybookResolver = {
  async resolve({ path, version }) {
    if (path === 'jobs/held' && held) {
      await held;
      held = undefined;
      throw new Error('again');
    }
    const found = versions.filter(
      (one) => one.metadata.path === path && (version === undefined || one.metadata.version === version),
    );
    if (found.length === 0) throw new PlaybookRefused('PLAYBOOK_NOT_FOUND', `no playbook ${path}`);
    return found.at(-1)!;
  },
};

const playbook = (version: string, path = 'jobs/daily', task = '{kind: noop}'): string => `
apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: daily, path: ${path}, version: "${version}"}
workload: {day: none, n: 0}
workflow:
- step: start
  tool: ${task}
  set: {ctx.day: "{{ workload.day }}", ctx.n: "{{ workload.n }}", ctx.version: "${version}"}
`;

beforeAll(async () => {
  stack = await startStack({ kinds: [], playbooks });
  facade = await startFacade(stack);
  versions.push(stack.compile(playbook('1')));
});
afterAll(async () => {
  await facade?.stop();
  await stack?.stop();
  expect(facade.reported).toEqual([]);
});

async function ask<T = Record<string, unknown>>(
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; body: T }> {
  const response = await fetch(`${facade.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as T };
}

const LIMIT_MS = 60_000;

/** Asks until what it is told is as wished. */
async function until<T>(look: () => Promise<T>, isSo: (found: T) => boolean): Promise<T> {
  const deadline = Date.now() + LIMIT_MS;
  for (;;) {
    const found = await look();
    if (isSo(found)) return found;
    if (Date.now() > deadline) throw new Error(`not within ${LIMIT_MS} ms; at last ${JSON.stringify(found)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const details = async (name: string): Promise<ScheduleDetails> =>
  (await ask<ScheduleDetails>('GET', `/api/schedules/${name}`)).body;
const ended = (name: string, count: number): Promise<ScheduleDetails> =>
  until(
    () => details(name),
    ({ runs }) => runs.length === count && runs.every(({ status }) => status !== 'running'),
  );
const statusOf = async (id: string | null): Promise<{ status: string; variables: Record<string, unknown> }> =>
  (await ask<{ status: string; variables: Record<string, unknown> }>('GET', `/api/executions/${id}/status`))
    .body;

test('a trigger starts an execution under an id of its own, of the version that is newest then', async () => {
  const made = await ask('POST', '/api/schedules', {
    name: 'nightly',
    path: 'jobs/daily',
    cron: ['0 2 * * *'],
    timezone: 'Europe/Berlin',
    payload: { n: 7 },
    time_as: 'day',
    paused: true,
    note: 'not yet',
  });
  expect(made).toMatchObject({
    status: 201,
    body: { name: 'nightly', paused: true, note: 'not yet', overlap: 'skip' },
  });
  versions.push(stack.compile(playbook('2')));
  expect((await ask('POST', '/api/schedules/nightly/trigger', {})).status).toBe(202);
  const [run] = (await ended('nightly', 1)).runs;
  expect(run).toMatchObject({
    status: 'completed',
    execution_id: expect.stringMatching(/^\d{15,19}$/) as string,
  });
  expect(run!.workflow_id).toMatch(/^noetl-schedule-nightly-/);
  const status = await statusOf(run!.execution_id);
  expect(status).toMatchObject({ status: 'COMPLETED', variables: { n: 7, version: '2' } });
  const described = await stack.client.workflow.getHandle(`noetl-${run!.execution_id}`).describe();
  expect(described.memo).toMatchObject({
    noetl_schedule: { schedule: 'nightly', scheduled_at: status.variables['day'] },
  });
  expect(described.searchAttributes['NoetlStatus']).toEqual(['started']);
  expect(described.searchAttributes['NoetlPlaybook']).toEqual(['jobs/daily']);
  // For Temporal it is the child of another workflow; for people nobody called it.
  type Listed = { execution_id: string; parent_execution_id: unknown; schedule: unknown }[];
  const listed = async (query: string): Promise<Listed> =>
    (await ask<Listed>('GET', `/api/executions?path=jobs/daily&${query}`)).body;
  const [line] = await until(
    () => listed('top_level=true'),
    (found) => found.length > 0,
  );
  const schedule = { name: 'nightly', scheduled_at: status.variables['day'], deadline_s: null };
  expect(line).toMatchObject({ execution_id: run!.execution_id, parent_execution_id: null, schedule });
  expect(await listed('top_level=false')).toEqual([]);
}, 150_000);

test('executions of a schedule take the turns of one, however long its name is', async () => {
  const name = `a-schedule-whose-name-is-longer-than-a-key-of-fairness-may-be-${'x'.repeat(30)}`;
  const made = await ask('POST', '/api/schedules', {
    ...{ name, path: 'jobs/daily', cron: ['0 2 * * *'], paused: true, overlap: 'allow-all' },
  });
  expect(made.status).toBe(201);
  const [one, two] = [name, 'short'];
  await ask('POST', '/api/schedules', { name: two, path: 'jobs/daily', cron: ['0 2 * * *'], paused: true });
  for (const each of [one, two]) await ask('POST', `/api/schedules/${each}/trigger`, {});
  const runs = [...(await ended(one, 1)).runs, ...(await ended(two, 1)).runs];
  const keys: unknown[] = [];
  for (const { status, execution_id } of runs) {
    expect(status).toBe('completed');
    const { events } = await stack.client.workflow.getHandle(`noetl-${execution_id}`).fetchHistory();
    keys.push(events![0]!.workflowExecutionStartedEventAttributes!.priority?.fairnessKey);
  }
  expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), 'noetl-schedule-short']);
  for (const each of [one, two]) expect((await ask('DELETE', `/api/schedules/${each}`)).status).toBe(200);
}, 150_000);

test('a backfill starts one execution a time, each told for when', async () => {
  await ask('POST', '/api/schedules', {
    name: 'hourly',
    path: 'jobs/daily',
    version: '1',
    intervals: [{ every_s: 3600, offset_s: 600 }],
    time_as: 'day',
    paused: true,
  });
  const span = { from: '2026-03-01T00:10:00Z', to: '2026-03-01T02:30:00Z' };
  expect((await ask('POST', '/api/schedules/hourly/backfill', span)).status).toBe(202);
  const { runs } = await ended('hourly', 3);
  expect(new Set(runs.map(({ execution_id }) => execution_id)).size).toBe(3);
  const told = await Promise.all(runs.map(({ execution_id }) => statusOf(execution_id)));
  expect(told.map(({ variables }) => variables['version'])).toEqual(['1', '1', '1']);
  expect(told.map(({ variables }) => variables['day']).sort()).toEqual([
    '2026-03-01T00:10:00.000Z',
    '2026-03-01T01:10:00.000Z',
    '2026-03-01T02:10:00.000Z',
  ]);
}, 150_000);

test.each([
  ['secret', '{type: string, secret: true}', 'SECRET_INPUT', 'keychain', 'body.payload.token'],
  ['wrong', '{type: integer}', 'WORKLOAD_INVALID', 'workload.token must be a whole number', 'workload.token'],
])(
  'a %s input is refused: by the catalog when the schedule is made, else when it is time',
  async (name, schema, code, message, at) => {
    const wants =
      `${playbook('1', `jobs/${name}`).replace('workload: {day: none, n: 0}', 'workload: {token: null}')}`
        .replace('version: "1"}', `version: "1", workload: {token: ${schema}}}`)
        .replace(/ {2}set: .*\n/, '');
    versions.push(stack.compile(wants));
    const wanted = {
      name,
      path: `jobs/${name}`,
      intervals: [{ every_s: 3600 }],
      payload: { token: 'canary-in-a-schedule' },
      paused: true,
    };
    expect((await ask('POST', '/api/schedules', wanted)).status).toBe(201);
    await ask('POST', `/api/schedules/${name}/trigger`, {});
    const [run] = (await ended(name, 1)).runs;
    expect(run).toMatchObject({ status: 'failed', execution_id: null });
    await expect(stack.client.workflow.getHandle(run!.workflow_id).result()).rejects.toMatchObject({
      cause: { type: code, message: expect.stringContaining(message) as string },
    });
    await ask('POST', '/api/catalog/register', { content: wants });
    expect(await ask('POST', '/api/schedules', { ...wanted, name: 'another' })).toMatchObject({
      status: 422,
      body: { code, at },
    });
    await ask('DELETE', `/api/schedules/${name}`);
  },
  150_000,
);

test('cancel-other cancels the execution that still runs, and a playbook that is not there fails the run', async () => {
  versions.push(stack.compile(playbook('1', 'jobs/slow', '{kind: wait, for: 3600}')));
  await ask('POST', '/api/schedules', {
    name: 'slow',
    path: 'jobs/slow',
    intervals: [{ every_s: 86_400 }],
    overlap: 'cancel-other',
    paused: true,
  });
  await ask('POST', '/api/schedules/slow/trigger', {});
  const first = await until(
    () => details('slow'),
    ({ runs }) => typeof runs[0]?.execution_id === 'string',
  );
  const id = first.runs[0]!.execution_id;
  await until(
    () => statusOf(id),
    ({ status }) => status === 'RUNNING',
  );
  // The ids of what a schedule starts end in a second: two in one would be the same.
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  await ask('POST', '/api/schedules/slow/trigger', {});
  await until(
    () => statusOf(id),
    ({ status }) => status === 'CANCELLED',
  );
  const second = await until(
    () => details('slow'),
    ({ runs }) => runs.length === 2 && typeof runs[0]!.execution_id === 'string',
  );
  expect(second.runs.map(({ status }) => status)).toEqual(['running', 'cancelled']);
  const stopped = await ask('POST', `/api/executions/${second.runs[0]!.execution_id}/cancel`, {});
  expect(stopped.status).toBe(200);
  expect((await ended('slow', 2)).runs.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);

  await ask('POST', '/api/schedules', {
    name: 'lost',
    path: 'no/such',
    intervals: [{ every_s: 86_400 }],
    paused: true,
  });
  await ask('POST', '/api/schedules/lost/trigger', {});
  expect((await ended('lost', 1)).runs[0]).toMatchObject({ status: 'failed', execution_id: null });
}, 240_000);

test('schedules are listed, paused, unpaused and deleted; what cannot be is refused with a code', async () => {
  const names = await until(
    async () => (await ask<{ schedules: { name: string }[] }>('GET', '/api/schedules')).body.schedules,
    (found) => found.length === 4,
  );
  expect(names.map(({ name }) => name).sort()).toEqual(['hourly', 'lost', 'nightly', 'slow']);
  expect((await ask('POST', '/api/schedules/nightly/unpause', { note: 'now' })).status).toBe(200);
  expect(await details('nightly')).toMatchObject({ paused: false, note: 'now' });
  expect((await details('nightly')).next.length).toBeGreaterThan(0);
  expect((await ask('POST', '/api/schedules/nightly/pause', {})).status).toBe(200);
  expect((await details('nightly')).paused).toBe(true);
  const again = { name: 'nightly', path: 'jobs/daily', cron: ['@daily'] };
  expect(await ask('POST', '/api/schedules', again)).toMatchObject({
    status: 409,
    body: { code: 'SCHEDULE_EXISTS' },
  });
  expect(await ask('POST', '/api/schedules', { ...again, name: 'odd', cron: ['every noon'] })).toMatchObject({
    status: 422,
    body: { code: 'SCHEDULE_INVALID' },
  });
  expect(await ask('POST', '/api/schedules', { name: 'never', path: 'jobs/daily' })).toMatchObject({
    status: 422,
  });
  expect((await ask('DELETE', '/api/schedules/nightly')).status).toBe(200);
  expect(await ask('GET', '/api/schedules/nightly')).toMatchObject({
    status: 404,
    body: { code: 'SCHEDULE_NOT_FOUND' },
  });
}, 150_000);

const made = async (name: string, given: object): Promise<string[]> =>
  (
    await ask<{ warnings: string[] }>('POST', '/api/schedules', {
      name,
      path: 'jobs/daily',
      paused: true,
      ...given,
    })
  ).body.warnings;
const ofTimes = (warnings: string[]): string[] => warnings.filter((one) => !one.includes('catalog'));

test.each([
  ['30 2 * * *', 'Europe/Berlin', /clocks of Europe\/Berlin change: .*-03-\d\d: 02:30 does not exist/],
  ['0 2 * * *', 'Europe/Berlin', /-03-\d\d: 02:00 does not exist/],
  ['30 2 * * *', 'America/New_York', /-03-\d\d: 02:30 does not exist/],
  ['15 2 * * *', 'Australia/Lord_Howe', /-10-\d\d: 02:15 does not exist/],
  ['0 12 1 * 1', 'UTC', /Temporal starts it on days that are both/],
  ['0 0 31 2 *', 'UTC', /it starts nothing in the next two years/],
])(
  '%s in %s is told what it will do',
  async (cron, timezone, wanted) => {
    const name = `doubt-${cron.replace(/[^0-9]/g, '')}-${timezone.replace(/\W/g, '')}`;
    expect(ofTimes(await made(name, { cron: [cron], timezone })).join('\n')).toMatch(wanted);
    // Temporal itself is the oracle: on that day there is no such start.
    const day = /(\d{4}-\d\d-\d\d): /.exec((await made(`${name}-2`, { cron: [cron], timezone })).join())?.[1];
    if (day === undefined) return;
    const span = { from: `${day}T00:00:00Z`, to: `${day}T12:00:00Z`, dry_run: true };
    if (timezone === 'Europe/Berlin')
      expect((await ask('POST', `/api/schedules/${name}/backfill`, span)).body).toMatchObject({ count: 0 });
  },
  150_000,
);

test.each([
  ['0 4 * * *', 'Europe/Berlin'],
  ['0 2 * * *', 'UTC'],
  ['30 2 * * *', 'Asia/Tokyo'],
  ['0 * * * *', 'UTC'],
  ['0 12 * * 1', 'Europe/Berlin'],
])(
  '%s in %s is nothing to be told of',
  async (cron, timezone) => {
    expect(
      ofTimes(await made(`well-${cron.replace(/\W/g, '')}-${timezone.length}`, { cron: [cron], timezone })),
    ).toEqual([]);
  },
  150_000,
);

test('what is given of a schedule is changed, all else stays; catching up is for an hour', async () => {
  await made('changed', { cron: ['0 4 * * *'], payload: { n: 1 }, time_as: 'day', timezone: 'Asia/Tokyo' });
  const before = await details('changed');
  expect(before).toMatchObject({ catchup_s: 3600, overlap: 'skip' });
  const patch = async (body: object): Promise<ScheduleDetails> =>
    (await ask<ScheduleDetails>('PATCH', '/api/schedules/changed', body)).body;
  expect(
    await patch({ payload: { n: 2 }, overlap: 'allow-all', on: { failed: [{ playbook: 'a/b' }] } }),
  ).toMatchObject({
    payload: { n: 2 },
    time_as: 'day',
    overlap: 'allow-all',
    on: { failed: [{ playbook: 'a/b' }] },
    calendars: before.calendars,
    timezone: 'Asia/Tokyo',
    paused: true,
  });
  const later = await patch({ cron: ['0 5 * * *'] });
  expect(later.calendars).toMatchObject([{ hour: [{ start: 5 }] }]);
  expect(later).toMatchObject({ payload: { n: 2 }, timezone: 'Asia/Tokyo', created_at: before.created_at });
  expect((await ask('PATCH', '/api/schedules/nobody', { note: 'x' })).status).toBe(404);
}, 150_000);

test('a backfill is counted first', async () => {
  await made('counted', { intervals: [{ every_s: 300 }] });
  const span = { from: '2026-03-01T00:00:00Z', to: '2026-03-01T23:59:59Z', dry_run: true };
  expect(await ask('POST', '/api/schedules/counted/backfill', span)).toMatchObject({
    status: 202,
    body: {
      status: 'counted',
      count: 288,
      first: '2026-03-01T00:00:00.000Z',
      last: '2026-03-01T23:55:00.000Z',
    },
  });
  const much = { from: '2026-01-01T00:00:00Z', to: '2026-03-01T00:00:00Z' };
  expect(await ask('POST', '/api/schedules/counted/backfill', much)).toMatchObject({
    status: 422,
    body: { code: 'SCHEDULE_INVALID' },
  });
  expect((await details('counted')).runs).toEqual([]);
}, 150_000);

test('a start that fails before there is an execution is shown with its code, in the list and counted', async () => {
  await made('gone', { cron: ['0 4 * * *'], path: 'jobs/gone' });
  await ask('POST', '/api/schedules/gone/trigger', {});
  const { runs, error } = await ended('gone', 1);
  const wanted = {
    code: 'PLAYBOOK_NOT_FOUND',
    message: expect.stringContaining('no playbook jobs/gone') as string,
  };
  expect(runs).toMatchObject([{ status: 'failed', execution_id: null, error: wanted }]);
  expect(error).toMatchObject(wanted);
  await until(
    async () =>
      (await ask<{ schedules: ScheduleDetails[] }>('GET', '/api/schedules?page_size=100')).body.schedules,
    (all) => all.find(({ name }) => name === 'gone')?.error?.code === 'PLAYBOOK_NOT_FOUND',
  );
  // One whose execution fails, which a nightly one does once in a night.
  versions.push(stack.compile(playbook('1', 'jobs/fails', '{kind: noop, input: {x: "{{ 1 // 0 }}"}}')));
  await made('fails', { cron: ['0 4 * * *'], path: 'jobs/fails' });
  await ask('POST', '/api/schedules/fails/trigger', {});
  await ended('fails', 1);
  await until(
    async () => {
      const meters = new Meters();
      measureExecutions(meters, stack.client);
      return await meters.text();
    },
    (text) =>
      text.includes('noetl_schedule_failed_starts{schedule="gone",playbook="jobs/gone"} 1') &&
      text.includes('noetl_schedule_failed_executions{schedule="fails",playbook="jobs/fails"} 1') &&
      !text.includes('failed_executions{schedule="gone"') &&
      text.includes('noetl_schedule_lateness_seconds{schedule="fails",playbook="jobs/fails"} 0'),
  );
}, 150_000);

test('register and promote name schedules that will not start the new version, and delete those of a playbook that is gone', async () => {
  const versionOf = (inputs: string): string =>
    playbook('1', 'jobs/kept').replace('version: "1"', `version: "1", workload: {${inputs}}`);
  const register = async (content: string): Promise<string[]> =>
    (await ask<{ warnings: string[] }>('POST', '/api/catalog/register', { content })).body.warnings;
  expect(await register(versionOf('n: {type: integer}'))).toEqual([]);
  await made('kept', { cron: ['0 4 * * *'], path: 'jobs/kept', payload: { n: 1 } });
  await made('pinned', { cron: ['0 4 * * *'], path: 'jobs/kept', payload: { n: 1 }, version: 1 });
  await until(
    () => register(versionOf('n: {type: string}')),
    ([one]) => /^schedule kept will not start it: workload\.n must be/.test(one ?? ''),
  );
  // Also of a staged one, before it is promoted.
  await ask('POST', '/api/catalog/register', { content: versionOf('n: {type: boolean}'), staged: true });
  const { body: report } = await ask<{ staged: object }>('GET', '/api/catalog/jobs/kept/staged');
  expect(report.staged).toMatchObject({
    warnings: [expect.stringMatching(/^schedule kept will not start it: workload\.n must be/) as string],
  });
  const { body } = await ask('POST', '/api/catalog/delete', { path: 'jobs/kept' });
  expect(body).toMatchObject({ schedules: expect.arrayContaining(['kept', 'pinned']) as unknown });
}, 150_000);

test('there are only so many: each goes on for ever, whatever becomes of who made it', async () => {
  const name = (n: number): string => `many-${n}`;
  const make = (n: number) =>
    ask('POST', '/api/schedules', { name: name(n), path: 'jobs/daily', cron: ['0 3 * * *'], paused: true });
  expect((await make(1)).status).toBe(201);
  const listed = () => ask<{ schedules: { name: string }[] }>('GET', '/api/schedules?page_size=100');
  const isListed = ({ body }: Awaited<ReturnType<typeof listed>>) =>
    body.schedules.some((one) => one.name === name(1));
  const { body } = await until(listed, isListed);
  process.env['NOETL_SCHEDULES'] = String(body.schedules.length);
  try {
    expect(await make(2)).toMatchObject({ status: 429, body: { code: 'TOO_MANY_SCHEDULES' } });
    await ask('DELETE', `/api/schedules/${name(1)}`);
    await until(listed, (now) => !isListed(now));
    expect((await make(2)).status).toBe(201);
  } finally {
    delete process.env['NOETL_SCHEDULES'];
    await ask('DELETE', `/api/schedules/${name(2)}`);
  }
});

test('they may start only so much, also at once and by a change', async () => {
  const intervals = [{ every_s: 1 }];
  const make = (n: number) =>
    ask('POST', '/api/schedules', { name: `often-${n}`, path: 'jobs/daily', intervals, paused: true });
  process.env['NOETL_SCHEDULED_STARTS_PER_TOKEN'] = '250';
  try {
    const made = await Promise.all([1, 2, 3, 4, 5, 6].map(make));
    const kept = made.filter(({ status }) => status === 201);
    // Each makes 60 in a minute. Other tests left a few that start something now and then.
    expect(kept.length).toBeGreaterThan(1);
    expect(kept.length).toBeLessThan(5);
    expect(made.filter((one) => !kept.includes(one)).map(({ body }) => body)).toEqual(
      made.slice(kept.length).map(() =>
        expect.objectContaining({
          code: 'TOO_MANY_STARTS',
          detail: expect.stringContaining('more than 250 executions in a minute') as string,
        }),
      ),
    );
    const name = String(kept[0]!.body['name']);
    const change = (more: object) =>
      ask('PATCH', `/api/schedules/${name}`, { intervals: [...intervals, more] });
    expect(await change({ every_s: 1, offset_s: 0.5 })).toMatchObject({ status: 429 });
    expect(await change({ every_s: 3600 })).toMatchObject({ status: 200 });
  } finally {
    delete process.env['NOETL_SCHEDULED_STARTS_PER_TOKEN'];
    for (const n of [1, 2, 3, 4, 5, 6]) await ask('DELETE', `/api/schedules/often-${n}`);
  }
});

test('a firing that has not begun when its schedule is deleted does not begin', async () => {
  versions.push(stack.compile(playbook('1', 'jobs/held')));
  let release!: () => void;
  held = new Promise((resolve) => (release = resolve));
  await ask('POST', '/api/schedules', {
    ...{ name: 'held', path: 'jobs/held', cron: ['0 0 1 1 *'], paused: true },
  });
  await ask('POST', '/api/schedules/held/trigger', {});
  const [run] = (
    await until(
      () => details('held'),
      ({ runs }) => runs.length === 1,
    )
  ).runs;
  expect((await ask('DELETE', '/api/schedules/held')).status).toBe(200);
  release();
  await expect(stack.client.workflow.getHandle(run!.workflow_id).result()).rejects.toMatchObject({
    cause: { cause: { type: 'SCHEDULE_DELETED', message: expect.stringContaining("the schedule 'held'") } },
  });
  expect((await stack.client.workflow.count("WorkflowType = 'jobs/held'")).count).toBe(0);
});
