/** The extensions of this process: NOETL_EXTENSIONS, loaded once, before any command. */
import { type LoadedExtensions } from '../api/extension/load';

let loaded: LoadedExtensions = {
  kinds: new Map(),
  tools: [],
  sources: [],
  sourceFields: new Map(),
};

/** The kinds added by the modules of NOETL_EXTENSIONS. */
export function extensions(): LoadedExtensions {
  return loaded;
}

/**
 * Paths relative to the current folder, or packages, separated by commas.
 *
 * @throws EnvironmentError as loadExtensions
 */
export async function loadConfiguredExtensions(env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const names = (env['NOETL_EXTENSIONS'] ?? '').split(',').map((name) => name.trim());
  const given = names.filter(Boolean);
  if (given.length === 0) return;
  const { loadExtensions } = await import('../api/extension/load.js');
  loaded = await loadExtensions(given, process.cwd());
}
