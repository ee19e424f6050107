/** Clients of less common services are optional dependencies, loaded by the first task that needs one. */
import fs from 'node:fs';
import path from 'node:path';
import { asError } from './cause';
import { ToolError } from './outcome';

/** @throws ToolError `PACKAGE_MISSING`, which says what to install */
export async function toolPackage<T>(kind: string, name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    throw missingPackage(kind, [name], error) ?? error;
  }
}

/**
 * The error for a module that could not be loaded.
 *
 * @param kind the kind that needs it
 * @param names packages that may be missing
 * @returns ToolError `PACKAGE_MISSING` with the command that adds the package; undefined when none of them is missing
 */
export function missingPackage(
  kind: string,
  names: readonly string[],
  error: unknown,
): ToolError | undefined {
  const { message } = asError(error);
  const { code } = error as NodeJS.ErrnoException;
  if (!/^(ERR_)?MODULE_NOT_FOUND$/.test(code ?? '')) return undefined;
  const name = names.find((each) => message.includes(each));
  if (name === undefined) return undefined;
  return new ToolError({
    kind: 'exception',
    code: 'PACKAGE_MISSING',
    message:
      `${kind}: this process lacks the package ${name}; npm install ${name}${versionOf(name)} ` +
      '(large drivers are not installed, and none with --omit=optional)',
  });
}

/** `@1.2.3`, the version this release is tested with. */
function versionOf(name: string): string {
  let folder = __dirname;
  while (!fs.existsSync(path.join(folder, 'package.json'))) folder = path.dirname(folder);
  const { optionalDependencies, peerDependencies } = JSON.parse(
    fs.readFileSync(path.join(folder, 'package.json'), 'utf8'),
  ) as Partial<Record<'optionalDependencies' | 'peerDependencies', Record<string, string>>>;
  const version = { ...peerDependencies, ...optionalDependencies }[name];
  return version === undefined ? '' : `@${version}`;
}
