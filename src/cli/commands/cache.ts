import { Command } from 'commander';
import { withPlace } from '../input/options';
import { print, printAnswer } from '../output/say';
import { textTable } from '../output/table';
import { type CacheEntry, type CacheFilter } from '../../storage/payloads';
import { compact } from '../../language/plan/compact';
import { type Asking } from '../runtime/port/ask';
import { type RemoteFlags } from '../runtime/port';

type CacheFlags = CacheFilter & RemoteFlags;

/** Results that are listed. */
const MOST = '10000';

/** As listed: without the result. */
interface CachedResult extends Omit<CacheEntry, 'outcome' | 'created_at' | 'expires_at'> {
  /** RFC 3339. */
  readonly created_at: string;
  readonly expires_at: string;
}

async function cacheAt<T>(flags: CacheFlags, asking?: Asking): Promise<T> {
  const { askAt } = await import('../runtime/port/index.js');
  const { path, step, expired } = flags;
  const query = new URLSearchParams(
    compact({ path, step, expired: expired ? 'true' : undefined, limit: MOST }),
  );
  return await askAt(flags, `/api/cache?${query.toString()}`, asking);
}

/** `cache list|clear`: results that `spec.cache` keeps. */
export function cacheCommand(): Command {
  const list = withFilter(new Command('list'))
    .description('list cached results of tasks')
    .action(async (flags: CacheFlags) => {
      const all = await cacheAt<readonly CachedResult[]>(flags);
      if (flags.json) return await print(JSON.stringify({ results: all }, null, 2));
      if (all.length === 0) return await print('nothing is cached');
      const rows = all.map((one) => [
        one.path,
        one.step,
        one.task,
        one.kind,
        one.execution_id,
        one.expires_at,
      ]);
      await print(textTable([['path', 'step', 'task', 'kind', 'from execution', 'expires_at'], ...rows]));
    });
  const clear = withFilter(new Command('clear'))
    .description('delete cached results of tasks: those of a filter, or all')
    .action(async (flags: CacheFlags) => {
      const { cleared } = await cacheAt<{ cleared: number }>(flags, { method: 'DELETE' });
      await printAnswer(flags.json, { cleared }, `cleared ${cleared} cached results`);
    });
  return new Command('cache')
    .description('list and clear results that tasks with spec.cache reuse')
    .addCommand(list)
    .addCommand(clear);
}

function withFilter(command: Command): Command {
  return withPlace(
    command
      .option('--path <path>', 'only of this playbook; a/b/* for all below a/b')
      .option('--step <step>', 'only of this step')
      .option('--expired', 'only those that no call would reuse')
      .option('--storage <url>', 'the storage of the workers (default: NOETL_STORAGE, or the data folder)'),
  );
}
