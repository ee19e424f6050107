import { Command } from 'commander';
import { CodedError, messageOf } from '../../language/errors';
import { EXIT, UsageError } from '../errors';
import { milliseconds } from '../input/number';
import { plainError } from '../../history/document-error';
import { type ResultDocument } from '../output/result-document';
import { print, reportError } from '../output/say';
import { type RunOptions } from '../runtime/run-playbook';
import { sayIfAway } from '../runtime/server-away';
import { encryptOption, labelOption } from '../input/options';

interface Flags extends Omit<RunOptions, 'set' | 'timeoutMs'> {
  set: string[];
  timeout?: string;
  server?: string;
  only?: string;
  from?: string;
  input?: string;
}

/** `run FILE|PATH`: runs a playbook to its end. */
export function runCommand(): Command {
  return new Command('run')
    .description('run a playbook, and start what it needs')
    .argument('<playbook>', 'a file, or the metadata.path of a playbook below this folder, or of the catalog')
    .option(
      '-p, --payload <json>',
      'the inputs of the execution: JSON, @FILE (JSON or YAML), or @- for standard input',
    )
    .option('-s, --set <a.b=v>', 'set one value of the payload; repeatable', collectAssignment, [])
    .addOption(labelOption())
    .option('--json', 'print one JSON document on standard output and nothing else')
    .option('--history <file>', 'save the Temporal history as JSON')
    .option('--data <dir>', 'folder of the embedded servers (default: NOETL_DATA_DIR or .noetl)')
    .option(
      '--server <url>',
      'run it on this facade and its workers: a path of its catalog, or a file, which is registered first',
    )
    .option(
      '--only <step>',
      'run this step alone, with the input of --input, or that it had in the execution of --from',
    )
    .option(
      '-i, --input <json>',
      'with --only: its arguments, JSON or @FILE; names of other steps of the playbook are their results',
    )
    .option('--from <execution>', 'with --only: a former execution, or its history file')
    .option('--timeout <time>', 'cancel the execution after this time: 90, 90s, 5m, 2h')
    .addOption(encryptOption())
    .action(async (playbook: string, flags: Flags) => {
      const timeoutMs = flags.timeout === undefined ? undefined : milliseconds(flags.timeout, '--timeout');
      if (flags.only !== undefined || flags.from !== undefined || flags.input !== undefined)
        return await runOnly(playbook, flags, timeoutMs);
      if (flags.server !== undefined) {
        if (flags.history !== undefined)
          throw new UsageError('--history applies to runs on this machine; with --server, use `events ID`');
        const { runThere } = await import('../runtime/remote/run-there.js');
        await reportRun(runThere(playbook, { ...flags, server: flags.server, timeoutMs }), flags.json);
        return;
      }
      await sayIfAway();
      const { runPlaybook } = await import('../runtime/run-playbook.js');
      await reportRun(runPlaybook(playbook, { ...flags, timeoutMs }), flags.json);
    });
}

/** One step, with values that are given, or as a rerun in the revision of the file. */
async function runOnly(playbook: string, flags: Flags, timeoutMs: number | undefined): Promise<void> {
  const { only, from, payload, input, server, ...rest } = flags;
  if (only === undefined)
    throw new UsageError(
      `--${from === undefined ? 'input' : 'from'} belongs to --only STEP: the step that runs alone`,
    );
  if (from === undefined) {
    if (server !== undefined)
      throw new UsageError('--only with --server needs --from EXECUTION: a facade runs a step as a rerun');
    await sayIfAway();
    const { runStep } = await import('../runtime/run-step.js');
    return await reportRun(runStep(playbook, { ...flags, only, timeoutMs }), flags.json);
  }
  if (input !== undefined)
    throw new UsageError('--input and --from both say what the step begins with: remove one');
  if (payload !== undefined)
    throw new UsageError('--payload: the inputs are those of the execution; change single ones with --set');
  const options = { ...rest, playbook, from: only, only: true, timeoutMs };
  if (server !== undefined) {
    const { rerunThere } = await import('../runtime/remote/rerun-there.js');
    return await reportRun(rerunThere(from, { ...options, server }), flags.json);
  }
  const { rerunExecution } = await import('../runtime/rerun-execution.js');
  await reportRun(rerunExecution(from, options), flags.json);
}

/** Sets the exit code of a run; with `--json` a document is printed even if nothing could be started. */
export async function reportRun(running: Promise<number>, json = false): Promise<void> {
  try {
    process.exitCode = await running;
  } catch (error) {
    process.exitCode = reportError(error);
    if (json && process.exitCode === EXIT.failed) await print(JSON.stringify(withoutEnd(error), null, 2));
  }
}

/** Collects repeated `--set` options. */
export function collectAssignment(value: string, before: string[]): string[] {
  if (!value.includes('='))
    throw new UsageError(`--set ${value}: expected NAME=VALUE, e.g. --set limits.pages=3`);
  return [...before, value];
}

/** The document of a run whose end is unknown; usually it never started. */
function withoutEnd(error: unknown): ResultDocument {
  const { code, details } = error instanceof CodedError ? error : new CodedError('INTERNAL', '');
  // For an execution that is running but can no longer be followed.
  const { execution_id = null, workflow_id = null } = details as Partial<Record<string, string>>;
  return {
    execution_id,
    workflow_id,
    status: 'failed',
    result: null,
    error: plainError(code, messageOf(error).split('\n')[0]!),
    steps_executed: [],
    notes: [],
    started_at: null,
    finished_at: null,
  };
}
