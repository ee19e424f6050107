/**
 * The grand canary (issue 10): stored credentials in every place, kind and ending of the matrix
 * (test/support/canary-matrix), run by real processes (Temporal, a facade with tokens, workers that fetch through it),
 * then searched in everything that any of them kept or said. Once as usual; nightly once more with payloads encrypted.
 * `CANARY=1/7` to `CANARY=7/7` run every cell, a seventh at a time: more at once are not in flight together.
 */
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow';
import { Client, Connection } from '@temporalio/client';
import { openStorage } from '../../src/storage/blobs';
import { payloadCodec } from '../../src/storage/codec';
import { recordedExecution } from '../../src/history';
import { configuredKeyRing } from '../../src/storage/keyring';
import { workflowId } from '../../src/temporal/client';
import {
  canariesIn,
  canariesWritten,
  type Content,
  contentsOfEvents,
  contentsOfHistory,
} from '../support/canary';
import { ENDINGS, PLANTED } from '../support/canary-matrix/tool';
import {
  type Cell,
  childYaml,
  matrix,
  ON_DEV,
  playbooksOf,
  usualCells,
} from '../support/canary-matrix/matrix';
import { type Services } from '../support/canary-matrix/services';
import { HAS_PROC, watch } from '../support/canary-matrix/watch';
import { CANARIES, KEY, TEXT, World } from '../support/canary-matrix/world';
import { isNightly } from '../support/sampled';

/** An input that is no secret: nothing of it may be read where payloads are encrypted. */
const PLAIN = 'a-plain-input-that-anybody-may-read';

const { cells } = matrix();
const part = /^(\d+)\/(\d+)$/
  .exec(process.env['CANARY'] ?? '')
  ?.slice(1)
  .map(Number);
const asked = part && cells.filter((_, index) => index % part[1]! === part[0]! - 1);
const usual = usualCells(cells);

/** What an execution came to: of each cell `step.done` or `step.failed`, and the kind of its error. */
type Ends = Record<string, string>;

const worlds: readonly (readonly [string, boolean, readonly Cell[]])[] = [
  ['as usual', false, asked ?? usual],
  [
    'with payloads encrypted',
    true,
    asked ?? usual.filter(({ ending, kind }) => ending === 'success' && kind !== 'python'),
  ],
];
// In CI what encryption leaves readable is asked by test/integration/encryption.test.ts.
describe.each(isNightly || asked ? worlds : worlds.slice(0, 1))('%s', (_, encrypt, tested) => {
  const world = new World(encrypt);
  beforeAll(() => world.start(), 300_000);
  afterAll(() => world.stop());

  test('a stored secret arrives in every place and ending, and is in nothing that is kept or said', async () => {
    const playbooks = playbooksOf(tested, PLAIN);
    for (const content of [ON_DEV, ...ENDINGS.map(childYaml), ...playbooks.map(({ yaml }) => yaml)]) {
      const asked = { content, resource_type: 'Playbook' };
      const answer = await world.ask('POST', '/api/catalog/register', asked);
      if (answer.status !== 200) throw new Error(JSON.stringify(answer).slice(0, 2000));
    }
    const workload = { url: world.services.url, go: world.go, key: TEXT };
    const execute = async (name: string, given: object = workload): Promise<string> => {
      const { status, body } = await world.ask('POST', '/api/execute', {
        path: `canary/${name}`,
        workload: given,
      });
      expect({ name, status, error: body['error'] }).toMatchObject({ status: 200 });
      return body['execution_id'] as string;
    };
    const connection = await Connection.connect({ address: world.address });
    const codec = payloadCodec({ encrypt: false, keys: () => configuredKeyRing({ NOETL_SECRETS_KEY: KEY }) });
    const storage = await openStorage(pathToFileURL(path.join(world.data, 'blobs')).href, codec);
    const client = new Client({ connection, dataConverter: storage.dataConverter });
    const converter = loadDataConverter(storage.dataConverter);
    const whileTheyRan = watch(world.temporary, PLANTED);
    try {
      const ids: Record<string, string> = {};
      const [crashing, others] = [true, false].map((crashes) =>
        playbooks.filter(({ ending }) => (ending === 'crash') === crashes),
      ) as [typeof playbooks, typeof playbooks];
      for (const { name } of crashing) ids[name] = await execute(name);
      for (const { name, kind, cells: of } of crashing)
        await world.until(`what is to lose its worker: ${name}`, () =>
          inFlight(client, ids[name]!, kind, of),
        );
      const doomed = world.running.at(-1)!;
      if (crashing.length > 0) doomed.child.kill('SIGKILL');
      for (const { name } of others) ids[name] = await execute(name);
      world.services.release();
      if (crashing.length > 0) await world.startWorker();

      const onDev = await execute('on_dev', {});
      const kept: Content[] = [];
      const wrong: object[] = [];
      const all = [...playbooks, { name: 'on_dev', ending: 'failure', cells: [] }];
      ids['on_dev'] = onDev;
      for (const { name, ending, cells: of } of all) {
        const id = ids[name]!;
        const handle = client.workflow.getHandle(workflowId(id));
        await world
          .until(`the end of ${name}`, async () => {
            const { body } = await world.ask('GET', `/api/executions/${id}/status`);
            return body['completed'] || undefined;
          })
          .catch(async (error: unknown) => {
            const { raw } = await handle.describe();
            throw new Error(`${String(error)}\npending: ${JSON.stringify(raw.pendingActivities, null, 1)}`);
          });
        const [history, described] = await Promise.all([handle.fetchHistory(), handle.describe()]);
        const { events, state } = await recordedExecution([history], { converter, bodies: true });
        kept.push(...contentsOfHistory(JSON.parse(historyToJSON(history)) as object, 'history'));
        kept.push(...contentsOfEvents(events), { where: 'state', text: JSON.stringify(state) });
        const { memo, typedSearchAttributes, staticSummary, staticDetails } = described;
        const shown = [memo, typedSearchAttributes.getAll(), await staticSummary(), await staticDetails()];
        kept.push({ where: 'description', text: JSON.stringify(shown) });
        for (const route of ['', '/events', '/state', '/graph'])
          await world.ask('GET', `/api/executions/${id}${route}`);
        const ends = endsIn(events as never);
        for (const { step, place } of of) {
          const end = ends[step] ?? 'nothing';
          const isRight =
            ending === 'success' || ending === 'crash'
              ? end === 'done'
              : ending === 'timeout'
                ? end.startsWith('failed: timeout')
                : end.startsWith('failed') && !end.startsWith('failed: timeout');
          if (!isRight) wrong.push({ name, place, end });
        }
      }
      expect(wrong).toEqual([]);
      expectArrived(world.services, tested);

      for (const route of [
        '/api/executions',
        '/api/credentials',
        '/api/credentials/blob',
        '/api/credentials/blob/audit',
        '/api/auth_cache',
        '/metrics',
        `/api/nothing/${PLANTED}`,
      ])
        await world.ask('GET', route);
      await expectRecord(world, Object.values(ids));
      // A token without the scope gets nothing.
      const stolen = await world.ask(
        'GET',
        '/api/credentials/blob?include_data=true',
        undefined,
        world.tokens.run,
      );
      expect(stolen.status).toBe(403);

      const files = world.files();
      kept.push(...world.said, ...world.logs(), ...files, ...(await whileTheyRan()));
      await world.collector.span(({ text }) => text.includes(PLANTED));
      kept.push(...world.collector.spans.map(({ text }) => ({ where: 'span', text })));
      kept.push({ where: 'log of Postgres', text: fs.readFileSync(world.services.postgresLog, 'latin1') });
      // The search finds what was planted in each of these places …
      const planted = (word: string, contents: readonly Content[]): string[] => [
        ...new Set(canariesIn(contents, [word]).map(({ where }) => where.split('.')[0]!)),
      ];
      const places = planted(PLANTED, kept);
      const searched = [
        ...(encrypt ? [] : [/^history$/]),
        ...['canonical', 'formal', 'extended', 'noetl'].map(
          (name) => new RegExp(`^events, profile ${name}$`),
        ),
        /^state$/,
        /^description$/,
        /^REST .*executions/,
        /^REST .*credentials$/,
        /^log of dev$/,
        /^log of serve$/,
        /^log of worker$/,
        /^log of Postgres$/,
        /^span$/,
        ...(HAS_PROC ? [/^arguments of processes$/] : []),
        /^temporary file/,
        /^file postgres/,
        /^file temporal/,
      ];
      expect({ places, missing: searched.filter((place) => !places.some((one) => place.test(one))) }).toEqual(
        {
          places,
          missing: [],
        },
      );
      expect(kept.some(({ text }) => text.includes('[redacted]'))).toBe(true);
      // … and the secret in none of them.
      expect(canariesIn(kept, CANARIES)).toEqual([]);
      const readable = kept.filter(({ where }) => !where.startsWith('file '));
      expect(canariesWritten(readable, CANARIES)).toEqual([]);
      // What is no secret is to be read in the files, unless payloads are encrypted.
      expect(
        planted(
          PLAIN,
          files.filter(({ where }) => /temporal|blobs/.test(where)),
        ).length > 0,
      ).toBe(!encrypt);
    } finally {
      await whileTheyRan();
      await storage.close();
      await connection.close();
    }
  }, 900_000);
});

/** True when all tasks of the cells run at once, undefined until then. */
async function inFlight(
  client: Client,
  id: string,
  kind: string,
  of: readonly Cell[],
): Promise<true | undefined> {
  const { raw } = await client.workflow.getHandle(workflowId(id)).describe();
  const wanted = of.length + of.filter(({ place }) => place === 'parallel loop').length;
  if (kind !== 'playbook') {
    const started = raw.pendingActivities?.filter(({ state }) => Number(state) === 2) ?? [];
    return started.length >= wanted || undefined;
  }
  const children = raw.pendingChildren ?? [];
  const started = await Promise.all(
    children.map(async ({ workflowId }) => {
      const child = await client.workflow.getHandle(workflowId!).describe();
      return child.raw.pendingActivities?.some(
        ({ state, activityId }) => Number(state) === 2 && activityId !== 'resolve',
      );
    }),
  );
  return started.filter(Boolean).length >= wanted || undefined;
}

interface ErrorTold {
  readonly kind?: string;
  readonly code?: string;
  readonly message?: string;
}

interface Ended {
  readonly event_type: string;
  readonly entity_id: string;
  readonly step_run_id?: string;
  readonly payload: { readonly error?: ErrorTold; readonly outcome?: { readonly error?: ErrorTold | null } };
}

function endsIn(events: readonly Ended[]): Ends {
  const ends: Ends = {};
  for (const { event_type, entity_id, step_run_id, payload } of events) {
    const name = stepOf(entity_id);
    const { kind = 'unknown', code, message } = payload.error ?? payload.outcome?.error ?? {};
    const failed = `failed: ${kind} ${code}: ${message}`;
    // A loop is done when its iterations are, also with failed ones: its tasks tell.
    if (event_type === 'task.failed') ends[stepOf(step_run_id ?? entity_id)] = failed;
    if (event_type === 'task.retrying') delete ends[stepOf(step_run_id ?? entity_id)];
    if (event_type === 'step.done' || event_type === 'loop.done') ends[name] ??= 'done';
    if (event_type === 'step.failed') ends[name] = failed;
  }
  return ends;
}

/** Of `fetch#2[7].store~1@1`. */
function stepOf(id: string): string {
  return id.replace(/#.*$/, '');
}

/** It arrived, as itself or in the form of the place: what is nowhere else may never have been anywhere. */
function expectArrived({ heard }: Services, tested: readonly Cell[]): void {
  const contents = heard.map((one) => ({ where: one.path.split(/[?]/)[0]!, text: one.text }));
  const arrived = new Set(
    canariesIn(contents, CANARIES).map(({ where }) => where.split('/').slice(1).join('/')),
  );
  const wanted = tested
    .filter(({ kind }) => kind === 'http')
    .map(({ ending, kind, step }) => `${ending}/${kind}/${step}`);
  expect(wanted.filter((one) => !arrived.has(one))).toEqual([]);
}

/** Each reading is on record: of the pool's worker by its token, of `dev`, which checks keychains, as itself. */
async function expectRecord(world: World, ids: readonly string[]): Promise<void> {
  const { body } = await world.ask('GET', '/api/credentials/blob/audit?limit=1000');
  const items = body['items'] as { action: string; principal: string; execution_id: string }[];
  const readings = items.filter(({ action }) => action === 'read');
  const principals = new Set(readings.map(({ principal }) => principal));
  expect(principals).toContain('w');
  expect([...principals].filter((name) => name !== 'w' && !name.endsWith('(command line)'))).toEqual([]);
  const known = new Set(readings.map(({ execution_id }) => execution_id));
  if (items.length < 1000) expect(ids.filter((id) => !known.has(id))).toEqual([]);
}
