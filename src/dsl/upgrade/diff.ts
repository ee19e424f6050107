/** A line of a comparison. */
interface Line {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

const CONTEXT = 3;

/**
 * The unified diff of two texts, as `git apply` and `patch` read it; empty when they are equal.
 *
 * @example
 * unifiedDiff('a\nb\n', 'a\nc\n', { from: 'x.yaml', to: 'x.yaml' }) // '--- x.yaml\n+++ x.yaml\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n'
 */
export function unifiedDiff(before: string, after: string, names: { from: string; to: string }): string {
  if (before === after) return '';
  const lines = compare(linesOf(before), linesOf(after));
  return `--- ${names.from}\n+++ ${names.to}\n${hunks(lines).join('')}`;
}

/** The lines with their line feeds; a last line without one says so, as `diff` does. */
function linesOf(text: string): string[] {
  const lines = text.split('\n');
  const last = lines.pop();
  const whole = lines.map((line) => `${line}\n`);
  return last === '' || last === undefined ? whole : [...whole, `${last}\n\\ No newline at end of file\n`];
}

/** The shortest way from one list of lines to the other (Myers), equal ends set aside first. */
function compare(a: readonly string[], b: readonly string[]): Line[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const keep = (lines: readonly string[]): Line[] => lines.map((text) => ({ sign: ' ', text }));
  const middle = shortest(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  return [...keep(a.slice(0, head)), ...middle, ...keep(a.slice(a.length - tail))];
}

function shortest(a: readonly string[], b: readonly string[]): Line[] {
  const most = a.length + b.length;
  const furthest = new Map<number, number>([[1, 0]]);
  const trace: Map<number, number>[] = [];
  for (let d = 0; d <= most; d += 1) {
    trace.push(new Map(furthest));
    for (let k = -d; k <= d; k += 2) {
      let x = fromAbove(furthest, k, d) ? furthest.get(k + 1)! : furthest.get(k - 1)! + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      furthest.set(k, x);
      if (x >= a.length && x - k >= b.length) return backtrack(a, b, trace);
    }
  }
  return [];
}

function fromAbove(furthest: ReadonlyMap<number, number>, k: number, d: number): boolean {
  return k === -d || (k !== d && furthest.get(k - 1)! < furthest.get(k + 1)!);
}

function backtrack(
  a: readonly string[],
  b: readonly string[],
  trace: readonly Map<number, number>[],
): Line[] {
  const lines: Line[] = [];
  let x = a.length;
  let y = b.length;
  for (let d = trace.length - 1; d >= 0; d -= 1) {
    const furthest = trace[d]!;
    const k = x - y;
    const above = fromAbove(furthest, k, d);
    const from = above ? k + 1 : k - 1;
    const startX = d === 0 ? 0 : furthest.get(from)!;
    const startY = d === 0 ? 0 : startX - from;
    while (x > startX && y > startY && x > 0 && y > 0 && a[x - 1] === b[y - 1]) {
      x -= 1;
      y -= 1;
      lines.push({ sign: ' ', text: a[x]! });
    }
    if (d === 0) break;
    if (above) lines.push({ sign: '+', text: b[(y -= 1)]! });
    else lines.push({ sign: '-', text: a[(x -= 1)]! });
  }
  return lines.reverse();
}

function hunks(lines: readonly Line[]): string[] {
  const found: string[] = [];
  let position = 0;
  while (position < lines.length) {
    const first = lines.findIndex((line, i) => i >= position && line.sign !== ' ');
    if (first === -1) break;
    let last = first;
    for (let i = first; i < lines.length && i <= last + 2 * CONTEXT + 1; i += 1)
      if (lines[i]!.sign !== ' ') last = i;
    const from = Math.max(first - CONTEXT, position);
    const to = Math.min(last + CONTEXT + 1, lines.length);
    found.push(hunk(lines, from, to));
    position = to;
  }
  return found;
}

function hunk(lines: readonly Line[], from: number, to: number): string {
  const count = (start: number, end: number, sign: '-' | '+'): number =>
    lines.slice(start, end).filter((line) => line.sign === ' ' || line.sign === sign).length;
  const range = (sign: '-' | '+'): string => {
    const size = count(from, to, sign);
    return `${count(0, from, sign) + (size === 0 ? 0 : 1)},${size}`;
  };
  const body = lines.slice(from, to).map(({ sign, text }) => sign + text);
  return `@@ -${range('-')} +${range('+')} @@\n${body.join('')}`;
}
