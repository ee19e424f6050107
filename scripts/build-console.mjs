// Bundles console/ to dist/console: a page, its scripts in chunks, two workers (the engine with the history reader;
// the compiler), and `view.js`, the run view alone, for `noetl-temporal view --html`, which adds the reader. Imports of Node and protobuf
// in the engine's modules are replaced by small stand-ins that are never reached in a browser.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';
import esbuild from 'esbuild';
import { docsRef, linkedTo } from './docs-ref.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const out = path.join(root, 'dist', 'console');
const standIn = (name) => path.join(root, 'console', 'reading', 'stand-ins', `${name}.ts`);

const standIns = {
  name: 'stand-ins',
  setup(build) {
    build.onResolve({ filter: /^@temporalio\/proto(\/|$)|protobuf-payload-converters$/ }, () => ({
      path: standIn('proto'),
    }));
    build.onResolve({ filter: /^(protobufjs(\/|$)|nexus-rpc|node:|ms$|long$)/ }, () => ({
      path: standIn('nothing'),
    }));
    build.onResolve({ filter: /\/codec$/ }, ({ importer }) =>
      /src\/history\/[^/]+\.ts$/.test(importer) ? { path: standIn('codec') } : undefined,
    );
  },
};

/** How whatever runs in a browser is bundled. */
export const common = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  target: ['es2022', 'chrome110', 'firefox115', 'safari16.4'],
  platform: 'browser',
  legalComments: 'none',
  metafile: true,
  tsconfig: path.join(root, 'console', 'tsconfig.json'),
  define: { 'process.env.NODE_ENV': '"production"' },
  plugins: [standIns, linkedTo(docsRef(root))],
  logLevel: 'warning',
};

/** Names of the outputs of entry points, by entry point. */
export function outputs({ metafile }) {
  return Object.fromEntries(
    Object.entries(metafile.outputs)
      .filter(([, { entryPoint }]) => entryPoint)
      .map(([file, { entryPoint }]) => [path.basename(entryPoint), path.basename(file)]),
  );
}

/** @returns bytes of each file, gzipped: { file: bytes } */
export async function buildConsole() {
  fs.rmSync(out, { recursive: true, force: true });
  const workers = await esbuild.build({
    ...common,
    entryPoints: ['console/reading/reader.ts', 'console/compiling/compiler.ts'],
    format: 'iife',
    outdir: path.join(out, 'assets'),
    entryNames: '[name]-[hash]',
  });
  const named = outputs(workers);
  const define = {
    ...common.define,
    READER_URL: JSON.stringify(`/assets/${named['reader.ts']}`),
    COMPILER_URL: JSON.stringify(`/assets/${named['compiler.ts']}`),
  };
  const page = await esbuild.build({
    ...common,
    define,
    entryPoints: ['console/main.tsx', 'console/style/console.css'],
    format: 'esm',
    splitting: true,
    outdir: path.join(out, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
  });
  await esbuild.build({
    ...common,
    entryPoints: ['console/view.tsx', 'console/style/view.css'],
    format: 'iife',
    outdir: out,
    entryNames: '[name]',
  });
  const names = outputs(page);
  const html = fs
    .readFileSync(path.join(root, 'console', 'index.html'), 'utf8')
    .replace('{{script}}', `/assets/${names['main.tsx']}`)
    .replace('{{style}}', `/assets/${names['console.css']}`);
  fs.writeFileSync(path.join(out, 'index.html'), html);
  fs.copyFileSync(path.join(root, 'console', 'icon.svg'), path.join(out, 'assets', 'icon.svg'));
  return { pages: page.metafile, workers: workers.metafile };
}

/** Prints the gzipped sizes of the outputs: `node scripts/build-console.mjs`. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildConsole();
  for (const name of fs.readdirSync(path.join(out, 'assets')).sort()) {
    const bytes = fs.readFileSync(path.join(out, 'assets', name));
    process.stdout.write(`${String(zlib.gzipSync(bytes).length).padStart(8)}  ${name}\n`);
  }
}
