/** `/api/notifications`: what people and systems were told, and what could not be delivered. */
import { z } from 'zod';
import { CAUSES } from '../../../language/plan';
import {
  endSilence,
  fitsAny,
  NOTIFICATION_STATUSES,
  putSilence,
  type Silence,
  silencesInForce,
  StoredNotifications,
} from '../../store';
import { decimalId } from './secrets';
import {
  boundedText,
  component,
  FacadeError,
  integerFrom,
  invalidField,
  mapping,
  okAnswer,
  route,
} from './declare';

const querySchema = z.object({
  status: z
    .enum(NOTIFICATION_STATUSES)
    .optional()
    .describe(
      '`dead`: given up after all attempts; `pending`: to be attempted (again); `silenced`: held back',
    ),
  execution_id: decimalId.optional(),
  limit: integerFrom(1).max(1000).default(100),
});

const notification = component('Notification', {
  id: z.string(),
  cause: z.string(),
  status: z.enum(NOTIFICATION_STATUSES),
  path: z.string(),
  execution_id: z.string().nullable().describe('Null for a schedule that has not started what was due'),
  schedule: z.string().nullable(),
  target: mapping.describe('Credentials are named, never included'),
  error: z.string().nullable().describe('Why the last attempt failed, or who silenced it'),
  attempts: z.int(),
  occurred_at: z.iso.datetime(),
  next_at: z.iso.datetime().nullable(),
  delivered_at: z.iso.datetime().nullable(),
});

const again = z.union([
  z.strictObject({ ids: z.array(z.string().min(1).max(100)).min(1).max(1000) }),
  z.strictObject({ status: z.enum(['dead', 'silenced']) }),
]);

/** Each is looked at before something is sent. */
const MOST_SILENCES = 1_000;
const pathPattern = boundedText(500).min(1).describe('A path; `*` stands for any characters');
const silenced = {
  path: pathPattern,
  until: z.iso.datetime({ offset: true }),
  causes: z.array(z.enum(CAUSES)).min(1).nullable().describe('Null: all'),
  reason: boundedText(500).nullable(),
};
const silence = component('Silence', { ...silenced, created_by: z.string().describe('Name of the token') });

function silenceDocument({ until, ...one }: Silence): z.input<typeof silence> {
  return { ...one, until: until.toISOString(), causes: one.causes && [...one.causes] };
}

export const notificationRoutes = [
  route('GET /api/notifications', {
    scope: 'read',
    summary: 'List notifications, newest first',
    description:
      'Delivered ones are kept for 30 days. Sent by the projection (`noetl-temporal project`, `dev`).',
    query: querySchema,
    answers: okAnswer('Notifications', z.object({ notifications: z.array(notification) })),
    handle: async ({ query: { status, execution_id, limit } }, { database }) => ({
      notifications: await new StoredNotifications(database.query).list({
        status,
        executionId: execution_id,
        limit,
      }),
    }),
  }),
  route('GET /api/notifications/targets', {
    scope: 'read',
    summary: 'The targets of notifications that playbooks and schedules may name',
    description: 'From `targets` of the file of notifications that this facade was started with.',
    answers: okAnswer(
      'Names, without addresses and credentials',
      z.object({
        targets: z.array(z.object({ name: z.string(), kind: z.enum(['webhook', 'email', 'chat']) })),
      }),
    ),
    handle: (_request, { listedTargets }) => ({ targets: [...(listedTargets ?? [])] }),
  }),
  route('POST /api/notifications/retry', {
    scope: 'run',
    summary: 'Send undelivered notifications again: some, or all that are dead or silenced',
    body: again,
    answers: okAnswer('Those that will be sent', z.object({ ids: z.array(z.string()) }), 202),
    errors: [404],
    async handle({ body }, { database }) {
      const ids = await new StoredNotifications(database.query).retry('ids' in body ? body.ids : body.status);
      const missing = 'ids' in body ? body.ids.filter((id) => !ids.includes(id)) : [];
      if (missing.length > 0 && ids.length === 0)
        throw new FacadeError(
          404,
          'NOTIFICATION_NOT_FOUND',
          `no undelivered notification has the id ${missing.join(', ')}`,
          { at: 'body.ids' },
        );
      return { ids };
    },
  }),
  route('GET /api/notifications/silences', {
    scope: 'read',
    summary: 'Paths about which nobody is notified now',
    answers: okAnswer('Those in force, the longest first', z.object({ silences: z.array(silence) })),
    handle: async (_request, { database }) => ({
      silences: (await silencesInForce(database.rows)).map(silenceDocument),
    }),
  }),
  route('POST /api/notifications/silences', {
    scope: 'run',
    summary:
      'Notify nobody of playbooks by path until a time, in place of an earlier silence of the same path',
    description: 'What is held back is listed as `silenced`, and may be sent later with `retry`.',
    body: z.strictObject({
      ...silenced,
      causes: silenced.causes.optional(),
      reason: silenced.reason.optional(),
    }),
    answers: okAnswer(
      'The silence',
      silence.extend({ playbooks: z.int().describe('Of the catalog, that it is about') }),
      201,
    ),
    errors: [429],
    async handle({ body: { path, causes = null, reason = null, until: time }, principal }, { database }) {
      const until = new Date(time);
      if (until.getTime() <= Date.now())
        throw invalidField(
          'body.until',
          'SILENCE_OVER',
          `${until.toISOString()} is over: give a time to come`,
        );
      if ((await silencesInForce(database.rows)).length >= MOST_SILENCES)
        throw new FacadeError(429, 'TOO_MANY_SILENCES', `there are ${MOST_SILENCES}: end some, or use \`*\``);
      const one = { path, until, causes, reason, created_by: principal.name };
      await putSilence(database.rows, one);
      const paths = await database.rows<{ path: string }>(
        'SELECT path FROM noetl.catalog_path WHERE latest_version IS NOT NULL',
        [],
      );
      return {
        ...silenceDocument(one),
        playbooks: paths.filter((entry) => fitsAny([path], entry.path)).length,
      };
    },
  }),
  route('DELETE /api/notifications/silences', {
    scope: 'run',
    summary: 'End a silence; what it held back stays so',
    query: z.object({ path: pathPattern.describe('As it was given') }),
    answers: okAnswer('Ended', z.object({ path: z.string() })),
    errors: [404],
    async handle({ query: { path } }, { database }) {
      if (!(await endSilence(database.rows, path)))
        throw new FacadeError(404, 'SILENCE_NOT_FOUND', `nothing silences ${path} now`, { at: 'query.path' });
      return { path };
    },
  }),
];
