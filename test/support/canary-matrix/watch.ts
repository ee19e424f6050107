/** What is seen of running tasks by whoever looks: temporary files and arguments of processes. Most are gone when they end. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { type Content, contentsOfFolder } from '../canary';

/** Where anybody on the machine reads with what a process was started. */
const PROC = '/proc';
export const HAS_PROC = fs.existsSync(`${PROC}/self/cmdline`);
/** A script gets the arguments that its author gave it. */
const OF_AUTHORS = /noetl-script-/;

/**
 * @param planted stands in a file and in the arguments of a process for as long as this lasts: those of tasks may be gone
 *   between two looks
 * @returns ends it (again and again), and tells what it saw
 */
export function watch(folder: string, planted: string): () => Promise<Content[]> {
  const file = path.join(folder, 'planted');
  fs.writeFileSync(file, planted);
  const idle = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 3_600_000)', planted], {
    stdio: 'ignore',
  });
  const files = new Map<string, string>();
  const commands = new Set<string>();
  let over = false;
  const watching = (async () => {
    while (!over) {
      try {
        for (const { where, text } of contentsOfFolder(folder)) files.set(where, text);
      } catch {
        // One was removed while it was being read: the next look finds what is left.
      }
      for (const text of commandsNow()) commands.add(text);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  })();
  return async () => {
    over = true;
    await watching;
    idle.kill('SIGKILL');
    fs.rmSync(file, { force: true });
    return [
      ...[...files].map(([where, text]) => ({ where: `temporary file ${where}`, text })),
      ...[...commands].map((text) => ({ where: 'arguments of processes', text })),
    ];
  };
}

function commandsNow(): string[] {
  if (!HAS_PROC) return [];
  return fs.readdirSync(PROC).flatMap((pid) => {
    try {
      const text = /^\d+$/.test(pid) ? fs.readFileSync(`${PROC}/${pid}/cmdline`, 'utf8') : '';
      return text === '' || OF_AUTHORS.test(text) ? [] : [text];
    } catch {
      return []; // It has ended.
    }
  });
}
