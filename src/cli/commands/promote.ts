import { Command } from 'commander';
import { UsageError } from '../errors';
import { jsonOption, serverOption } from '../input/options';
import { type PromoteFlags } from '../runtime/remote/promote';

/** `promote PATH [VERSION]`: makes a staged version the latest. Exit code 1 if it is refused. */
export function promoteCommand(): Command {
  return new Command('promote')
    .description(
      'make a staged version the latest; refused if a past execution would have run differently, ' +
        'or if none has been compared',
    )
    .argument('<path>', 'the path of the playbook')
    .argument('[version]', 'a version other than the staged one')
    .option('--yes', 'promote it even then')
    .option('--dry-run', 'only show what would happen')
    .addOption(serverOption())
    .addOption(jsonOption())
    .action(async (path: string, version: string | undefined, flags: PromoteFlags) => {
      const { promote } = await import('../runtime/remote/promote.js');
      process.exitCode = await promote(path, versionOf(version), flags);
    });
}

/** `unstage PATH`: gives up a staged version. */
export function unstageCommand(): Command {
  return new Command('unstage')
    .description('withdraw the staged version of a playbook; it stays registered')
    .argument('<path>', 'the path of the playbook')
    .addOption(serverOption())
    .addOption(jsonOption())
    .action(async (path: string, flags: PromoteFlags) => {
      const { unstage } = await import('../runtime/remote/promote.js');
      await unstage(path, flags);
    });
}

function versionOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new UsageError(`version ${text}: expected the number that register gave it`);
  return Number(text);
}
