/** `/api/notifications`: what people and systems were told, and what could not be delivered. */
import { z } from 'zod';
import { NOTIFICATION_STATUSES, StoredNotifications } from '../../store';
import { decimalId } from './secrets';
import { okAnswer, route, FacadeError, component, integerFrom, mapping } from './declare';

const querySchema = z.object({
  status: z
    .enum(NOTIFICATION_STATUSES)
    .optional()
    .describe('`dead`: given up after all attempts; `pending`: to be attempted (again)'),
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
  error: z.string().nullable().describe('Why the last attempt failed'),
  attempts: z.int(),
  occurred_at: z.iso.datetime(),
  next_at: z.iso.datetime().nullable(),
  delivered_at: z.iso.datetime().nullable(),
});

const again = z.union([
  z.strictObject({ ids: z.array(z.string().min(1).max(100)).min(1).max(1000) }),
  z.strictObject({ status: z.literal('dead') }),
]);

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
    summary: 'Send undelivered notifications again: some, or all that are dead',
    body: again,
    answers: okAnswer('Those that will be sent', z.object({ ids: z.array(z.string()) }), 202),
    errors: [404],
    async handle({ body }, { database }) {
      const ids = await new StoredNotifications(database.query).retry('ids' in body ? body.ids : 'dead');
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
];
