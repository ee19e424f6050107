/** Whether the process before this one was ended without stopping: by a signal, a crash, or for its memory. */
import fs from 'node:fs';
import path from 'node:path';
import { isAlive } from '../../temporal/client';

interface Note {
  readonly pid: number;
  readonly started: string;
}

/**
 * Leaves a note in the data folder, and removes it when the process ends in order.
 *
 * @param command `dev`, `serve`, `worker`
 * @returns a sentence about the process before, if it has left its note behind; otherwise none
 */
export function noteProcess(command: string, dataDir: string): string[] {
  const file = noteFile(command, dataDir);
  const before = diedBefore(command, dataDir);
  try {
    const note: Note = { pid: process.pid, started: new Date().toISOString() };
    fs.writeFileSync(file, JSON.stringify(note));
  } catch {
    // No data folder, or a disk that cannot be written: the orchestrator knows how its processes end.
    return before;
  }
  process.once('exit', () => {
    if (noteIn(file)?.pid === process.pid) fs.rmSync(file, { force: true });
  });
  return before;
}

/** As `noteProcess`, without a note of its own. */
export function diedBefore(command: string, dataDir: string): string[] {
  const note = noteIn(noteFile(command, dataDir));
  if (!note || note.pid === process.pid || isAlive(note.pid)) return [];
  return [
    `the ${command} before (process ${note.pid}, started ${note.started}) ended without stopping: it was killed, ` +
      'it crashed, or its memory ran out',
  ];
}

function noteFile(command: string, dataDir: string): string {
  return path.join(dataDir, `${command}.process.json`);
}

function noteIn(file: string): Note | undefined {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')) as Note;
  } catch {
    return undefined;
  }
}
