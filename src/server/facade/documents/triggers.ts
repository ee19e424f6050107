/** Documents about triggers. */
import { z } from 'zod';
import { TRIGGER_STATES } from '../../../language/plan';
import { component, mapping } from '../http/schema';

const count = z.int();
const time = z.iso.datetime().nullable();

export const subscription = component('Subscription', {
  subscription_id: z.string(),
  path: z.string(),
  catalog_id: z.string().nullable().describe('Of its latest version'),
  state: z.enum(TRIGGER_STATES),
  last_event_type: z.string(),
  updated_at: z.iso.datetime(),
  source: z.string(),
  mode: z.enum(['pull', 'push']),
  address: z.string().nullable().describe('Of a pushed one, on this server'),
  received: count.describe('Messages, since it was registered'),
  started: count,
  duplicates: count.describe('Messages whose key had an execution'),
  filtered: count,
  failed: count.describe('Messages that became dead letters'),
  dead_letters: count.describe('Those that there are now'),
  lag: count.nullable().describe('Messages that wait in the source'),
  lag_at: time,
  last_message_at: time,
  trouble: z.string().nullable().describe('Why nothing can be taken or started'),
  trouble_at: time,
});

export const deadLetter = component('DeadLetter', {
  dead_id: z.string(),
  message_id: z.string(),
  code: z.string(),
  error: z.string(),
  bytes: z.int(),
  failed_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
});

export const testedMessage = component('TestedMessage', {
  outcome: z.enum(['started', 'filtered', 'dead']),
  playbook: z.string().nullable(),
  version: z.string().nullable(),
  pool: z.string().nullable(),
  key: z.string().nullable(),
  workload: mapping.nullable(),
  directives: z.array(z.object({ header: z.string(), controls: z.string(), effective_value: z.string() })),
  refused: z.object({ code: z.string(), message: z.string() }).nullable(),
});

export const trigger = z
  .object({ id: z.string(), path: z.string(), source: z.string(), message_id: z.string(), key: z.string() })
  .nullable()
  .describe('The trigger that started it, and the message');
