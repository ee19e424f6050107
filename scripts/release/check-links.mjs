// node scripts/release/check-links.mjs FOLDER     dead links of pages (Markdown, HTML) below a folder: the site, an unpacked tarball
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const { deadEnds } = createRequire(import.meta.url)('./links.cjs');
const [folder] = process.argv.slice(2);
const files = fs
  .readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((one) => one.isFile())
  .map((one) => path.relative(folder, path.join(one.parentPath ?? one.path, one.name)));
const dead = deadEnds(folder, files);
process.stdout.write(dead.map((line) => `${line}\n`).join(''));
process.stdout.write(`${files.length} files, ${dead.length} dead links\n`);
process.exitCode = dead.length > 0 ? 1 : 0;
