/** What tasks print, shown beside the progress of a run. */
import { followLines, type LogLine, type LogStore } from '../../logs';
import { tailText } from '../output/log-text';
import { paint, wantsColor } from '../output/paint';
import { type Display } from '../output/progress-display';

/** Of those that come at once, the last so many are shown: a person cannot read more. */
const SHOWN = 200;

export interface Tail {
  /** The run is over, and what it printed is stored: resolves when it is shown. */
  toEnd(): Promise<void>;
  stop(): void;
}

/** From the storage that the workers of this process use. */
export function tailOf(store: LogStore, executionId: string, display: Display): Tail {
  const stopped = new AbortController();
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const { signal } = stopped;
  const done = (async () => {
    for await (const some of followLines(store, executionId, { signal, ended, lingerMs: 0 }))
      showLines(
        some.map(({ line }) => line),
        display,
      );
  })();
  // A storage that cannot be read hides lines, and holds up nothing.
  const quiet = done.catch(() => undefined);
  return {
    async toEnd() {
      end();
      await quiet;
    },
    stop: () => stopped.abort(),
  };
}

export function showLines(lines: readonly LogLine[], display: Display): void {
  // What a task failed with is told at the end, or is tried again.
  const said = lines.filter(({ stream }) => stream !== 'error');
  if (said.length === 0) return;
  const colors = paint(wantsColor(process.stderr));
  const left = said.length - SHOWN;
  const texts = said.slice(-SHOWN).map((line) => tailText(line, colors));
  display.note([...(left > 0 ? [`  … ${left} lines more (noetl-temporal logs)`] : []), ...texts].join('\n'));
}
