import fs from 'node:fs';

/**
 * Creates a data folder for its owner alone: histories, results and keys are in it. Root's may be entered, because its
 * Postgres runs as another user; what is in it belongs to its owner alone there too. An existing folder stays as it is.
 */
export function privateFolder(folder: string): void {
  fs.mkdirSync(folder, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
}
