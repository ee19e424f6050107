/** The extensions of this process: NOETL_EXTENSIONS, loaded once, before any command. */
import { type LoadedExtensions } from '../extension/load';

let loaded: LoadedExtensions = { kinds: new Map(), tools: [] };

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
  if (given.length === 0) return;
  const { loadExtensions } = await import('../extension/load.js');
  loaded = await loadExtensions(given, process.cwd());
}
