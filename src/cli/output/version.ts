import fs from 'node:fs';
import path from 'node:path';

/** The folder of this package, whether it runs from source or from `dist`. */
export function packageFolder(): string {
  let folder = __dirname;
  while (!fs.existsSync(path.join(folder, 'package.json'))) folder = path.dirname(folder);
  return folder;
}

export function packageVersion(): string {
  const manifest = JSON.parse(fs.readFileSync(path.join(packageFolder(), 'package.json'), 'utf8')) as {
    version: string;
  };
  return manifest.version;
}
