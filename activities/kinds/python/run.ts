/**
 * Tool kind `python`: code in its own process, forked from a warm interpreter, with a fresh namespace.
 *
 * Globals of the code are its inputs, and `input_data`, `args`, `context`, `execution_id`, `job`, `logging`, and
 * `files` if there are any (an input of the same name takes precedence). The result is the value of a `return`
 * outside functions, otherwise of `main()`, otherwise the variable `result`, otherwise null. A value without JSON
 * form is an error that names its type and place; NaN and Infinity become null.
 */
import path from 'node:path';
import { signalName } from '../../framework/process/signals';
import { type JsonObject, type Outcome, type OutcomeError, type TaskCall } from '../../../src/language/plan';
import { shortenedText, tailText } from '../../framework/tool/bounded';
import { type Deadline, withDeadline } from '../../framework/tool/deadline';
import { field, numberField, textField } from '../../framework/tool/fields';
import { variablesOf } from '../../framework/process/environment';
import { MARK } from '../../framework/process/marks';
import { type Ended, type Output } from './interpreter/interpreter';
import { InterpreterPools } from './interpreter/pools';
import { failedTask, invalidInput, succeeded, ToolError } from '../../framework/tool/outcome';
import { splitLibs } from './requirements';
import { loadScript, type ScriptContext } from '../../framework/scripts/load';
import { type Files, folderOfFiles, movedTo, withFiles } from '../../framework/results/files';
import { FILES_INSIDE, type Isolation, isolationOf, limitsOf, metaOf } from '../../framework/sandbox';
import { type Tool, type ToolContext } from '../../framework/tool/tool';

const MIN_MEMORY_MB = 64;

/** The runner's answer (activities/python/noetl_task.py). */
type Answer =
  | { ok: true; result: Outcome['result'] }
  | {
      ok: false;
      /** Names in a list of `libs` that must be installed first. */
      missing?: readonly string[];
      kind: OutcomeError['kind'];
      code: string;
      type: string;
      message: string;
      line: number | null;
      traceback: string | null;
    };

export function pythonTool(pools: InterpreterPools): Tool {
  return {
    kind: 'python',
    run: (call, context) =>
      withDeadline(call, context.signal, (deadline) =>
        withFiles(call, context, deadline, (files) =>
          runCode(call, files, { ...context, signal: deadline.signal }, deadline, pools),
        ),
      ),
    close: () => pools.close(),
  };
}

export const python: Tool = pythonTool(new InterpreterPools());

async function runCode(
  call: TaskCall,
  files: Files,
  context: ScriptContext & Pick<ToolContext, 'print' | 'waitFor'>,
  deadline: Deadline,
  pools: InterpreterPools,
): Promise<Outcome> {
  const level = await isolationOf(call);
  const code = textField(call, 'code') ?? (await loadScript(call, context));
  if (code === undefined || code.trim() === '')
    throw invalidInput('python: no code provided (code or script)');
  const { requirements, libs } = splitLibs(field(call.config, 'libs'));
  const memory = memoryOf(call, level);
  const task = {
    code,
    input: call.input,
    ...shownFiles(files, level),
    context: call.context ?? {},
    job: jobOf(call),
    execution_id: call.execution_id,
    libs,
    memory_mb: memory,
    env: environment(call),
    cwd: textField(call, 'cwd'),
  };
  let ended: Ended;
  try {
    const begin = async (needed: readonly string[], installed: readonly string[]): Promise<Ended> => {
      const waiting = pools.ready({ requirements: needed, level }, deadline.signal);
      const { run, release } = await (context.waitFor?.(waiting, (ready) => ready.release()) ?? waiting);
      try {
        return await run(Buffer.from(JSON.stringify({ ...task, installed })), deadline.signal, context.print);
      } finally {
        release();
      }
    };
    ended = await begin(requirements, []);
    // Names in a list of `libs` that cannot be imported are distributions; the code has not started.
    const first = answerOf(ended);
    const missing = first?.ok === false ? first.missing : undefined;
    if (missing) {
      const { requirements: all } = splitLibs({ requirements: [...requirements, ...missing] });
      ended = await begin(all, missing);
    }
  } catch (error) {
    throw deadline.reason() ?? error;
  }
  const py = { exception_type: null, stdout: outputText(ended.stdout), stderr: outputText(ended.stderr) };
  const stopped = deadline.reason({ py, meta: metaOf(level) });
  if (stopped) throw stopped;
  return outcomeOf(ended, py, memory, level);
}

function outcomeOf(
  ended: Ended,
  py: JsonObject,
  memory: number | undefined,
  level: Isolation | undefined,
): Outcome {
  const meta = metaOf(level);
  if (ended.tooLarge !== undefined) return failedTask(tooLarge(ended.tooLarge), { py, meta });
  const answer = answerOf(ended);
  if (!answer && level !== undefined && ended.exit === NO_SANDBOX) throw withoutSandbox(level, ended);
  if (!answer) return failedTask({ ...endedEarly(ended, memory), retryable: false }, { py, meta });
  if (answer.ok) return succeeded(answer.result, { py, meta });
  const { kind, code, line, type, traceback } = answer;
  const message =
    level && OF_A_SANDBOX.test(code) ? `${answer.message}; ${sandboxNote(level)}` : answer.message;
  return failedTask(
    { kind, code, message, retryable: false, ...(line !== null && { line }) },
    { py: { ...py, exception_type: type, ...(traceback !== null && { traceback }) }, meta },
  );
}

function tooLarge(size: number): OutcomeError {
  const message =
    `the result is ${Math.round(size / 1024 / 1024)} MiB as JSON, above the limit of every task; ` +
    'select fewer rows or fields, paginate, or store the data and return a reference to it';
  return { kind: 'validation', code: 'RESULT_TOO_LARGE', message, retryable: false, size };
}

/** Failures that code does not have without a sandbox. */
const OF_A_SANDBOX =
  /^PY_(FileNotFoundError|NotADirectoryError|PermissionError|OSError|ModuleNotFoundError|gaierror|URLError)$/;

function sandboxNote(level: Isolation): string {
  const network = level === 'strict' ? ', and no network' : '';
  return `the task runs in the sandbox ${level}, which has no files of the worker${network} (docs/isolation.md)`;
}

/** The exit code of a process that could not make its sandbox (warm.py). */
const NO_SANDBOX = 121;

function withoutSandbox(level: Isolation, { stderr }: Ended): ToolError {
  const why = shortenedText(stderr.tail.toString('utf8').trim(), 500);
  const message = `python: the sandbox ${level} could not be made: ${why}; the code was not run (docs/isolation.md)`;
  return new ToolError({ kind: 'exception', code: 'SANDBOX_UNAVAILABLE', message });
}

/** The paths of the files as the code sees them. */
function shownFiles(files: Files, level: Isolation | undefined): JsonObject {
  const folder = folderOfFiles(files);
  if (folder === undefined) return {};
  if (level === undefined) return { files };
  return { files: movedTo(FILES_INSIDE, files), files_folder: path.basename(folder) };
}

/** Megabytes of address space; Python itself takes about 30 of them. */
function memoryOf(call: TaskCall, level: Isolation | undefined): number | undefined {
  const memory = numberField(call, ['memory_mb'], 0);
  if (memory === 0) return undefined;
  const most = level === undefined ? Infinity : limitsOf().memoryMb;
  if (memory > most) {
    const message = `python: memory_mb must be at most ${most} in a sandbox (NOETL_SANDBOX_MEMORY_MB of the worker), not ${memory}`;
    throw invalidInput(message);
  }
  if (memory >= MIN_MEMORY_MB) return memory;
  throw invalidInput(
    `python: memory_mb must be at least ${MIN_MEMORY_MB}, what Python itself needs, not ${memory}`,
  );
}

function jobOf(call: TaskCall): JsonObject {
  return {
    id: call.task_run_id,
    uuid: call.execution_id,
    execution_id: call.execution_id,
    idempotency_key: call.idempotency_key,
    attempt: call.attempt,
  };
}

function environment(call: TaskCall): Record<string, string> {
  const { [MARK]: _own, ...given } = variablesOf(call);
  return { NOETL_IDEMPOTENCY_KEY: call.idempotency_key, ...given };
}

function outputText(output: Output): string {
  return tailText(output.tail, output.total);
}

function answerOf(ended: Ended): Answer | undefined {
  try {
    return JSON.parse(ended.answer.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The process ended without an answer: by a signal, by os._exit, or with its interpreter. */
function endedEarly(
  ended: Ended,
  memory: number | undefined,
): { kind: 'exception'; code: string; message: string } {
  if (ended.lost) {
    const message = 'the Python process was lost together with its interpreter (killed, or out of memory)';
    return { kind: 'exception', code: 'PY_LOST', message };
  }
  if (ended.signal !== null) {
    const name = signalName(ended.signal) ?? `signal ${ended.signal}`;
    // Libraries abort when memory allocation fails.
    const limited = memory !== undefined && [6, 7, 11].includes(ended.signal);
    const hint =
      ended.signal === 9
        ? ' (out of memory, or killed from outside)'
        : limited
          ? ` (it may have run out of its memory_mb: ${memory})`
          : '';
    return {
      kind: 'exception',
      code: `PY_${name.replace(' ', '_')}`,
      message: `the Python process was killed by ${name}${hint}`,
    };
  }
  const message = `the code ended its process with exit code ${ended.exit} before there was a result (os._exit)`;
  return { kind: 'exception', code: `PY_EXIT_${ended.exit}`, message };
}
