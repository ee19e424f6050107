/** From files and folders given by the user to runnable rehearsals. */
import fs from 'node:fs';
import path from 'node:path';
import { extensions } from '../extensions';
import { type RehearsedPlaybook, type ReadFile, readRehearsals } from '../../offline/rehearsal';
import { UsageError } from '../errors';
import { compileFile, readText } from './playbook';

const SUFFIX = /\.rehearsal\.ya?ml$/i;

/**
 * The rehearsal files: named files, and all `*.rehearsal.yaml` below named folders.
 *
 * @throws UsageError if a name is neither file nor folder, or a folder has no rehearsal
 */
export function rehearsalFiles(names: readonly string[]): string[] {
  const files = names.flatMap((name) => {
    if (!fs.existsSync(name) || !fs.statSync(name).isDirectory()) return [name];
    const files = fs
      .readdirSync(name, { recursive: true, encoding: 'utf8' })
      .filter((file) => SUFFIX.test(file) && !file.split(path.sep).includes('node_modules'))
      .sort()
      .map((file) => path.join(name, file));
    if (files.length === 0) throw new UsageError(`${name}: this folder contains no *.rehearsal.yaml`);
    return files;
  });
  return [...new Set(files)];
}

/** @throws UsageError if the rehearsal file cannot be read */
export function readRehearsalFile(file: string): ReadFile & { readonly text: string } {
  const text = readText(file);
  const load = (name: string): RehearsedPlaybook => loadPlaybook(name, path.dirname(file));
  const textOf = (name: string): string | undefined => {
    const place = path.join(path.dirname(file), name);
    return fs.existsSync(place) ? readText(place) : undefined;
  };
  return { ...readRehearsals(text, { file, load, textOf, kinds: extensions().kinds }), text };
}

function loadPlaybook(name: string, folder: string): RehearsedPlaybook {
  const file = path.join(folder, name);
  if (!fs.existsSync(file)) {
    return { file, problem: `does not exist: ${file}`, hint: 'the path is relative to the rehearsal file' };
  }
  try {
    const { plan, diagnostics } = compileFile(file);
    if (plan !== undefined) return { file, plan };
    const first = diagnostics.find(({ severity }) => severity === 'error')!;
    const problem = `has errors: ${file}:${first.line}:${first.column}: ${first.code}: ${first.message}`;
    return { file, problem, hint: `\`noetl-temporal validate ${file}\` shows all of them` };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { file, problem: error.message };
  }
}
