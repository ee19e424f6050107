/** Only one `dev` per data folder: two would share task queues and process each other's tasks unnoticed. */
import path from 'node:path';
import { EnvironmentError } from '../../language/errors';
import { lockHolder, noteInLock, privateFolder, takeLock } from '../../temporal/client';

const fileIn = (dataDir: string): string => path.join(dataDir, 'dev.lock');

/**
 * Locks the folder for this process.
 *
 * @returns a function that releases it
 * @throws EnvironmentError `DEV_RUNNING` naming the process that holds it
 */
export function lockForDev(dataDir: string): () => void {
  privateFolder(dataDir);
  const release = takeLock(fileIn(dataDir));
  if (release) return release;
  const pid = devProcess(dataDir);
  throw new EnvironmentError(
    'DEV_RUNNING',
    `another dev is already using the data folder ${dataDir}: ${pid ? `process ${pid}` : 'another process'}`,
    ['Use that one, stop it (Ctrl-C), or choose another folder with --data.'],
  );
}

/** Records the console address of this process, which holds the lock. */
export function announceConsole(dataDir: string, url: string): void {
  noteInLock(fileIn(dataDir), url);
}

/** The console address of the `dev` that runs on this data folder; undefined if there is none. */
export function devConsole(dataDir: string): string | undefined {
  return lockHolder(fileIn(dataDir))?.note;
}

/** The process running `dev` on this data folder; undefined if there is none. */
export function devProcess(dataDir: string): number | undefined {
  return lockHolder(fileIn(dataDir))?.pid;
}
