/** The extensions of this process: NOETL_EXTENSIONS, loaded once, before any command. */
import { type LoadedExtensions, loadExtensions, NO_EXTENSIONS } from '../extension/load';

let loaded: LoadedExtensions = NO_EXTENSIONS;

/** What the modules of NOETL_EXTENSIONS add. */
export function extensions(): LoadedExtensions {
  return loaded;
}

/**
 * Paths relative to this folder, or packages, with commas between.
 *
 * @throws EnvironmentError as loadExtensions does
 */
export async function loadConfiguredExtensions(env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const names = (env['NOETL_EXTENSIONS'] ?? '').split(',').map((name) => name.trim());
  const given = names.filter(Boolean);
  if (given.length > 0) loaded = await loadExtensions(given, process.cwd());
}
