import fs from 'node:fs';
import path from 'node:path';

/** The version of this package, whether it runs from source or from `dist`. */
export function packageVersion(): string {
  let folder = __dirname;
  while (!fs.existsSync(path.join(folder, 'package.json'))) folder = path.dirname(folder);
  const manifest = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
    version: string;
  };
  return manifest.version;
}
