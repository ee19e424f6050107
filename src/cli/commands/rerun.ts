import { Command } from 'commander';
import { UsageError } from '../errors';
import { type BulkFlags, bulkOrOne, withBulkOptions } from '../input/bulk';
import { refuseLocal } from '../input/here-only';
import { milliseconds, wholeNumber } from '../input/number';
import { labelOption } from '../input/options';
import { type RerunOptions } from '../runtime/rerun-execution';
import { collectAssignment, reportRun } from './run';

interface Flags extends BulkFlags, Omit<RerunOptions, 'set' | 'timeoutMs' | 'only'> {
  set: string[];
  timeout?: string;
  server?: string;
  playbookVersion?: string;
}

/** `rerun EXECUTION --from STEP`, or `--where`: new executions that start with the state of others at a step. */
export function rerunCommand(): Command {
  return withBulkOptions(new Command('rerun'))
    .description('start a new execution from a step of another one, keeping its earlier results')
    .argument('[execution]', 'an execution id, or its history file')
    .option('--from <step>', 'the step to start at: its last run, or a given run such as fetch#2')
    .option('--from-failure', 'start at the step that failed')
    .option(
      '-s, --set <a.b=v>',
      'override one value of the recorded workload or, as ctx.a=v, of the recorded variables; repeatable',
      collectAssignment,
      [],
    )
    .option('--playbook <file>', 'a new revision of the playbook, with the same graph before the step')
    .addOption(labelOption())
    .option(
      '--playbook-version <version>',
      'with --server: this version of the catalog, or latest, instead of the one that ran',
    )
    .option('--json', 'print one JSON document on standard output and nothing else')
    .option('--history <file>', 'save the Temporal history of the new execution as JSON')
    .option('--data <dir>', 'folder of the embedded servers (default: NOETL_DATA_DIR or .noetl)')
    .option('--server <url>', 'rerun an execution of this facade, on its workers (token: NOETL_TOKEN)')
    .option('--timeout <time>', 'cancel the new execution after this time: 90, 90s, 5m, 2h')
    .action(async (execution: string | undefined, flags: Flags) => {
      const { from, fromFailure } = flags;
      if (from !== undefined && fromFailure)
        throw new UsageError('--from and --from-failure both say where to start: remove one');
      if (flags.where !== undefined) refuseSingle(flags);
      const options = { ...(from !== undefined && { from }), ...(fromFailure && { fromFailure }) };
      const code = await bulkOrOne('rerun', execution === undefined ? [] : [execution], flags, options);
      if (code !== undefined || execution === undefined) return void (process.exitCode = code);
      if (!from && !fromFailure)
        throw new UsageError('--from STEP or --from-failure is required: the step to start at');
      const timeoutMs = flags.timeout === undefined ? undefined : milliseconds(flags.timeout, '--timeout');
      if (flags.server !== undefined) {
        refuseLocal(flags, ['history', 'data']);
        const playbookVersion = versionOf(flags);
        const { rerunThere } = await import('../runtime/remote/rerun-there.js');
        await reportRun(
          rerunThere(execution, { ...flags, server: flags.server, timeoutMs, playbookVersion }),
          flags.json,
        );
        return;
      }
      if (flags.playbookVersion !== undefined)
        throw new UsageError('--playbook-version is of the catalog of a facade: add --server');
      const { rerunExecution } = await import('../runtime/rerun-execution.js');
      await reportRun(rerunExecution(execution, { ...flags, timeoutMs }), flags.json);
    });
}

function versionOf({ playbookVersion: given, playbook }: Flags): number | 'latest' | undefined {
  if (given === undefined || given === 'latest') return given;
  if (playbook !== undefined) throw new UsageError('--playbook and --playbook-version: remove one');
  return wholeNumber(given, '--playbook-version', 1);
}

/** What is different for each execution cannot be said for all of them. */
function refuseSingle(flags: Flags): void {
  const stray = (['history', 'timeout', 'label', 'playbookVersion'] as const).find(
    (name) => flags[name] !== undefined,
  );
  if (stray !== undefined || flags.set.length > 0)
    throw new UsageError(`--${stray ?? 'set'} applies to one execution; remove it, or remove --where`);
}
