/** Clients of services most installations do not use are optional dependencies, loaded by the first task that needs one. */
import { asError } from './cause';
import { ToolError } from './outcome';

/** @throws ToolError `PACKAGE_MISSING`, which says what to install */
export async function optionalPackage<T>(kind: string, name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const { message } = asError(error);
    const { code } = error as NodeJS.ErrnoException;
    if (!/^(ERR_)?MODULE_NOT_FOUND$/.test(code ?? '') || !message.includes(name)) throw error;
    throw new ToolError({
      kind: 'exception',
      code: 'PACKAGE_MISSING',
      message: `${kind}: this worker lacks the package ${name}; npm install ${name} (an install with --omit=optional leaves it out)`,
    });
  }
}
