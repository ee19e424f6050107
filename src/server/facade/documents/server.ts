/** Documents about what serves and works: workers, credentials, who is logged in. */
import { z } from 'zod';
import { component, mapping } from '../http/schema';
import { SCOPES } from '../http/scopes';

export const sessionSchema = component('Session', {
  needs_token: z.boolean().describe('Whether this facade requires tokens'),
  name: z.string().nullable().describe('Of the token; null: nobody is logged in'),
  scopes: z.array(z.enum(SCOPES)),
  version: z.string(),
  temporal_ui: z.string().nullable().describe('Where Temporal’s own pages are, if known'),
});

export const credentialSchema = component('Credential', {
  id: z.string(),
  name: z.string(),
  type: z.string(),
  meta: mapping.nullable(),
  tags: z.array(z.string()),
  paths: z.array(z.string()).nullable(),
  description: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  last_used_at: z
    .string()
    .optional()
    .describe('In lists: when its data was last read, as far as the audit goes back'),
  data: mapping.nullable(),
});

export const credentialTest = component('CredentialTest', {
  ok: z.boolean(),
  execution_id: z.string(),
  code: z.string().nullable().describe('Of the failure; `TEST_UNANSWERED`: no worker answered in time'),
  message: z.string().nullable(),
});

export const workerPool = component('WorkerPool', {
  name: z.string(),
  runtime: z.object({ type: z.literal('temporal'), hostname: z.string(), pid: z.number().nullable() }),
  status: z
    .enum(['ready', 'stale'])
    .describe('stale: it has not polled for 75 s; workers that were shut down are not listed'),
  capacity: z.number().describe('Task queues that it polls'),
  labels: z.record(z.string(), z.string()),
  kinds: z.array(z.string()),
  task_queues: z.array(z.string()),
  heartbeat: z.iso.datetime(),
  created_at: z.iso.datetime().nullable(),
  updated_at: z.iso.datetime(),
});

export const taskQueueSchema = component('TaskQueue', {
  name: z.string(),
  kind: z.string(),
  backlog: z.number().describe('Tasks that wait for a worker, about'),
  backlog_age_seconds: z.number().describe('How long the oldest of them has waited'),
  pool: z.string().nullable().describe('Of workers; null for the default one'),
  pollers: z.array(z.string()).describe('Workers that ask for its tasks'),
  served: z.boolean().describe('Whether any of its workers has polled or sent a heartbeat in the last 65 s'),
  last_seen: z.iso
    .datetime()
    .nullable()
    .describe('The last sign of life of a worker; null if there was none, as far as Temporal remembers'),
});
