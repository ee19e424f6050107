/** `rerun|cancel|pause|resume|replay --where …`: shows what is meant, asks, begins, and watches to the end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type BulkStanding } from '../../../server/bulk';
import { hasCode } from '../../../language/errors';
import { EXIT } from '../../errors';
import { bulkText, causesText } from '../../output/bulk-text';
import { print } from '../../output/say';
import { type RemoteFlags } from '../executions';
import { onInterrupt } from '../signals';
import { confirmed } from './confirm';
import { bulkOperations } from './index';
import { type BulkAsked, type BulkOperations } from './operations';

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
  const operations = await bulkOperations(options, !options.dryRun);
  try {
    const chosen = await operations.choose(request);
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
    await operations.start(request, chosen);
    process.stderr.write(`bulk operation ${bulk_id}\n`);
    if (!options.detach) return await watchBulk(operations, bulk_id, options.json);
    await print(options.json ? JSON.stringify({ bulk_id, total }, null, 2) : bulk_id);
    return EXIT.success;
  } finally {
    await operations.close();
  }
}

/** Until it has ended. Ctrl-C leaves it running. @returns the exit code */
export async function watchBulk(operations: BulkOperations, id: string, json?: boolean): Promise<number> {
  let isInterrupted = false;
  const end = onInterrupt(() => (isInterrupted = true));
  try {
    for (;;) {
      const standing = await operations.read(id).catch((error: unknown) => {
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
