/** Server information for the official clients: resources, state, database. */
import os from 'node:os';
import { z } from 'zod';
import { migrate } from '../../store';
import { countVisible, executionQuery } from '../../../temporal/client';
import { okAnswer, route, component } from './declare';

const stats = component('DashboardStats', {
  status: z.literal('ok'),
  stats: z.record(z.string(), z.number()),
  total_playbooks: z.number(),
  total_executions: z.number(),
  successful_executions: z.number().describe('Without those that a limit skipped'),
  skipped_executions: z.number(),
  failed_executions: z.number(),
  cancelled_executions: z.number(),
  active_executions: z.number(),
  active_workflows: z.number(),
  success_rate: z.number().describe('Percentage of those that have ended'),
});

const schemaState = z.object({ status: z.literal('ok'), valid: z.boolean(), message: z.string() });

const SCHEMA_FITS = { status: 'ok', valid: true, message: 'the schema noetl matches this release' };

export const serverRoutes = [
  route('GET /api/dashboard/stats', {
    scope: 'read',
    summary: 'Executions in numbers',
    answers: okAnswer('The numbers', stats),
    async handle(_request, { client, database }) {
      const count = async (query: string): Promise<number> => (await countVisible(client, query)).count;
      const [active, successful, failed, cancelled, skipped] = await Promise.all([
        count(executionQuery({ status: ['RUNNING'] })),
        count(executionQuery({ status: ['COMPLETED'] })),
        count(executionQuery({ status: ['FAILED'] })),
        count(executionQuery({ status: ['CANCELLED'] })),
        count(executionQuery({ status: ['SKIPPED'] })),
      ]);
      const { playbooks } = await database.query
        .selectFrom('noetl.catalog_path')
        .where('kind', '=', 'playbook')
        .where('latest_version', 'is not', null)
        .select((is) => is.fn.countAll<string>().as('playbooks'))
        .executeTakeFirstOrThrow();
      const ended = successful + failed + cancelled;
      const numbers = {
        total_playbooks: Number(playbooks),
        total_executions: active + ended + skipped,
        successful_executions: successful,
        skipped_executions: skipped,
        failed_executions: failed,
        cancelled_executions: cancelled,
        active_executions: active,
        active_workflows: active,
        success_rate: ended === 0 ? 0 : Math.round((1000 * successful) / ended) / 10,
      };
      return { status: 'ok', stats: numbers, ...numbers };
    },
  }),
  route('GET /api/pool/status', {
    scope: 'read',
    summary: 'Connections to the database of this server',
    answers: okAnswer(
      'The pool',
      z.object({
        status: z.literal('ok'),
        open: z.number(),
        idle: z.number(),
        waiting: z.number(),
        max: z.number(),
      }),
    ),
    handle: (_request, { database }) => ({ status: 'ok', ...database.load() }),
  }),
  route('GET /api/status', {
    scope: 'read',
    summary: 'This server',
    answers: okAnswer(
      'What it is',
      z.object({
        status: z.literal('ok'),
        version: z.string(),
        namespace: z.string(),
        hostname: z.string(),
        pid: z.number(),
        uptime_seconds: z.number(),
      }),
    ),
    handle: (_request, { client, version }) => ({
      status: 'ok',
      version,
      namespace: client.options.namespace,
      hostname: os.hostname(),
      pid: process.pid,
      uptime_seconds: Math.round(process.uptime()),
    }),
  }),
  route('GET /api/threads', {
    scope: 'read',
    summary: 'What this process waits for, by kind',
    answers: okAnswer(
      'A Node.js process has one thread; these are its open resources',
      z.object({
        count: z.number(),
        resources: z.record(z.string(), z.number()),
        memory_bytes: z.number(),
      }),
    ),
    handle() {
      const resources: Record<string, number> = {};
      const active = process.getActiveResourcesInfo();
      for (const kind of active) resources[kind] = (resources[kind] ?? 0) + 1;
      return { count: active.length, resources, memory_bytes: process.memoryUsage.rss() };
    },
  }),
  route('POST /api/db/init', {
    scope: 'admin',
    summary: 'Migrate the database schema to this release; no data is lost, and repeating it is harmless',
    answers: okAnswer('Done', schemaState),
    async handle(_request, { database }) {
      await migrate(database.url);
      return SCHEMA_FITS;
    },
  }),
  route('GET /api/db/validate', {
    scope: 'read',
    summary: 'Whether the database responds and has the schema of this release',
    answers: okAnswer('It does', schemaState),
    async handle(_request, { database }) {
      await database.ping();
      return SCHEMA_FITS;
    },
  }),
];
