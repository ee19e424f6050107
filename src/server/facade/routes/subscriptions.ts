/** `/api/subscriptions`: the life of triggers, their dead letters, and a test without effects. */
import { z } from 'zod';
import { CodedError, hasCode } from '../../../language/errors';
import { compact, type JsonObject, TRIGGER_VERBS } from '../../../language/plan';
import {
  DeadLetters,
  Dispatcher,
  messageHeaders,
  plannedStart,
  type SourceMessage,
  type TriggerRow,
} from '../../triggers';
import { entryOf } from '../catalog/reference';
import { deadLetter, subscription, testedMessage } from '../documents/triggers';
import { refuseWrongInputs } from '../submit/inputs';
import { messageStarter } from '../submit/messages';
import { type RouteServices } from '../services';
import { boundedText, FacadeError, integerFrom, mapping, okAnswer, route } from './declare';

const which = z.object({ id: boundedText(600).min(1).describe('Its id, or its path') });
const letterIds = z
  .array(z.string().regex(/^\d{1,18}$/))
  .min(1)
  .max(1000);
const letters = z.union([z.strictObject({ ids: letterIds }), z.strictObject({ all: z.literal(true) })]);
const REPLAYED_AT_ONCE = 1000;

/** @throws FacadeError 404 */
async function rowOf({ triggers }: RouteServices, id: string): Promise<TriggerRow> {
  const row = await triggers.store.find(id);
  if (row) return row;
  const hint = 'register it: noetl-temporal trigger activate PATH';
  throw new FacadeError(404, 'SUBSCRIPTION_NOT_FOUND', `no subscription is registered as ${id}`, {
    fix: [hint],
  });
}

/** Its row; one of the catalog is registered first, and one that cannot work is not activated. */
async function toActivate({ triggers }: RouteServices, id: string): Promise<TriggerRow> {
  const row = await triggers.store.find(id);
  const { plan } = await triggers.planOf(row?.path ?? id);
  const isNew = row === undefined || (row.state === 'DEACTIVATED' && !/^\d+$/.test(id));
  return isNew ? await triggers.store.register(plan).catch(asRefusal) : row;
}

function asRefusal(error: unknown): never {
  if (hasCode(error, 'TRIGGER_ADDRESS_TAKEN')) throw new FacadeError(409, error.code, error.message);
  if (hasCode(error, 'TRIGGER_STATE')) throw new FacadeError(400, error.code, error.message);
  throw error;
}

const testing = z.object({
  body: z.unknown().optional().describe('A text is the body as it is; other values as JSON'),
  id: boundedText(255).default('test'),
  headers: z.record(z.string(), z.union([z.string(), z.array(z.string())])).default({}),
  attributes: mapping.default({}),
  metadata: mapping.default({}),
});

async function tested({ triggers, library }: RouteServices, id: string, given: z.output<typeof testing>) {
  const { plan } = await triggers.planOf((await triggers.store.find(id))?.path ?? id);
  const { body = '', attributes, metadata } = given;
  const message: SourceMessage = {
    id: given.id,
    bytes: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    headers: messageHeaders(Object.entries(given.headers)),
    attributes: attributes as JsonObject,
    metadata: metadata as JsonObject,
  };
  const nothing = { playbook: null, version: null, pool: null, key: null, workload: null };
  try {
    const start = plannedStart(plan, message);
    if (!start) return { outcome: 'filtered', ...nothing, directives: [], refused: null };
    const { playbook, version, pool = null, payload: workload, applied: directives, key } = start;
    const refused = await entryOf(library.catalog, { path: playbook, ...compact({ version }) })
      .then(async (entry) => refuseWrongInputs((await library.runnable(entry, 'test')).inputs, workload))
      .then(() => null, refusalText);
    const preview = { playbook, version: version ?? null, pool, key: key ?? message.id, workload };
    return { outcome: refused ? 'dead' : 'started', ...preview, directives, refused };
  } catch (error) {
    return { outcome: 'dead', ...nothing, directives: [], refused: refusalText(error) };
  }
}

/** @throws what is no refusal of the message */
function refusalText(error: unknown): { code: string; message: string } {
  const isAway = error instanceof FacadeError && error.status >= 500;
  if (error instanceof CodedError && !isAway) return { code: error.code, message: error.message };
  throw error;
}

const registering = {
  scope: 'run',
  summary: 'Register a subscription of the catalog',
  description:
    'Idempotent by path while it is not deactivated. Registering the document in the catalog does it too.',
  body: z.object({ path: boundedText(600).min(1) }),
  answers: okAnswer('Its state', subscription),
  errors: [400, 404, 409],
  async handle({ body }: { body: { path: string } }, { triggers }: RouteServices) {
    const { plan } = await triggers.planOf(body.path);
    const row = await triggers.store.register(plan).catch(asRefusal);
    triggers.changed();
    return row;
  },
} as const;

const deadOf = ({ database, keys }: RouteServices): DeadLetters => new DeadLetters(database, keys);

export const subscriptionRoutes = [
  route('POST /api/subscriptions', registering),
  route('POST /api/subscriptions/register', { ...registering, alias: true }),
  route('GET /api/subscriptions', {
    scope: 'read',
    summary: 'List subscriptions, newest first, deactivated ones last',
    answers: okAnswer('Their states', z.object({ subscriptions: z.array(subscription) })),
    handle: async (_, { triggers }) => ({ subscriptions: await triggers.store.list() }),
  }),
  route('GET /api/subscriptions/{id}', {
    scope: 'read',
    summary: 'The state of a subscription',
    params: which,
    answers: okAnswer('Its state', subscription),
    errors: [404],
    handle: ({ params: { id } }, services) => rowOf(services, id),
  }),
  route('POST /api/subscriptions/{id}/{action}', {
    scope: 'run',
    summary: 'Activate, pause, resume, drain or deactivate a subscription',
    description:
      '`drain`: nothing more is taken; when what is in hand is finished, it is deactivated. Requests to the address of one that is ' +
      'not active are answered with 503.',
    params: which.extend({ action: z.enum(TRIGGER_VERBS) }),
    answers: okAnswer('Its state', subscription),
    errors: [400, 404],
    async handle({ params: { id, action } }, services) {
      const row = await (action === 'activate' ? toActivate : rowOf)(services, id);
      const moved = await services.triggers.store.move(row.subscription_id, action).catch(asRefusal);
      services.triggers.changed();
      return moved;
    },
  }),
  route('POST /api/subscriptions/{id}/test', {
    scope: 'run',
    acts: false,
    summary: 'What a message would start',
    description: 'Nothing is started and nothing is kept. A path of the catalog need not be registered.',
    params: which,
    body: testing,
    answers: okAnswer('What would become of it', testedMessage),
    errors: [400, 404],
    handle: ({ params: { id }, body }, services) => tested(services, id, body),
  }),
  route('GET /api/subscriptions/{id}/dead', {
    scope: 'read',
    summary: 'Messages that could not be started, newest first',
    params: which,
    query: z.object({ limit: integerFrom(1).max(1000).default(100) }),
    answers: okAnswer('Dead letters', z.object({ dead_letters: z.array(deadLetter) })),
    errors: [404],
    async handle({ params: { id }, query: { limit } }, services) {
      const { subscription_id } = await rowOf(services, id);
      return { dead_letters: await deadOf(services).list(subscription_id, limit) };
    },
  }),
  route('POST /api/subscriptions/{id}/dead/replay', {
    scope: 'run',
    summary: 'Start dead letters again, up to 1,000',
    description:
      'In the order in which they failed, with the newest version of the subscription. Those that fail again stay.',
    params: which,
    body: letters,
    answers: okAnswer(
      'What became of them',
      z.object({ started: z.int(), duplicates: z.int(), filtered: z.int(), failed: z.int() }),
    ),
    errors: [404, 503],
    async handle({ params: { id: name }, body }, services) {
      const { subscription_id: id, path } = await rowOf(services, name);
      const trigger = { id, plan: (await services.triggers.planOf(path)).plan };
      const dead = deadOf(services);
      const dispatcher = new Dispatcher(messageStarter(services, services.library), dead);
      const counts = { started: 0, duplicate: 0, filtered: 0, dead: 0 };
      const ids = 'ids' in body ? body.ids : undefined;
      for (const message of await dead.messages(id, ids, REPLAYED_AT_ONCE)) {
        const { outcome } = await dispatcher.dispatch(trigger, message);
        counts[outcome] += 1;
        if (outcome !== 'dead') await dead.drop(id, [message.deadId]);
      }
      const { started, duplicate: duplicates, filtered, dead: failed } = counts;
      return { started, duplicates, filtered, failed };
    },
  }),
  route('POST /api/subscriptions/{id}/dead/drop', {
    scope: 'run',
    summary: 'Forget dead letters',
    params: which,
    body: letters,
    answers: okAnswer('Those that are forgotten', z.object({ ids: z.array(z.string()) })),
    errors: [404],
    async handle({ params: { id }, body }, services) {
      const { subscription_id } = await rowOf(services, id);
      return { ids: await deadOf(services).drop(subscription_id, 'ids' in body ? body.ids : undefined) };
    },
  }),
];
