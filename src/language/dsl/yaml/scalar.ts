import { type Located } from '../diagnostics/diagnostic';
import { type ScalarNode } from './node';
import { alignOffsets, type ScalarStyle } from './offsets';

/** A string, with the position of each of its characters, computed on demand. */
export function textNode(text: string, at: Located, style: ScalarStyle, value: string): ScalarNode {
  const before = style === 'plain' ? at.start : at.start + 1;
  // Only quotes, escapes and folding make the source longer than the value.
  if (style !== 'block' && at.end - before - (before - at.start) === value.length) {
    const offsetOf = (index: number): number => before + Math.min(Math.max(index, 0), value.length);
    return { kind: 'scalar', value, offsetOf, start: at.start, end: at.end, path: at.path };
  }
  let aligned: Uint32Array | undefined;
  const offsetOf = (index: number): number => {
    if (aligned === undefined) {
      const [from, to] = contentOf(text, at, style);
      aligned = alignOffsets(text, from, to, style, value);
    }
    return aligned[Math.min(Math.max(index, 0), value.length)]!;
  };
  return { kind: 'scalar', value, offsetOf, start: at.start, end: at.end, path: at.path };
}

/** Without the quotes, or the header line of a block. */
function contentOf(text: string, { start, end }: Located, style: ScalarStyle): [from: number, to: number] {
  if (style === 'single' || style === 'double') return [start + 1, end - 1];
  if (style === 'plain') return [start, end];
  const lineEnd = /\r\n|\r|\n/g;
  lineEnd.lastIndex = start;
  const header = lineEnd.exec(text);
  return [header === null ? end : header.index + header[0].length, end];
}

/** The path of a value in a mapping. */
export function childPath(path: string, key: string): string {
  const plain = /^[\w-]+$/.test(key) ? key : JSON.stringify(key);
  if (plain !== key) return `${path}[${plain}]`;
  return path === '' ? key : `${path}.${key}`;
}
