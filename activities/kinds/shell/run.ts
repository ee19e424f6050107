/**
 * Tool kind `shell`: commands, each run by `/bin/sh -c` (or the given `shell`), in order, until one fails. Those that set
 * `pipefail` or use `[[` are run by bash where there is one, as by the official CLI: not every `/bin/sh` knows them.
 *
 * Environment of a command: PATH, HOME and LANG of the worker, the author's `env`, `NOETL_EXECUTION_ID`,
 * `NOETL_IDEMPOTENCY_KEY`, every input as `NOETL_INPUT_<NAME>` (strings unchanged, others as JSON), and
 * `NOETL_FILES`, the folder of the files named by `files`. Inputs above 64 KiB do not fit an environment; they are
 * omitted and named in `meta.inputs_omitted`.
 */
import { type JsonObject, type Outcome, type TaskCall } from '../../../src/language/plan';
import { type Deadline, withDeadline } from '../../framework/tool/deadline';
import { booleanField, field, textField, jsonTypeName } from '../../framework/tool/fields';
import { failedTask, invalidInput, succeeded } from '../../framework/tool/outcome';
import { type Files, withFiles } from '../../framework/results/files';
import { type ProcessResult, runProcess } from '../../framework/process/process';
import { lastTextLine } from '../../framework/tool/bounded';
import { processSurroundings } from '../../framework/process/surroundings';
import { metaOf, programOf, SHELL } from '../../framework/sandbox';
import { type Tool, type ToolContext } from '../../framework/tool/tool';

interface CommandResult extends ProcessResult {
  cmd_preview: string;
}

export const shell: Tool = {
  kind: 'shell',
  run: (call, context) =>
    withDeadline(call, context.signal, (deadline) =>
      withFiles(call, context, deadline, (files) => runCommands(call, context, deadline, files)),
    ),
};

async function runCommands(
  call: TaskCall,
  context: ToolContext,
  deadline: Deadline,
  files: Files,
): Promise<Outcome> {
  const started = performance.now();
  const commands = commandsOf(call);
  const { surroundings, omitted, level } = await processSurroundings(call, files, context.print);
  const capture = booleanField(call, ['capture'], true);
  const done: CommandResult[] = [];
  const summary = (): JsonObject => {
    const returncode = done.at(-1)?.returncode ?? 0;
    return {
      stdout: done.map((one) => one.stdout).join(''),
      stderr: done.map((one) => one.stderr).join(''),
      returncode,
      exit_code: returncode,
      duration_ms: Math.round(performance.now() - started),
      commands: done,
    };
  };
  const meta = { ...metaOf(level), ...(omitted.length > 0 && { inputs_omitted: omitted }) };
  for (const [index, command] of commands.entries()) {
    if (commands.length > 1) context.heartbeat({ command: index + 1, of: commands.length });
    const ended = await runProcess([shellOf(call, command), '-c', command], surroundings, deadline);
    const one = { cmd_preview: preview(command), ...ended };
    // A failed command's output is kept in any case.
    done.push(capture || ended.returncode !== 0 ? one : { ...one, stdout: '', stderr: '' });
    const stopped = deadline.reason({ result: summary(), meta });
    if (stopped) throw stopped;
    if (one.returncode !== 0) {
      const place = commands.length > 1 ? `command ${index + 1} of ${commands.length}` : 'the command';
      const why = lastTextLine(one.stderr);
      const message = `${place} (${one.cmd_preview}) ended with exit code ${one.returncode}${why && `: ${why}`}`;
      const code = `EXIT_${one.returncode}`;
      return failedTask({ kind: 'exception', code, message, retryable: false }, { result: summary(), meta });
    }
  }
  return succeeded(summary(), { meta });
}

const NEEDS_BASH = /^[ \t]*set[ \t][^\n;&|#]*\bpipefail\b|(?:^|[\s;&|(!])\[\[\s/m;

function shellOf(call: TaskCall, command: string): string {
  const given = textField(call, 'shell')?.trim();
  if (given) return given;
  if (!NEEDS_BASH.test(command)) return SHELL;
  try {
    return programOf('bash');
  } catch {
    return SHELL; // which knows them, or says that it does not
  }
}

function commandsOf(call: TaskCall): string[] {
  const value = field(call.config, 'cmds', 'cmd', 'commands', 'command');
  const list = Array.isArray(value) ? value : value === undefined ? [] : [value];
  const commands = list.map((one, index) => {
    if (typeof one === 'string') return one;
    throw invalidInput(`shell: cmds[${index}] must be a string, not ${jsonTypeName(one)}`);
  });
  if (commands.every((one) => one.trim() === ''))
    throw invalidInput('shell: no command provided (cmds is empty)');
  return commands.filter((one) => one.trim() !== '');
}

function preview(command: string): string {
  const line = command.trim().replace(/\s+/g, ' ');
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}
