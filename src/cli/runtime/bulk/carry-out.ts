/** `rerun|cancel|pause|resume|replay --where …`: shows what is meant, asks, begins, and watches to the end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type BulkStanding, type CauseGroup } from '../../../server/bulk';
import { type BulkOptions, type BulkVerb } from '../../../language/plan';
import { hasCode } from '../../../language/errors';
import { EXIT } from '../../errors';
import { bulkText, causesText } from '../../output/bulk-text';
import { print } from '../../output/say';
import { type Port, type RemoteFlags, withPort } from '../port';
import { ask } from '../port/ask';
import { revisionFrom } from '../revision';
import { onInterrupt } from '../signals';
import { confirmed } from './confirm';

export interface BulkAsked {
  readonly verb: BulkVerb;
  readonly where: string;
  /** Executions per second. */
  readonly rate: number;
  readonly options: BulkOptions;
  /** rerun: the file of a new revision. */
  readonly playbook?: string;
}

/** What an operation would do; nothing has begun. */
export interface Chosen {
  /** Of the operation, if it begins. */
  readonly bulk_id: string;
  readonly executions: readonly string[];
  readonly causes: readonly CauseGroup[];
}

export interface CarryOutOptions extends RemoteFlags {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  /** Ends as soon as the operation has begun; with a server only, where another process carries it out. */
  readonly detach?: boolean;
}

/** Reading an operation takes longer the larger it is. */
const POLL_MS = 500;
const LARGE = 1_000;
const LARGE_POLL_MS = 3_000;

/** @returns the exit code: 1 if something could not be done, 130 if the command was interrupted */
export async function carryOutBulk(request: BulkAsked, options: CarryOutOptions): Promise<number> {
  return await withPort(options, async (port) => {
    const chosen = await begin(port, request, { dry_run: true });
    const { bulk_id, executions, causes } = chosen;
    const total = executions.length;
    if (options.dryRun || total === 0) {
      const document = { verb: request.verb, dry_run: true, total, causes, executions };
      await print(options.json ? JSON.stringify(document, null, 2) : causesText(request.verb, chosen));
      return EXIT.success;
    }
    process.stderr.write(`${causesText(request.verb, chosen)}\n`);
    const isHarmless = request.verb === 'replay';
    if (!options.yes && !isHarmless && !(await confirmed(`${request.verb} ${total} executions?`)))
      return EXIT.success;
    await begin(port, request, { id: bulk_id, executions });
    process.stderr.write(`bulk operation ${bulk_id}\n`);
    if (!options.detach) return await watchBulk(port, bulk_id, options);
    await print(options.json ? JSON.stringify({ bulk_id, total }, null, 2) : bulk_id);
    return EXIT.success;
  });
}

function begin(port: Port, request: BulkAsked, more: object): Promise<Chosen> {
  const { verb, where, rate, options, playbook } = request;
  const { from: from_step, fromFailure: from_failure, ...rest } = options;
  const revision = revisionFrom(playbook)?.text;
  const body = { verb, where, rate, from_step, from_failure, ...rest, playbook: revision, ...more };
  return ask(port, '/api/bulk', { method: 'POST', body });
}

/**
 * Until it has ended. Ctrl-C leaves it running. Without a facade, the command itself does the work, beside any `dev` and
 * `serve`.
 *
 * @returns the exit code
 */
export async function watchBulk(port: Port, id: string, { data, json }: RemoteFlags): Promise<number> {
  const watching = (): Promise<number> => untilOver(port, id, json);
  if (port.url !== undefined) return await watching();
  const { servingBulk } = await import('./serve.js');
  return await servingBulk(data, watching);
}

async function untilOver(port: Port, id: string, json: boolean | undefined): Promise<number> {
  let isInterrupted = false;
  const end = onInterrupt(() => (isInterrupted = true));
  try {
    for (;;) {
      const standing = await ask<BulkStanding>(port, `/api/bulk/${id}`).catch((error: unknown) => {
        // A facade that is replaced, a server that is busy.
        if (hasCode(error, 'FACADE_UNREACHABLE', 'FACADE_FAILED')) return undefined;
        throw error;
      });
      if (standing) show(standing);
      if (standing && standing.status !== 'running') return await report(standing, json);
      if (isInterrupted) {
        process.stderr.write(
          `the operation is not cancelled: bulk resume ${id} continues it, bulk cancel ${id} stops it\n`,
        );
        return EXIT.interrupted;
      }
      await sleep((standing?.total ?? 0) > LARGE ? LARGE_POLL_MS : POLL_MS);
    }
  } finally {
    end();
  }
}

function show({ total, counts }: BulkStanding): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${total - counts.left} of ${total} …`);
}

async function report(standing: BulkStanding, json: boolean | undefined): Promise<number> {
  if (process.stderr.isTTY) process.stderr.write('\r');
  await print(json ? JSON.stringify(standing, null, 2) : bulkText(standing));
  return standing.counts.failed === 0 && standing.status === 'completed' ? EXIT.success : EXIT.failed;
}
