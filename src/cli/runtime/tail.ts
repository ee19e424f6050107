/** Output of tasks, shown beside the progress of a run. */
import { followLines, type LogLine, type LogStore } from '../../telemetry/logs';
import { logLineText } from '../output/log-text';
import { paint, wantsColor } from '../output/paint';
import { type Display } from '../output/progress-display';

/** Of lines that arrive together only the last ones are shown: people cannot read more. */
export const SHOWN = 200;

export interface Tail {
  /** To be called after the run, when its output is stored: resolves when it is shown. */
  toEnd(): Promise<void>;
  stop(): void;
}

/** From the storage used by the workers of this process. */
export function tailOf(store: LogStore, executionId: string, display: Display): Tail {
  const stopped = new AbortController();
  let end = (_since: number): void => undefined;
  const ended = new Promise<number>((resolve) => (end = resolve));
  const { signal } = stopped;
  const done = (async () => {
    for await (const some of followLines(store, executionId, { signal, ended }))
      showLines(
        some.map(({ line }) => line),
        display,
      );
  })();
  // An unreadable storage hides lines but delays nothing.
  const quiet = done.catch(() => undefined);
  return {
    async toEnd() {
      end(Infinity);
      await quiet;
    },
    stop: () => stopped.abort(),
  };
}

export function showLines(lines: readonly LogLine[], display: Display): void {
  // A task's failure is reported at the end, or the task is retried.
  const output = lines.filter(({ stream }) => stream !== 'error');
  if (output.length === 0) return;
  const colors = paint(wantsColor(process.stderr));
  const left = output.length - SHOWN;
  const texts = output.slice(-SHOWN).map((line) => logLineText(line, colors));
  display.note([...(left > 0 ? [`  … ${left} lines more (noetl-temporal logs)`] : []), ...texts].join('\n'));
}
