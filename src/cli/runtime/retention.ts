/** Retention: `storage expire` once, and the sweeper of `project` every hour. One process sweeps a database at a time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client } from '@temporalio/client';
import { type Pool } from 'pg';
import { type Storage } from '../../storage/blobs';
import { messageOf } from '../../language/errors';
import { addressOf, openPool } from '../../storage/postgres';
import { ProjectionLeases } from '../../server/projection';
import {
  type ExpiredExecution,
  parseRetention,
  type RetentionPolicy,
  sweep,
  type Swept,
} from '../../server/retention';
import { databaseError, migrate } from '../../server/store';
import { UsageError } from '../errors';
import { isKnown } from './clear-storage';
import { dataFolder } from './data-folder';
import { withClient } from './recorded-run';
import { openLocalStorage } from './storage';
import { postgresOf, type StoreOptions } from './store';

const EVERY_MS = 3_600_000;
const LEASE = 'retention';

/** `--retention`, else NOETL_RETENTION; undefined when neither is set. @throws EnvironmentError `RETENTION_INVALID` */
export function configuredRetention(option: string | undefined): RetentionPolicy | undefined {
  const text = option || process.env['NOETL_RETENTION'];
  return text ? parseRetention(text) : undefined;
}

export interface ExpireOptions extends StoreOptions {
  readonly retention?: string;
  readonly dryRun?: boolean;
  readonly storage?: string;
  readonly onExpired: (execution: ExpiredExecution) => void;
}

/** @throws UsageError without a setting, and while another process sweeps */
export async function expire(options: ExpireOptions): Promise<Swept> {
  const policy = configuredRetention(options.retention);
  if (!policy)
    throw new UsageError('how long are executions kept? Set --retention or NOETL_RETENTION, e.g. 90d');
  const dataDir = dataFolder(options.data);
  const postgres = await postgresOf(options);
  const { url } = postgres;
  const leases = new ProjectionLeases(url);
  const pool = openPool({ ...addressOf(url), max: 2, connectionTimeoutMillis: 10_000 });
  const storage = await openLocalStorage(options.storage, dataDir);
  try {
    await migrate(url);
    const { dryRun = false, onExpired } = options;
    const swept = await withClient(dataDir, undefined, (client) =>
      sweepOnce({ pool, policy, storage, client, leases }, { dryRun, onExpired }),
    );
    if (swept) return swept;
    throw new UsageError('another process is removing what has expired; try again later');
  } catch (error) {
    throw databaseError(url, error);
  } finally {
    await Promise.all([storage.close(), leases.close(), pool.end()]);
    await postgres.stop();
  }
}

export interface SweepParts {
  readonly pool: Pool;
  readonly policy: RetentionPolicy;
  readonly storage: Pick<Storage, 'stores'>;
  readonly client: Client;
  readonly leases: ProjectionLeases;
}

interface SweepHow {
  readonly dryRun: boolean;
  readonly onExpired?: (execution: ExpiredExecution) => void;
  readonly signal?: AbortSignal;
}

/** @returns undefined if another process sweeps */
async function sweepOnce(parts: SweepParts, how: SweepHow): Promise<Swept | undefined> {
  const { pool, policy, storage, client, leases } = parts;
  const lost = new AbortController();
  const release = await leases.take(LEASE, () => lost.abort());
  if (!release) return undefined;
  try {
    return await sweep({
      ...how,
      pool,
      policy,
      stores: storage.stores,
      namespace: client.options.namespace,
      signal: how.signal ? AbortSignal.any([how.signal, lost.signal]) : lost.signal,
      isKnown: ({ namespace, workflowId }) => isKnown(client, namespace, workflowId),
    });
  } finally {
    await release();
  }
}

/** Sweeps now and every hour, until the signal; failures are reported and tried again. */
export async function sweepOnAndOn(
  parts: SweepParts,
  signal: AbortSignal,
  report: (line: string) => void,
  everyMs = EVERY_MS,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const swept = await sweepOnce(parts, { dryRun: false, signal });
      if (swept && (swept.executions > 0 || swept.values.count > 0)) report(sweptText(swept, false));
      for (const note of swept?.notes ?? []) report(`retention: ${note}`);
    } catch (error) {
      report(`retention: ${messageOf(error)}; tried again in an hour`);
    }
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
}

/** One line. */
export function sweptText({ executions, events, values, left }: Swept, dryRun: boolean): string {
  const verb = dryRun ? 'would remove' : 'removed';
  const rest =
    left > 0
      ? `; ${left} expired executions are left, because Temporal still has them or one of their family`
      : '';
  const ofEvents = dryRun ? '' : ` with ${events} events`;
  return `retention: ${verb} ${executions} executions${ofEvents}, and ${values.count} stored values of ${values.workflows} workflows, ${values.bytes} bytes${rest}`;
}
