/**
 * Tool kind `shell`: commands, each by `/bin/sh -c`, in order, until one fails.
 *
 * Environment of a command: PATH, HOME and LANG of the worker, the author's `env`, `NOETL_EXECUTION_ID`,
 * `NOETL_IDEMPOTENCY_KEY`, and every input as `NOETL_INPUT_<NAME>` (text as it is, the rest as JSON). Inputs above
 * 64 KiB do not fit an environment; they are left out and named in `meta.inputs_omitted`.
 */
import { spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { type Json, type JsonObject, type Outcome, type TaskCall } from '../src/plan';
import { TailBuffer } from './bounded';
import { type Deadline, withDeadline } from './deadline';
import { field, mappingField, textField, typeName } from './fields';
import { failed, invalid, succeeded, ToolError } from './outcome';
import { terminateGroup } from './process-group';
import { type Tool, type ToolContext } from './tool';

/** Bytes kept of each of stdout and stderr of one command. */
const OUTPUT_LIMIT = 256 * 1024;
const INPUT_LIMIT = 64 * 1024;
/** How long output may still arrive after the shell has gone: a background child may hold the pipe for ever. */
const DRAIN_MS = 500;

interface CommandResult extends JsonObject {
  cmd_preview: string;
  stdout: string;
  stderr: string;
  returncode: number;
  duration_ms: number;
}

export const shell: Tool = {
  kind: 'shell',
  run: (call, context) =>
    withDeadline(call, context.signal, (deadline) => runCommands(call, context, deadline)),
};

async function runCommands(call: TaskCall, context: ToolContext, deadline: Deadline): Promise<Outcome> {
  const started = performance.now();
  const commands = commandsOf(call);
  const { env, omitted } = environmentOf(call);
  const cwd = textField(call, 'cwd');
  if (cwd !== undefined && !(await isFolder(cwd))) throw invalid(`shell: cwd '${cwd}' is not a folder`);
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
  const meta = omitted.length ? { inputs_omitted: omitted } : {};
  for (const [index, command] of commands.entries()) {
    if (commands.length > 1) context.heartbeat({ command: index + 1, of: commands.length });
    const one = await runCommand(command, env, cwd, deadline);
    done.push(one);
    const stopped = deadline.reason({ result: summary(), meta });
    if (stopped) throw stopped;
    if (one.returncode !== 0) {
      const place = commands.length > 1 ? `command ${index + 1} of ${commands.length}` : 'the command';
      const why = lastLine(one.stderr);
      const message = `${place} (${one.cmd_preview}) ended with exit code ${one.returncode}${why && `: ${why}`}`;
      const code = `EXIT_${one.returncode}`;
      return failed({ kind: 'exception', code, message, retryable: false }, { result: summary(), meta });
    }
  }
  return succeeded(summary(), { meta });
}

/**
 * A watcher in the command's process group waits for the other end of descriptor 3 to close, and then kills the group:
 * when the task is over, and also when the worker dies without a word. Temporal runs the task again elsewhere then, and
 * the same command must not go on here beside it.
 */
const LIFELINE = `(read -r _ <&3; kill -KILL 0) </dev/null >/dev/null 2>&1 &
exec 3<&-
exec /bin/sh -c "$1"`;

function runCommand(
  command: string,
  env: Record<string, string>,
  cwd: string | undefined,
  deadline: Deadline,
): Promise<CommandResult> {
  const aborted = deadline.reason();
  if (aborted) return Promise.reject(aborted);
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn('/bin/sh', ['-c', LIFELINE, 'sh', command], {
      cwd,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    const stdout = new TailBuffer(OUTPUT_LIMIT);
    const stderr = new TailBuffer(OUTPUT_LIMIT);
    child.stdout!.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr!.on('data', (chunk: Buffer) => stderr.push(chunk));
    let release: (() => void) | undefined;
    const stop = (): void => {
      release ??= terminateGroup(child);
    };
    deadline.signal.addEventListener('abort', stop, { once: true });
    const leave = (): void => {
      deadline.signal.removeEventListener('abort', stop);
      release?.();
    };
    child.on('error', (error: NodeJS.ErrnoException) => {
      leave();
      const message = `the shell could not be started: ${error.code ?? error.message}`;
      reject(new ToolError({ kind: 'exception', code: 'SPAWN_FAILED', message }));
    });
    child.on('exit', (exitCode, signal) => {
      leave();
      child.stdio[3]?.destroy();
      const drained = setTimeout(() => {
        child.stdout!.destroy();
        child.stderr!.destroy();
      }, DRAIN_MS);
      child.on('close', () => {
        clearTimeout(drained);
        resolve({
          cmd_preview: preview(command),
          stdout: stdout.toString(),
          stderr: stderr.toString(),
          returncode: exitCode ?? 128 + (SIGNAL_NUMBERS[signal!] ?? 0),
          duration_ms: Math.round(performance.now() - started),
        });
      });
    });
  });
}

/** As shells report it: 128 + the signal's number. */
const SIGNAL_NUMBERS: Partial<Record<NodeJS.Signals, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGTERM: 15,
};

function commandsOf(call: TaskCall): string[] {
  const value = field(call.config, 'cmds', 'cmd', 'commands', 'command');
  const list = Array.isArray(value) ? value : value === undefined ? [] : [value];
  const commands = list.map((one, index) => {
    if (typeof one === 'string') return one;
    throw invalid(`shell: cmds[${index}] must be text, not ${typeName(one)}`);
  });
  if (commands.every((one) => one.trim() === '')) throw invalid('shell: no command provided (cmds is empty)');
  return commands.filter((one) => one.trim() !== '');
}

function environmentOf(call: TaskCall): { env: Record<string, string>; omitted: string[] } {
  const env: Record<string, string> = {};
  for (const name of ['PATH', 'HOME', 'LANG']) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  env['NOETL_EXECUTION_ID'] = call.execution_id;
  env['NOETL_IDEMPOTENCY_KEY'] = call.idempotency_key;
  const omitted: string[] = [];
  for (const [name, value] of Object.entries(call.input)) {
    const text = variableText(value);
    if (Buffer.byteLength(text) > INPUT_LIMIT) omitted.push(name);
    else env[`NOETL_INPUT_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`] = text;
  }
  for (const [name, value] of Object.entries(mappingField(call, 'env') ?? {}))
    env[name] = variableText(value);
  return { env, omitted };
}

/** Environment variables cannot hold a NUL character. */
function variableText(value: Json): string {
  return (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll('\0', '');
}

async function isFolder(folder: string): Promise<boolean> {
  return stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function preview(command: string): string {
  const line = command.trim().replace(/\s+/g, ' ');
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1)?.slice(0, 500) ?? '';
}
