/**
 * The workflow code as one file, loaded by all workflow workers and replayers. Built once by `npm run build`;
 * without a build (tests run the TypeScript) it is bundled on demand, once per state of the sources.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { bundleWorkflowCode, type WorkflowBundlePath } from '@temporalio/worker';
import { quietLogger } from './log';

/** `dist` if this file is compiled, the repository if it is run as TypeScript. */
const ROOT = path.resolve(__dirname, '../../..');
const COMPILED = path.extname(__filename) === '.js';
/** All possible inputs of the bundle: their digest names a cached bundle. */
const SOURCES = [
  'workflows',
  'src/engine/machine',
  'src/engine/limits',
  'src/storage/payloads',
  'src/language/plan',
  'src/language/template',
];

/**
 * What the language itself defines and the SDK never replaces (it does `Date`, `WeakRef` and timers). The global object
 * of a `vm` context answers from C++, up to a microsecond for each `Number` or `Object`: sixty times as long as Node.
 */
const BUILT_IN =
  'Array, ArrayBuffer, BigInt, Boolean, DataView, Error, Function, Infinity, Int32Array, JSON, Map, Math, NaN, Number, Object, Promise, ' +
  'Proxy, RangeError, Reflect, ReferenceError, RegExp, Set, String, Symbol, SyntaxError, TypeError, Uint8Array, WeakMap, ' +
  'WeakSet, decodeURIComponent, encodeURIComponent, isFinite, isNaN, parseFloat, parseInt';

/** The path of the built bundle. */
export function workflowBundlePath(): string {
  return COMPILED ? path.join(ROOT, 'workflow-bundle.js') : path.join(ROOT, 'dist', 'workflow-bundle.js');
}

/** Bundles the workflows and writes `workflowBundlePath()`. Takes about 2 s. */
export async function buildWorkflowBundle(): Promise<string> {
  await writeBundle(workflowBundlePath());
  return workflowBundlePath();
}

export interface LoadedBundle {
  readonly workflowBundle: WorkflowBundlePath;
  /**
   * Identifies the code. Every workflow task has it twice in its history, other tasks once: the SDK's default, 90
   * characters of package, version and digest, was a sixth of a small run's history.
   */
  readonly buildId: string;
}

let loaded: Promise<LoadedBundle> | undefined;

/** For a workflow worker. Only compiled code uses the built bundle: beside TypeScript it may be stale. */
export function loadWorkflowBundle(): Promise<LoadedBundle> {
  loaded ??= findOrBundle()
    .then((workflowBundle) => ({ workflowBundle, buildId: buildIdOf(workflowBundle.codePath) }))
    .catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
  return loaded;
}

function buildIdOf(file: string): string {
  return `noetl-${createHash('sha256').update(fs.readFileSync(file)).digest('hex').slice(0, 12)}`;
}

async function findOrBundle(): Promise<WorkflowBundlePath> {
  const built = workflowBundlePath();
  if (COMPILED && fs.existsSync(built)) return { codePath: built };
  const folder = path.join(os.tmpdir(), `noetl-temporal-${os.userInfo().uid}`);
  const cached = path.join(folder, `workflow-bundle-${digestOfSources()}.js`);
  if (!fs.existsSync(cached)) {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    await writeBundle(cached);
  }
  return { codePath: cached };
}

async function writeBundle(file: string): Promise<void> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: inFolder('workflows', 'index'),
    preloadModules: [inFolder('workflows', 'shared')],
    workflowInterceptorModules: [
      inFolder('workflows/tracing', 'interceptor'),
      inFolder('workflows', 'watch'),
    ],
    payloadConverterPath: inFolder('src/storage/payloads', 'converter'),
    failureConverterPath: inFolder('src/storage/payloads', 'failure-converter'),
    logger: quietLogger(),
  });
  // Another process may do the same concurrently: readers must never see half a file.
  const partial = `${file}.${process.pid}.tmp`;
  fs.writeFileSync(partial, withBuiltIns(withoutFolders(code)));
  fs.renameSync(partial, file);
}

/** Modules find the built-ins in a scope around them: what stands before them is on their first line, for the source map. */
function withBuiltIns(code: string): string {
  const end = code.lastIndexOf('//# sourceMappingURL=');
  return `{ const { ${BUILT_IN} } = globalThis; ${code.slice(0, end)}}\n${code.slice(end)}`;
}

/**
 * The source map names sources from the repository on: stack traces, and the build's id, are the same wherever it is
 * built. It is without their texts, which no stack trace shows and every worker would parse.
 */
function withoutFolders(code: string): string {
  const mark = '//# sourceMappingURL=data:application/json;charset=utf-8;base64,';
  const at = code.lastIndexOf(mark);
  if (at < 0) throw new Error('the bundle of the workflows has no source map');
  const text = Buffer.from(code.slice(at + mark.length), 'base64').toString();
  const { sourcesContent: _, ...map } = JSON.parse(text) as SourceMap;
  const repository = `${COMPILED ? path.dirname(ROOT) : ROOT}${path.sep}`;
  const sources = map.sources.map((source) =>
    source.startsWith(repository)
      ? source.slice(repository.length)
      : source.replace(/^\/.*?(?=node_modules\/|[^/]*$)/, ''),
  );
  // The entry that the SDK writes requires modules by their paths.
  const named = JSON.stringify({ ...map, sources, sourceRoot: '' }).replaceAll(repository, '');
  return `${code.slice(0, at)}${mark}${Buffer.from(named).toString('base64')}\n`;
}

interface SourceMap {
  readonly sources: readonly string[];
  readonly sourcesContent?: readonly string[];
}

function inFolder(folder: string, name: string): string {
  return path.join(ROOT, folder, `${name}${COMPILED ? '.js' : '.ts'}`);
}

function digestOfSources(): string {
  const hash = createHash('sha256').update(process.version).update(fs.readFileSync(__filename));
  for (const folder of SOURCES) {
    const files = fs.readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true });
    const names = files
      .filter((one) => one.isFile() && /\.[jt]s$/.test(one.name) && !/\.(test|d)\.ts$/.test(one.name))
      .map((one) => path.join(one.parentPath, one.name))
      .sort();
    for (const name of names) hash.update(name).update(fs.readFileSync(name));
  }
  return hash.digest('hex').slice(0, 16);
}
