import { Command } from 'commander';
import { milliseconds } from '../input/number';
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
    .option('--force', 'delete even if Temporal knows none of the executions')
    .option('--json', 'print one JSON document')
    .option('--data <dir>', 'folder of the embedded servers (default: NOETL_DATA_DIR or .noetl)')
    .option('--storage <url>', 'file:///… or postgres://… (default: NOETL_STORAGE, or the data folder)')
    .exitOverride()
    .configureOutput({ outputError: () => undefined })
    .action(async (flags: Flags) => {
      const olderThanMs = milliseconds(flags.olderThan, '--older-than');
      const { clearStorage } = await import('../runtime/clear-storage.js');
      const { kept, deleted, owners } = await clearStorage({ ...flags, olderThanMs });
      if (flags.json)
        return await print(JSON.stringify({ dry_run: flags.dryRun === true, deleted, kept }, null, 2));
      const lines = owners.map((one) => `${one.workflowId}  ${one.count} values, ${one.bytes} bytes`);
      const verb = flags.dryRun ? 'would delete' : 'deleted';
      const summary = `${verb} ${deleted.count} values of ${deleted.workflows} executions, ${deleted.bytes} bytes; kept ${kept.count} of ${kept.workflows}, ${kept.bytes} bytes`;
      await print([...lines, summary].join('\n'));
    });
  return new Command('storage').description('manage values stored outside history').addCommand(gc);
}
