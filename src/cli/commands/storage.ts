import { Command } from 'commander';
import { milliseconds } from '../input/number';
import { databaseOption, dataOption, jsonOption } from '../input/options';
import { print } from '../output/say';

interface Flags {
  olderThan: string;
  dryRun?: boolean;
  force?: boolean;
  json?: boolean;
  data?: string;
  storage?: string;
}

/** `storage gc`: deletes stored payloads whose history no longer exists. */
export function storageCommand(): Command {
  const gc = new Command('gc')
    .description('delete stored values whose execution Temporal no longer has')
    .option('--older-than <time>', 'keep what was stored within this time: 12h, 30d', '30d')
    .option('--dry-run', 'only print what would be deleted')
    .option('--force', 'delete even if Temporal has none of the executions')
    .option('--json', 'print one JSON document')
    .option('--data <dir>', 'folder of the embedded servers (default: NOETL_DATA_DIR or .noetl)')
    .option('--storage <url>', 'file:///… or postgres://… (default: NOETL_STORAGE, or the data folder)')
    .action(async (flags: Flags) => {
      const olderThanMs = milliseconds(flags.olderThan, '--older-than');
      const { clearStorage } = await import('../runtime/clear-storage.js');
      const { kept, deleted, owners } = await clearStorage({ ...flags, olderThanMs });
      if (flags.json)
        return await print(JSON.stringify({ dry_run: flags.dryRun === true, deleted, kept }, null, 2));
      const lines = owners.map((one) => `${one.workflowId}  ${one.count} values, ${one.bytes} bytes`);
      const verb = flags.dryRun ? 'would delete' : 'deleted';
      const summary = `${verb} ${deleted.count} values of ${deleted.workflows} executions, ${deleted.bytes} bytes; kept ${kept.count} values of ${kept.workflows} executions, ${kept.bytes} bytes`;
      await print([...lines, summary].join('\n'));
    });
  return new Command('storage')
    .description('manage values stored outside history')
    .addCommand(gc)
    .addCommand(expireCommand());
}

interface Expiring extends Pick<Flags, 'dryRun' | 'json' | 'data' | 'storage'> {
  retention?: string;
  database?: string;
}

/** `storage expire`: what `project` does every hour where a retention is set. */
function expireCommand(): Command {
  return new Command('expire')
    .description('remove executions that have expired: their rows, events and stored values')
    .option(
      '--retention <list>',
      'days or hours (6h) since the end, and others by path: 90d, or "etl/hourly/*=7d,audits/*=keep,90d" (default: NOETL_RETENTION)',
    )
    .option('--dry-run', 'only print what would be removed')
    .addOption(jsonOption())
    .addOption(databaseOption())
    .addOption(dataOption())
    .option('--storage <url>', 'location of large values (default: NOETL_STORAGE, or the data folder)')
    .action(async (flags: Expiring) => {
      const { expire, sweptText } = await import('../runtime/retention.js');
      const executions: object[] = [];
      const swept = await expire({
        ...flags,
        onExpired: (one) =>
          void executions.push({
            execution_id: one.executionId,
            path: one.path,
            ended_at: one.endedAt.toISOString(),
          }),
      });
      const dryRun = flags.dryRun === true;
      if (flags.json) {
        const { left, values, events, notifications, notes } = swept;
        const document = { dry_run: dryRun, executions, events, notifications, values, left, notes };
        return await print(JSON.stringify(document, null, 2));
      }
      const lines = executions.map((one) => Object.values(one).join('  '));
      await print([...lines, ...swept.notes, sweptText(swept, dryRun)].join('\n'));
    });
}
