/** A line of a log, and where one scrolls to it. */
import { createContext, type JSX, type RefObject } from 'preact';
import { useContext, useEffect, useRef } from 'preact/hooks';
import { taskPath } from '../../src/language/plan/names';
import { Ansi } from '../parts/ansi';
import { shortTime as timeOf } from '../parts/time';
import { isUpTo, type LogIndex, type LogLines, type PlacedLine } from './log-index';

export const BLOCK = 100;
/** Characters of a line that are drawn: not wrapped, and wrapped. Its details have all of them. */
const DRAWN = 500;
const WRAPPED = 4_000;
const WORDS: Readonly<Record<string, string>> = { stderr: 'stderr', error: 'failed', notice: 'notice' };

export interface Shown {
  readonly wraps: boolean;
  readonly text: string;
  /** `<run>/<place>` of the selected line. */
  readonly selected: string | undefined;
  readonly onSelect: (line: string | undefined) => void;
}
export const ShownContext = createContext<Shown | undefined>(undefined);

export function LogRow({
  run,
  line: of,
  before,
}: {
  run: string;
  line: PlacedLine;
  before?: PlacedLine | undefined;
}): JSX.Element {
  const { selected, onSelect, wraps, text } = useContext(ShownContext)!;
  const { at, stream, line } = of;
  const place = `${run}/${of.id}`;
  const isSelected = place === selected;
  const isSame = before?.task_run_id === of.task_run_id;
  const word = WORDS[stream];
  return (
    <div
      class={`log-row${isSelected ? ' selected' : ''}`}
      aria-current={isSelected || undefined}
      data-stream={stream}
      data-line={of.id}
      onClick={() => getSelection()?.isCollapsed !== false && onSelect(isSelected ? undefined : place)}
    >
      <time dateTime={at}>{timeOf(at)}</time>
      <span class={`log-task${isSame ? ' same' : ''}`} title={of.task_run_id}>
        {nameOf(of)}
      </span>
      {word && <span class="log-mark">{word}</span>}
      <code>
        <Ansi text={line.slice(0, wraps ? WRAPPED : DRAWN)} marked={text} />
      </code>
    </div>
  );
}

function nameOf({ step, task, iteration }: PlacedLine): string {
  const name = taskPath(step, task);
  return iteration === undefined ? name : `${name}[${String(iteration)}]`;
}

interface Revealing {
  readonly box: RefObject<HTMLElement | null>;
  readonly lines: LogLines;
  readonly index: LogIndex;
}

/** Scrolls to the selected line, when it is one of these, once. */
export function useReveal({ box, lines, index: { parts, busy } }: Revealing): void {
  const { selected } = useContext(ShownContext)!;
  const place = selected?.startsWith(`${lines.run}/`) ? selected.slice(lines.run.length + 1) : undefined;
  const revealed = useRef('');
  const key = `${lines.query} ${place ?? ''}`;
  useEffect(() => {
    if (place === undefined || revealed.current === key) return;
    const part = parts.findLast(({ from }) => isUpTo(from, place));
    if (!part || (busy && part === parts.at(-1))) return;
    revealed.current = key;
    void lines.of(part).then(
      (all) => {
        const at = all.findIndex(({ id }) => id === place);
        if (at >= 0) scrollTo(box.current!, `${part.from}/${String(at - (at % BLOCK))}`, place);
      },
      () => undefined,
    );
  }, [key, parts, busy]);
}

const FRAMES = 120;

/** To a line, which is drawn only when its block is in sight. */
function scrollTo(box: HTMLElement, block: string, place: string): void {
  const row = (): Element | null => box.querySelector(`[data-line="${place}"]`);
  if (row()) return row()!.scrollIntoView({ block: 'nearest' });
  box.querySelector(`[data-block="${block}"]`)?.scrollIntoView({ block: 'start' });
  const wait = (frames: number): void => {
    if (row()) row()!.scrollIntoView({ block: 'center' });
    else if (frames > 0) requestAnimationFrame(() => wait(frames - 1));
  };
  wait(FRAMES);
}
