import { Command } from 'commander';
import { executeOption, sandboxOption, storageOption } from '../input/options';

interface Flags {
  against?: string;
  format: string;
  json?: boolean;
  markdown?: boolean;
  strict?: boolean;
  execute?: string;
  sandbox?: string;
  data?: string;
  storage?: string;
}

/** `verify OLD NEW --against QUERY | FILES`: would past executions have been the same? OLD and NEW: files, or a commit and a folder. */
export function verifyCommand(): Command {
  return new Command('verify')
    .description('re-decide past executions with another version of their playbook, and compare')
    .argument('<old>', 'the playbook they ran; with a folder: a commit of git')
    .argument('<new>', 'its new version; or a folder: every playbook in it that changed since the commit')
    .argument('[histories...]', 'history files, or folders of them')
    .option('--against <filters>', "executions in Temporal: 'path=etl/load status=completed since=30d'")
    .addOption(executeOption())
    .addOption(sandboxOption())
    .option('--format <format>', 'text, json, markdown, github', 'text')
    .option('--json', 'as --format json')
    .option('--markdown', 'as --format markdown')
    .option('--strict', 'also fail if an execution cannot be judged')
    .option('--data <folder>', 'the data folder of the runs')
    .addOption(storageOption())
    .action(async (old: string, now: string, files: string[], flags: Flags) => {
      const { verifyExecutions } = await import('../runtime/verify-executions.js');
      const { json, markdown } = flags;
      const format = json ? 'json' : markdown ? 'markdown' : flags.format;
      process.exitCode = await verifyExecutions(old, now, { ...flags, files, format });
    });
}
