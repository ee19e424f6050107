// Compiles the sources to dist/ and bundles the workflow code once. `--if-stale` does nothing if dist is newer than
// every source, so that `npm start` takes only milliseconds on an unchanged tree.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { docsRef, withRef } from './docs-ref.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const require = createRequire(import.meta.url);
const stamp = path.join(root, 'dist', '.built');
const ref = docsRef(root);

/** What Python leaves beside a worker in Python is no source: a build for its sake would replace what is running. */
const LEFT = '__pycache__';

/** When the newest of it was written; a folder is written when a file in it is removed, or something is left in it. */
function newest(entry) {
  const stat = fs.statSync(entry);
  if (!stat.isDirectory()) return stat.mtimeMs;
  const names = fs.readdirSync(entry);
  const within = names.filter((name) => name !== LEFT).map((name) => newest(path.join(entry, name)));
  return Math.max(names.includes(LEFT) ? 0 : stat.mtimeMs, ...within);
}

function isStale() {
  if (!fs.existsSync(stamp) || fs.readFileSync(stamp, 'utf8') !== ref) return true;
  const built = fs.statSync(stamp).mtimeMs;
  return [
    'src',
    'workflows',
    'activities',
    'bench',
    'test/chaos',
    'test/upgrade',
    'console',
    'playbooks/extensions',
    'package.json',
    'tsconfig.json',
    'tsconfig.build.json',
  ].some((entry) => fs.existsSync(path.join(root, entry)) && newest(path.join(root, entry)) > built);
}

if (process.argv.includes('--if-stale') && !isStale()) process.exit(0);

/** Removes output of sources that have moved: `./state.js` would be found before `./state/index.js`. */
function dropOrphans(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) dropOrphans(file);
    else if (/(\.d\.ts|\.js(\.map)?)$/.test(file)) {
      const source = path.join(
        root,
        path.relative(path.join(root, 'dist'), file).replace(/(\.d\.ts|\.js(\.map)?)$/, '.ts'),
      );
      if (!fs.existsSync(source)) fs.rmSync(file);
    }
  }
}

/**
 * Index files re-export other modules. TypeScript compiles each re-export to a getter, which the engine would call
 * millions of times (a quarter of its time). Imports go one way (lint), so the values themselves can be assigned,
 * name by name: V8 turns an object that gets more than a dozen keys from a loop or `Object.assign` into a hash
 * table. Already processed files are processed again, because the compiler only rewrites them if they have changed.
 *
 * `import()` of such a file finds names by reading it, and does not see these assignments: they are listed once more in
 * a line that never runs.
 */
function settleReexports(folder) {
  for (const name of fs.readdirSync(folder, { recursive: true })) {
    if (!/\.js$/.test(name)) continue;
    const file = path.join(folder, name);
    const code = fs.readFileSync(file, 'utf8');
    const settled = code
      .replace(/(?:__exportStar\(|\(\{ .*\} = )require\("([^"]+)"\)(?:, exports)?\);/g, (_, from) => {
        const names = Object.keys(require(path.resolve(path.dirname(file), from)));
        return `({ ${names.map((key) => `${key}: exports.${key}`).join(', ')} } = require("${from}"));`;
      })
      .replace(
        /Object\.defineProperty\(exports, ("\w+"), \{ enumerable: true, get: function \(\) \{ return ([\w.]+); \} \}\);/g,
        'exports[$1] = $2;',
      )
      .replace(/^0 && \(module\.exports = .*\n/gm, '')
      .replace(/^\(\{ .*\} = require\(.*\n/gm, listed);
    if (settled !== code) fs.writeFileSync(file, settled);
  }
}

function listed(assignment) {
  const names = [...assignment.matchAll(/: exports\.(\w+)/g)].map(([, name]) => name);
  return `${assignment}0 && (module.exports = { ${names.join(', ')} });\n`;
}

/**
 * The native compiler is an optional package for each platform. Where those are omitted (`npm ci --omit=optional`), the
 * compiler in JavaScript takes its place, and checks nothing: types of other optional packages are missing as well.
 */
function compiler() {
  const binary = (name, file) =>
    path.join(path.dirname(require.resolve(`${name}/package.json`)), 'bin', file);
  const native = binary('@typescript/native', 'tsc');
  if (!fs.existsSync(native)) {
    process.stderr.write(
      'dist/ is built by development packages: run `npm ci`, then `npm prune --omit=dev`\n',
    );
    process.exit(fs.existsSync(stamp) ? 0 : 1);
  }
  const isPresent = spawnSync(process.execPath, [native, '--version']).status === 0;
  return isPresent ? [native] : [binary('typescript', 'tsc6'), '--noCheck'];
}

/** DuckDB's process starts for each task in a sandbox: half of the time would be for finding and reading small files. */
async function bundleDuckdb(folder) {
  const { build } = await import('esbuild');
  const api = '@duckdb/node-api';
  const isThere = isInstalled(api);
  await build({
    entryPoints: [path.join(folder, 'main.js')],
    outfile: path.join(folder, 'process.cjs'),
    bundle: true,
    platform: 'node',
    target: 'node20',
    external: ['@duckdb/node-bindings', ...(isThere ? [] : [api])],
    logLevel: 'error',
  });
  if (isThere)
    fs.copyFileSync(
      path.join(path.dirname(require.resolve(`${api}/package.json`)), 'LICENSE'),
      path.join(folder, 'LICENSE-duckdb-node-api'),
    );
}

/** The library of the language server goes into the file that names it: editors start it from any installation. */
async function bundleProtocol(file) {
  const { build } = await import('esbuild');
  const written = fs.readFileSync(file, 'utf8');
  // The compiler writes the file only when its source has changed.
  if (!written.includes('require("vscode-languageserver')) return;
  await build({
    stdin: { contents: written, resolveDir: path.dirname(file), sourcefile: file },
    outfile: file,
    allowOverwrite: true,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    logLevel: 'error',
  });
}

function isInstalled(name) {
  try {
    return Boolean(require.resolve(name));
  } catch {
    return false;
  }
}

const started = process.hrtime.bigint();
const tsc = spawnSync(process.execPath, [...compiler(), '-p', path.join(root, 'tsconfig.build.json')], {
  stdio: ['ignore', 2, 2],
  cwd: root,
});
if (tsc.status !== 0) process.exit(1);
for (const room of ['src', 'workflows', 'activities', 'bench', 'test'].map((name) =>
  path.join(root, 'dist', name),
))
  if (fs.existsSync(room)) dropOrphans(room);
for (const room of ['engine', 'language/plan', 'language/template'])
  settleReexports(path.join(root, 'dist', 'src', room));
const docs = path.join(root, 'dist', 'src', 'language', 'errors', 'docs.js');
fs.writeFileSync(docs, withRef(fs.readFileSync(docs, 'utf8'), ref));
await bundleDuckdb(path.join(root, 'dist', 'activities', 'kinds', 'duckdb', 'child'));
await bundleProtocol(path.join(root, 'dist', 'src', 'cli', 'lsp', 'protocol.js'));
const templates = path.join('src', 'cli', 'templates');
fs.rmSync(path.join(root, 'dist', templates), { recursive: true, force: true });
fs.cpSync(path.join(root, templates), path.join(root, 'dist', templates), { recursive: true });
const python = path.join('activities', 'kinds', 'python');
for (const name of fs.readdirSync(path.join(root, python)).filter((file) => file.endsWith('.py')))
  fs.copyFileSync(path.join(root, python, name), path.join(root, 'dist', python, name));
const migrations = path.join('src', 'server', 'store', 'migrations');
fs.rmSync(path.join(root, 'dist', migrations), { recursive: true, force: true });
fs.cpSync(path.join(root, migrations), path.join(root, 'dist', migrations), { recursive: true });
// Copied, because the package depends on a telemetry package that its users should not install.
const swagger = path.dirname(require.resolve('swagger-ui-dist/package.json'));
fs.mkdirSync(path.join(root, 'dist', 'swagger-ui'), { recursive: true });
for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png', 'LICENSE', 'NOTICE'])
  fs.copyFileSync(path.join(swagger, name), path.join(root, 'dist', 'swagger-ui', name));
const { buildWorkflowBundle } = require(path.join(root, 'dist/src/temporal/worker/bundle.js'));
const { buildVscode } = await import('./build-vscode.mjs');
await buildVscode();
const { buildConsole } = await import('./build-console.mjs');
await Promise.all([buildWorkflowBundle(), buildConsole()]);
fs.chmodSync(path.join(root, 'dist/src/cli/main.js'), 0o755);
fs.writeFileSync(stamp, ref);
process.stderr.write(`built dist/ in ${Number((process.hrtime.bigint() - started) / 1_000_000n)} ms\n`);
