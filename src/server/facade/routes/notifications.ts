/** `/api/notifications`: what people and systems were told, and what could not be delivered. */
import { z } from 'zod';
import { NOTIFICATION_STATUSES, StoredNotifications } from '../../store';
import { FacadeError } from '../http/errors';
import { okAnswer, type Route, route } from '../http/route';
import { type FacadeServices } from '../services';
import { decimalId } from './secrets';

const querySchema = z.object({
  status: z
    .enum(NOTIFICATION_STATUSES)
    .optional()
    .meta({ description: '`dead`: given up after all attempts; `pending`: to be attempted (again)' }),
  execution_id: decimalId.optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
});

const notification = z
  .object({
    id: z.string(),
    cause: z.string(),
    status: z.enum(NOTIFICATION_STATUSES),
    path: z.string(),
    execution_id: z
      .string()
      .nullable()
      .meta({ description: 'Null for a schedule that has not started what was due' }),
    schedule: z.string().nullable(),
    target: z.record(z.string(), z.unknown()).meta({ description: 'Credentials are named, never included' }),
    error: z.string().nullable().meta({ description: 'Why the last attempt failed' }),
    attempts: z.int(),
    occurred_at: z.iso.datetime(),
    next_at: z.iso.datetime().nullable(),
    delivered_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Notification' });

const again = z.union([
  z.strictObject({ ids: z.array(z.string().min(1).max(100)).min(1).max(1000) }),
  z.strictObject({ status: z.literal('dead') }),
]);

export function notificationRoutes({ database, listedTargets }: FacadeServices): readonly Route[] {
  const stored = new StoredNotifications(database.query);
  return [
    route('GET /api/notifications', {
      scope: 'read',
      summary: 'List notifications, newest first',
      description:
        'Delivered ones are kept for 30 days. Sent by the projection (`noetl-temporal project`, `dev`).',
      query: querySchema,
      answers: okAnswer('Notifications', z.object({ notifications: z.array(notification) })),
      handle: async ({ query: { status, execution_id, limit } }) => ({
        notifications: await stored.list({ status, executionId: execution_id, limit }),
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
      handle: () => ({ targets: [...(listedTargets ?? [])] }),
    }),
    route('POST /api/notifications/retry', {
      scope: 'run',
      summary: 'Send undelivered notifications again: some, or all that are dead',
      body: again,
      answers: {
        202: { description: 'Those that will be sent', body: z.object({ ids: z.array(z.string()) }) },
      },
      errors: [404],
      async handle({ body }) {
        const ids = await stored.retry('ids' in body ? body.ids : 'dead');
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
}
