/** Cloud SDKs are large and most installations need none: they are optional dependencies, loaded on use. */
import { EnvironmentError } from '../../language/errors';

/** @throws EnvironmentError `PACKAGE_MISSING`, which says what to install */
export async function storagePackage<T>(load: () => Promise<T>, name: string, need: string): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: string };
    if (code !== 'MODULE_NOT_FOUND' && code !== 'ERR_MODULE_NOT_FOUND') throw error;
    if (!message?.includes(name)) throw error;
    throw new EnvironmentError(
      'PACKAGE_MISSING',
      `${need} needs the package ${name}, which is not installed.`,
      [`npm install ${name}`, 'It is an optional dependency: installing with --omit=optional omits it.'],
      { cause: error },
    );
  }
}
