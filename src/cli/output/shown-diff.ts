import { unifiedDiff } from '../../language/dsl/unified-diff';
import { paint, wantsColor } from './paint';

/** The changes of a file as a unified diff for standard output, in color on a terminal; empty without changes. */
export function shownDiff(file: string, before: string, after: string): string {
  return colored(unifiedDiff(before, after, { from: file, to: file }), wantsColor(process.stdout));
}

function colored(diff: string, color: boolean): string {
  if (!color) return diff;
  const { green, red, dim } = paint(color);
  return diff
    .split('\n')
    .map((line) => {
      if (line.startsWith('@@') || line.startsWith('---') || line.startsWith('+++')) return dim(line);
      return line.startsWith('+') ? green(line) : line.startsWith('-') ? red(line) : line;
    })
    .join('\n');
}
