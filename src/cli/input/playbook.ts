/** From what the user named to a Plan. */
import fs from 'node:fs';
import { compile, type Diagnostic, formatDiagnostics } from '../../dsl';
import { type Plan } from '../../plan';
import { UsageError } from '../errors';
import { extensions } from '../extensions';
import { yamlFiles } from './yaml-files';

export interface CompiledFile {
  readonly file: string;
  readonly text: string;
  readonly plan?: Plan;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The file `-` is standard input.
 *
 * @throws UsageError when the file cannot be read
 */
export function compileFile(file: string, options: { strict?: boolean } = {}): CompiledFile {
  const text = readText(file);
  const { plan, diagnostics } = compile(text, { file, strict: options.strict, kinds: extensions().kinds });
  return { file, text, plan, diagnostics };
}

/**
 * The Plan of a file, or of the playbook with that `metadata.path` somewhere below this folder. Diagnostics go to
 * `write`, one block a finding.
 *
 * @throws UsageError when there is no such playbook, or it has errors
 */
export function loadPlaybook(
  name: string,
  options: { write: (text: string) => void; color: boolean; strict?: boolean },
): { plan: Plan; text: string; file: string } {
  const file = fs.existsSync(name) ? name : findByPath(name);
  const { plan, diagnostics, text } = compileFile(file, options);
  if (diagnostics.length > 0)
    options.write(`${formatDiagnostics([...diagnostics], text, { color: options.color })}\n`);
  if (!plan) {
    const errors = diagnostics.filter((one) => one.severity === 'error').length;
    throw new UsageError(`${file}: ${errors} error${errors === 1 ? '' : 's'}; nothing was started`);
  }
  return { plan, text, file };
}

/**
 * The files themselves, and for a folder the playbooks below it.
 *
 * @throws UsageError when there is no such file
 */
export function playbookFiles(names: readonly string[]): string[] {
  const files = names.flatMap((name) =>
    name !== '-' && fs.existsSync(name) && fs.statSync(name).isDirectory()
      ? [...yamlFiles(name, { left: MAX_FILES })].filter((file) =>
          /^kind:\s*['"]?Playbook/m.test(readText(file)),
        )
      : [name],
  );
  return [...new Set(files)];
}

/** @throws UsageError when the file cannot be read */
export function readText(file: string): string {
  try {
    return fs.readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') throw new UsageError(`${file}: there is no such file`);
    throw new UsageError(
      `${file}: ${code === 'EISDIR' ? 'is a folder, not a playbook' : `cannot be read (${code})`}`,
    );
  }
}

/** Nobody keeps more playbooks than this below the folder they stand in; a look at a whole disk would not end. */
const MAX_FILES = 5_000;

function findByPath(name: string): string {
  const missing = new UsageError(
    `${name}: there is no such file, and no playbook below this folder has that path`,
  );
  if (/\.(ya?ml)$/i.test(name)) throw new UsageError(`${name}: there is no such file`);
  for (const file of yamlFiles('.', { left: MAX_FILES })) {
    const text = readText(file);
    if (!text.includes(name)) continue;
    const { plan } = compile(text, { file, kinds: extensions().kinds });
    if (plan?.metadata.path === name || plan?.metadata.name === name) return file;
  }
  throw missing;
}
