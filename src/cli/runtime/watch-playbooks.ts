/**
 * `dev --watch`: registers the playbooks of a folder, and each again when it is saved. Executions keep the version that
 * they run. The folder is polled: editors replace files, and file events are missing in containers and network drives.
 */
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../language/errors';
import { playbookFiles } from '../input/playbook';
import { type RegisterOutcome } from './remote/register-files';

const POLL_MS = 400;

export interface WatchOptions {
  /** Registers files, each independently. */
  register(files: readonly string[]): Promise<readonly RegisterOutcome[]>;
  /** Called for each file that was registered or refused. */
  report(outcome: RegisterOutcome): void;
  /** Called when the folder or the catalog cannot be reached; the files are tried again. */
  trouble(message: string): void;
}

export class PlaybookWatch {
  /** By file: size and time of the content that the catalog has, or has refused. */
  private readonly handled = new Map<string, string | undefined>();
  /** At the last look: what still changes is not read. */
  private seen: ReadonlyMap<string, string | undefined> = new Map();
  private lastTrouble = '';

  constructor(
    private readonly folder: string,
    private readonly options: WatchOptions,
  ) {}

  /** Registers what has changed since, and not since the last look. */
  async look(): Promise<void> {
    try {
      const now = new Map(playbookFiles([this.folder]).map((file) => [file, stampOf(file)]));
      const before = this.seen;
      this.seen = now;
      const changed = [...now].filter(
        ([file, stamp]) =>
          stamp !== undefined && this.handled.get(file) !== stamp && before.get(file) === stamp,
      );
      if (changed.length === 0) return;
      for (const outcome of await this.options.register(changed.map(([file]) => file)))
        this.options.report(outcome);
      for (const [file, stamp] of changed) this.handled.set(file, stamp);
      this.lastTrouble = '';
    } catch (error) {
      const message = messageOf(error);
      if (message !== this.lastTrouble) this.options.trouble(message);
      this.lastTrouble = message;
    }
  }

  /** Looks until it is stopped. @returns a function that stops it and waits for the look under way */
  start(): () => Promise<void> {
    const stop = new AbortController();
    const looking = (async () => {
      while (!stop.signal.aborted) {
        await this.look();
        await sleep(POLL_MS, undefined, { signal: stop.signal }).catch(() => undefined);
      }
    })();
    return async () => {
      stop.abort();
      await looking;
    };
  }
}

/** Undefined if it is gone meanwhile. */
function stampOf(file: string): string | undefined {
  const stats = fs.statSync(file, { throwIfNoEntry: false });
  return stats && `${stats.size} ${stats.mtimeMs}`;
}
