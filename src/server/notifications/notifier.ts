/** Notifications of one process: what enters the outbox, what is noticed by the clock, and what is sent. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client } from '@temporalio/client';
import { type Pool } from 'pg';
import { messageOf } from '../../language/errors';
import { compact } from '../../language/plan';
import { cached, type Meters } from '../../telemetry/metrics';
import { type Companion } from '../projection';
import { abortable } from '../../temporal/client';
import { notifying, type Settings } from './companion';
import { chatChannel } from './deliver/chat';
import { type ChannelServices } from './deliver/channel';
import { emailChannel } from './deliver/email';
import { playbookChannel } from './deliver/playbook';
import { webhookChannel } from './deliver/webhook';
import { noteFailedStarts, noteLateExecutions, noteLateSchedules } from './late';
import { type SendOutcome, Sender } from './sender';

export interface NotifierOptions {
  /** With the schema of this release; every notification in progress takes a connection. */
  readonly pool: Pool;
  readonly client: Client;
  readonly settings: Settings;
  readonly services: ChannelServices;
  readonly meters: Meters;
  readonly signal: AbortSignal;
  /** Called with problems as text. */
  readonly report: (line: string) => void;
}

/** Notifications sent at once. */
export const SENDERS = 4;
const EXECUTIONS_MS = 5_000;
/** Lists all schedules of the namespace. */
const SCHEDULES_MS = 30_000;
/** One query. */
const STARTS_MS = 10_000;
const FRESH_MS = 10_000;

export class Notifier {
  /** For the sink that writes the tables. */
  readonly companion: Companion;
  private readonly sender: Sender;

  constructor(private readonly options: NotifierOptions) {
    const { pool, client, settings, services, meters, signal, report } = options;
    this.companion = notifying(settings);
    const channels = {
      playbook: playbookChannel(client),
      webhook: webhookChannel(services),
      email: emailChannel(services),
      chat: chatChannel(services),
    };
    const attempted = measureDeliveries(meters, pool);
    this.sender = new Sender({
      pool,
      channels,
      addresses: { ...settings, ...compact({ answerPath: services.answerPath }) },
      listed: settings.targets,
      concurrency: SENDERS,
      signal,
      report,
      attempted,
    });
  }

  /** Until stopped; attempts to deliver are completed, a search for what is late is abandoned. */
  async run(): Promise<void> {
    await Promise.all([
      this.sender.run(),
      this.repeat(EXECUTIONS_MS, () => noteLateExecutions(this.options)),
      this.repeat(SCHEDULES_MS, () => noteLateSchedules(this.options, Date.now())),
      this.repeat(STARTS_MS, () => noteFailedStarts(this.options, Date.now())),
    ]);
  }

  /** Notices what is late, and attempts everything that is due, once. */
  async once(): Promise<void> {
    await noteLateExecutions(this.options);
    await noteLateSchedules(this.options, Date.now());
    await noteFailedStarts(this.options, Date.now());
    await this.sender.drain();
  }

  private async repeat(pauseMs: number, look: () => Promise<unknown>): Promise<void> {
    const { client, signal, report } = this.options;
    let lastReport = '';
    while (!signal.aborted) {
      try {
        await abortable(client, signal, look);
        lastReport = '';
      } catch (error) {
        const why = `notifications: cannot look for what is late: ${messageOf(error)}`;
        if (why !== lastReport && !signal.aborted) report((lastReport = why));
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** @returns counts an attempt */
export function measureDeliveries(meters: Meters, pool: Pool): (cause: string, outcome: SendOutcome) => void {
  const attempts = meters.counter({
    name: 'noetl_notifications_total',
    help: 'Attempts to deliver a notification, by cause and outcome (delivered, failed, dead)',
    labels: ['cause', 'outcome'],
  });
  const waiting = cached(FRESH_MS, () =>
    pool.query<{ status: string; count: string }>(
      `SELECT s.status, count(n.id) FROM (VALUES ('pending'), ('dead')) AS s (status)
       LEFT JOIN noetl.notification n ON n.status = s.status GROUP BY 1`,
    ),
  );
  meters.gauge(
    {
      name: 'noetl_notifications_undelivered',
      help: 'Notifications that are not delivered yet (pending), or given up (dead)',
      labels: ['status'],
    },
    async () =>
      (await waiting()).rows.map(({ status, count }) => ({ labels: { status }, value: Number(count) })),
  );
  const late = cached(FRESH_MS, () =>
    pool.query<{ path: string; count: string }>(
      'SELECT path, count(*) FROM noetl.execution WHERE late_at IS NOT NULL AND end_time IS NULL GROUP BY path',
    ),
  );
  meters.gauge(
    {
      name: 'noetl_executions_late',
      help: 'Open executions that have passed their deadline, by playbook',
      labels: ['playbook'],
    },
    async () =>
      (await late()).rows.map(({ path, count }) => ({ labels: { playbook: path }, value: Number(count) })),
  );
  return (cause, outcome) => attempts({ cause, outcome });
}
