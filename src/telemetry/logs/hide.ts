/**
 * Removes secrets from lines. A secret may be split over lines (Base64 folded by a tool), so the last lines are
 * held back until the next ones arrive.
 */
import { type LogStream } from './line';

export interface Text {
  readonly at: string;
  readonly stream: LogStream;
  readonly line: string;
}

export interface Hiding {
  /** Whether any secret is known. */
  readonly isNeeded: boolean;
  /** The text without secrets. */
  text(value: string): string;
}

/** No spelling of a secret has more lines. */
const REACH = 100;
const STREAMS: readonly LogStream[] = ['stdout', 'stderr'];

/** In order, unless a secret over several lines reduces their number: then stream by stream. */
export function hiddenTexts(texts: readonly Text[], hide: Hiding): readonly Text[] {
  if (texts.length === 0 || !hide.isNeeded) return texts;
  const byStream = STREAMS.map((stream) => {
    const some = texts.filter((text) => text.stream === stream);
    const lines = some.length === 0 ? [] : hide.text(some.map(({ line }) => line).join('\n')).split('\n');
    return { stream, some, lines };
  });
  if (byStream.every(({ some, lines }) => some.length === lines.length)) {
    const linesOf = new Map(byStream.map(({ stream, lines }) => [stream, lines.values()]));
    return texts.map((text) => ({ ...text, line: linesOf.get(text.stream)?.next().value ?? '' }));
  }
  return byStream.flatMap(({ stream, some, lines }) =>
    lines.map((line, index) => ({ at: (some[index] ?? some.at(-1)!).at, stream, line })),
  );
}

/** Whether a secret is split between the parts. */
export function isSplit(before: readonly Text[], after: readonly Text[], hide: Hiding): boolean {
  const [end, start] = [before.slice(-REACH), after.slice(0, REACH)];
  const whole = STREAMS.map((stream) => textOf(hiddenTexts([...end, ...start], hide), stream));
  return STREAMS.some((stream, index) => {
    const parts = [end, start]
      .map((part) => textOf(hiddenTexts(part, hide), stream))
      .filter((part) => part !== undefined);
    return (parts.length === 0 ? undefined : parts.join('\n')) !== whole[index];
  });
}

function textOf(texts: readonly Text[], stream: LogStream): string | undefined {
  const lines = texts.filter((text) => text.stream === stream).map(({ line }) => line);
  return lines.length === 0 ? undefined : lines.join('\n');
}
