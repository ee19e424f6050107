/** Bundles console/playground to a page that a plain file server serves from anywhere: `node scripts/site/playground.mjs FOLDER`. */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import esbuild from 'esbuild';
import { common, outputs } from '../build-console.mjs';
import { examplesOf } from './examples.mjs';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const SOURCE = path.join(ROOT, 'console', 'playground');

/** @param out the folder, which is made anew */
export async function buildPlayground(out) {
  fs.rmSync(out, { recursive: true, force: true });
  const named = {
    outdir: path.join(out, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
  };
  const workers = outputs(
    await esbuild.build({
      ...common,
      ...named,
      entryPoints: ['console/reading/reader.ts', 'console/playground/worker.ts'],
      format: 'iife',
    }),
  );
  const names = outputs(
    await esbuild.build({
      ...common,
      ...named,
      // Relative to the page, wherever it is.
      define: {
        ...common.define,
        READER_URL: JSON.stringify(`assets/${workers['reader.ts']}`),
        COMPILER_URL: JSON.stringify(`assets/${workers['worker.ts']}`),
      },
      entryPoints: ['console/playground/main.tsx', 'console/playground/playground.css'],
      format: 'esm',
      splitting: true,
    }),
  );
  const html = fs
    .readFileSync(path.join(SOURCE, 'index.html'), 'utf8')
    .replace('{{script}}', `assets/${names['main.tsx']}`)
    .replace('{{style}}', `assets/${names['playground.css']}`);
  fs.writeFileSync(path.join(out, 'index.html'), html);
  const groups = examplesOf(ROOT);
  const { compile, graphOf } = await language();
  const { plan } = compile(groups[0].examples[0].playbook);
  fs.writeFileSync(path.join(out, 'examples.json'), JSON.stringify({ graph: graphOf(plan), groups }));
}

/** The compiler, from its source: a site can be built where nothing else has been. */
async function language() {
  const outfile = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-language-')), 'language.cjs');
  await esbuild.build({
    stdin: {
      contents: `export { compile } from './src/language/dsl'; export { graphOf } from './src/language/dsl/graph';`,
      resolveDir: ROOT,
    },
    ...{ absWorkingDir: ROOT, bundle: true, platform: 'node', outfile },
  });
  try {
    return createRequire(import.meta.url)(outfile);
  } finally {
    fs.rmSync(path.dirname(outfile), { recursive: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildPlayground(path.resolve(process.argv[2]));
