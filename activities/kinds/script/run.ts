/**
 * Tool kind `script`: a script file (file, http or inline) run by its interpreter, with `args`, on the worker's machine or
 * in a container. Environment and result are those of the shell kind; the result's `stdout` is also read as JSON into `data`, when it is.
 */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { compact, isMapping, type JsonObject, type Outcome, type TaskCall } from '../../../src/language/plan';
import { runContainer } from '../container/run';
import { type ContainerRequest, containerRequestOf } from '../container/request';
import { withPlainRuntime } from '../container/spelling';
import { type Deadline, withDeadline } from '../../framework/tool/deadline';
import { field, jsonTypeName } from '../../framework/tool/fields';
import { pythonCandidates } from '../python/interpreter/find';
import { installationOf } from '../python/interpreter/sandbox';
import { jsonOrNull } from '../../../src/language/plan/json-text';
import { failedTask, invalidInput, succeeded } from '../../framework/tool/outcome';
import { loadScript } from '../../framework/scripts/load';
import { type ProcessResult, runProcess } from '../../framework/process/process';
import { lastTextLine } from '../../framework/tool/bounded';
import { processSurroundings } from '../../framework/process/surroundings';
import { levelOf, metaOf } from '../../framework/sandbox';
import { type Files, withFiles } from '../../framework/results/files';
import { type Tool, type ToolContext } from '../../framework/tool/tool';

export const script: Tool = {
  kind: 'script',
  run: (call, context) =>
    withDeadline(call, context.signal, (deadline) =>
      field(call.config, 'container', 'job') === undefined
        ? withFiles(call, context, deadline, (files) => runScript(call, deadline, context, files))
        : runContained(call, deadline, context),
    ),
};

async function runScript(
  call: TaskCall,
  deadline: Deadline,
  context: ToolContext,
  files: Files,
): Promise<Outcome> {
  const { text, name } = await sourceOf(call, deadline, context);
  const args = argsOf(call);
  // Always a copy: what runs is what was read, and the file may be on a file system that forbids execution.
  const folder = await mkdtemp(path.join(os.tmpdir(), 'noetl-script-'));
  try {
    const [python = ''] = pythonCandidates();
    const interpreter = interpreterOf(call, name, text, python);
    const isolated = levelOf(call) !== 'none';
    // In a sandbox a shim that looks for the interpreter finds nothing: it must be the program itself.
    const installation =
      isolated && interpreter[0] === python ? await installationOf(python, process.env) : undefined;
    const mounts = [folder, ...(installation?.folders ?? [])].map((from) => ({ from }));
    const { surroundings, omitted, level } = await processSurroundings(call, files, context.print, mounts);
    const meta = { ...metaOf(level), ...(omitted.length > 0 && { inputs_omitted: omitted }) };
    const file = path.join(folder, name);
    await writeFile(file, text);
    await chmod(file, 0o700);
    const program = installation ? [installation.program, ...interpreter.slice(1)] : interpreter;
    const ended = await runProcess([...program, file, ...args], surroundings, deadline);
    const result = {
      ...ended,
      exit_code: ended.returncode,
      data: jsonOrNull(ended.stdout, context.digitsLost),
    };
    const stopped = deadline.reason({ result, meta });
    if (stopped) throw stopped;
    return outcomeOf(name, result, meta);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function outcomeOf(name: string, result: ProcessResult, meta: JsonObject): Outcome {
  if (result.returncode === 0) return succeeded(result, { meta });
  const why = lastTextLine(result.stderr);
  const message = `the script ${name} ended with exit code ${result.returncode}${why && `: ${why}`}`;
  const code = `EXIT_${result.returncode}`;
  return failedTask({ kind: 'exception', code, message, retryable: false }, { result, meta });
}

/** Path of the script in its container. */
const FOLDER = '/noetl';

/**
 * `container`: an image, or the fields of kind `container` except those the script determines; `job`: those of a Job.
 */
async function runContained(call: TaskCall, deadline: Deadline, context: ToolContext): Promise<Outcome> {
  const { text, name } = await sourceOf(call, deadline, context);
  const job = field(call.config, 'job');
  const given = field(call.config, 'container') ?? job!;
  if (typeof given !== 'string' && !isMapping(given))
    throw invalidInput(
      `script: container must be an image or the fields of a container, not ${jsonTypeName(given)}`,
    );
  const fields: JsonObject = typeof given === 'string' ? { image: given } : (given as JsonObject);
  const { env, cwd, files } = call.config;
  const config = {
    ...(given === job && { runtime: 'kubernetes' }),
    ...compact({ env, workdir: cwd, files }),
    ...fields,
  };
  const within = withPlainRuntime({ ...call, config });
  const file = `${FOLDER}/${name}`;
  const request: ContainerRequest = {
    ...containerRequestOf(within),
    command: [...interpreterOf(call, name, text, 'python3'), file, ...argsOf(call)],
    args: [],
    files: [{ path: file, text }],
  };
  return runContainer(within, request, deadline, context);
}

async function sourceOf(
  call: TaskCall,
  { signal }: Deadline,
  { credentials }: ToolContext,
): Promise<{ text: string; name: string }> {
  const given = field(call.config, 'script');
  const code = field(call.config, 'code');
  if (typeof code === 'string') return { text: code, name: 'script' };
  const config = typeof given === 'string' ? { ...call.config, script: { uri: given } } : call.config;
  const text = await loadScript({ ...call, config }, { credentials, signal });
  if (text === undefined) throw invalidInput('script: no script provided (script or code)', 'SCRIPT_SOURCE');
  const mapping = config['script'] as JsonObject;
  const source = isMapping(mapping['source']) ? (mapping['source'] as JsonObject) : {};
  const isInline = (source['type'] ?? mapping['type']) === 'inline';
  const uri = isInline
    ? undefined
    : (field(mapping, 'uri', 'path', 'url') ?? field(source, 'uri', 'path', 'url'));
  const name = typeof uri === 'string' ? path.posix.basename(uri.split(/[?#]/)[0]!) : '';
  return { text, name: name.replace(/[^\w.-]/g, '_') || 'script' };
}

/** @throws ToolError */
function argsOf(call: TaskCall): string[] {
  const value = field(call.config, 'args', 'arguments');
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw invalidInput(`script: args must be a list, not ${jsonTypeName(value)}`);
  return value.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)).replaceAll('\0', ''));
}

/**
 * The interpreter: the author's, otherwise from the first line, from the file extension, or the shell.
 *
 * @param python where it runs
 */
function interpreterOf(call: TaskCall, name: string, text: string, python: string): string[] {
  const given = field(call.config, 'interpreter');
  if (Array.isArray(given) && given.length > 0) return given.map(String);
  if (typeof given === 'string') return [given];
  if (given !== undefined) {
    throw invalidInput(
      `script: interpreter must be a program, or a list of it and its options, not ${jsonTypeName(given)}`,
    );
  }
  if (text.startsWith('#!')) return [];
  const ending = path.extname(name);
  if (ending === '.py') return [python];
  return [
    (
      { '.js': 'node', '.mjs': 'node', '.rb': 'ruby', '.pl': 'perl', '.bash': 'bash' } as Record<
        string,
        string
      >
    )[ending] ?? '/bin/sh',
  ];
}
