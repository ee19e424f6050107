import { type GraphArc, type GraphNode } from './model';

/** A guard without its braces, on one line; a comparison of `event.name` is reduced to the event. */
export function guardText(source: string): string {
  const trimmed = source.replace(/\s+/g, ' ').trim();
  const inside = /^\{\{-?\s*([^]*?)\s*-?\}\}$/.exec(trimmed);
  return inside !== null && !inside[1]!.includes('{{') ? inside[1]! : trimmed;
}

/** The label of an arc: short, on one line; undefined if there is none. */
export function arcLabel(arc: GraphArc, width = 36): string | undefined {
  if (arc.when === undefined) return arc.otherwise ? 'else' : undefined;
  return ends(arc.when.replace(/\bevent\.name == (['"])([\w.]+)\1/g, '$2'), width);
}

/** The lines of a node: its name, its tools, and its loop. */
export function nodeLines(node: GraphNode, width = 32): string[] {
  if (node.step === null) return ['end'];
  const { loop } = node;
  const kinds = node.kinds.slice(0, 4).join(' → ') + (node.kinds.length > 4 ? ' → …' : '');
  const each =
    loop &&
    `↻ each ${loop.iterator}${loop.mode !== 'sequential' ? ` · ${loop.mode}${loop.max === undefined ? '' : ` ${String(loop.max)}`}` : ''}`;
  const marks = [...(node.fork ? ['fork'] : []), ...(node.join ? ['join'] : [])].join(', ');
  return [clean(node.step) || '?', kinds, each ?? '', marks && `(${marks})`]
    .filter((line) => line !== '')
    .map((line) => short(line, width));
}

/** At most `width` characters, without splitting any. */
export function short(text: string, width: number): string {
  const characters = [...clean(text)];
  return characters.length <= width ? characters.join('') : `${characters.slice(0, width - 1).join('')}…`;
}

/** The beginning and the end: guards of one router often differ only at the end. */
function ends(text: string, width: number): string {
  const characters = [...clean(text)];
  if (characters.length <= width) return characters.join('');
  const tail = Math.floor((width - 1) / 2);
  return `${characters
    .slice(0, width - 1 - tail)
    .join('')
    .replace(/[.\s]+$/, '')}…${characters.slice(-tail).join('')}`;
}

/** Removes characters unsuitable for pictures: control characters, text direction marks, unpaired surrogates. */
export function clean(text: string): string {
  return text
    .replace(/[\s\u2028\u2029]+/g, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\uFFFE\uFFFF]/gu, '')
    .trim();
}
