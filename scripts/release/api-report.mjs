// node scripts/release/api-report.mjs FOLDER
//   Writes what the entries of the package export, as types alone: one file for each entry and `shared.d.ts` for what they
//   share. Made of dist. Without comments and private members, so that only a change of the API changes it.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import ts from 'typescript';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const { exports } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
const entries = Object.fromEntries(
  Object.entries(exports).flatMap(([name, { types }]) =>
    types ? [[name.slice(2) || 'index', path.join(root, types)]] : [],
  ),
);

/** Private members, by which the same class of two releases would be two types. */
function isPrivate(node) {
  return (
    ts.canHaveModifiers(node) &&
    ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword)
  );
}

function publicOnly(text) {
  const source = ts.createSourceFile('api.d.ts', text, ts.ScriptTarget.Latest, true);
  const { transformed } = ts.transform(source, [
    (context) => {
      const visit = (node) => (isPrivate(node) ? undefined : ts.visitEachChild(node, visit, context));
      return (file) => ts.visitNode(file, visit);
    },
  ]);
  return ts.createPrinter({ removeComments: true }).printFile(transformed[0]);
}

/** Of names, those that no rollup has made up: chunks are called after their content. */
const own = new Set(Object.values(entries));
const bundle = await rollup({
  input: entries,
  external: /^[^./]/,
  plugins: [dts()],
  onwarn: () => {},
});
const { output } = await bundle.generate({
  format: 'es',
  entryFileNames: '[name].d.ts',
  chunkFileNames: '[name].d.ts',
  minifyInternalExports: false,
  manualChunks: (id) => (own.has(id) ? undefined : 'shared'),
});
await bundle.close();
const [folder] = process.argv.slice(2);
fs.rmSync(folder, { recursive: true, force: true });
fs.mkdirSync(folder, { recursive: true });
for (const { fileName, code } of output) fs.writeFileSync(path.join(folder, fileName), publicOnly(code));
