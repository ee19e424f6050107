/** Labels of an execution, by which it is found, and its name: written in plain text in Temporal, nothing in them is secret. */
export type RunLabels = Readonly<Record<string, string>>;

const MOST_LABELS = 16;
/** Bytes of all of them: Temporal stores 2 KiB of one search attribute. */
const MAX_BYTES = 1500;
/** Characters of the name of an execution: Temporal stores 255 of a keyword. */
export const MAX_RUN_NAME = 200;

const KEY = /^[A-Za-z][\w./-]{0,49}$/;
/** Neither spaces nor commas, which separate them in filters. */
const VALUE = /^[\p{L}\p{N}][\p{L}\p{N}_.:/@+-]{0,99}$/u;

/** What is wrong with a label; undefined if nothing is. */
export function labelProblem(key: string, value: unknown): string | undefined {
  if (!KEY.test(key))
    return `\`${key}\` is no name of a label: up to 50 letters, digits and \`_ . - /\`, a letter first`;
  if (typeof value === 'string' && VALUE.test(value)) return undefined;
  return `the label \`${key}\` has up to 100 letters, digits and \`_ . : / @ + -\`, a letter or digit first`;
}

/** As `labelProblem`, of all of an execution's. */
export function labelsProblem(labels: Readonly<Record<string, unknown>>): string | undefined {
  const entries = Object.entries(labels);
  if (entries.length > MOST_LABELS) return `there are more than ${MOST_LABELS} labels`;
  const problem = entries.map(([key, value]) => labelProblem(key, value)).find(Boolean);
  if (problem !== undefined) return problem;
  const bytes = new TextEncoder().encode(labelPairs(labels as RunLabels).join('')).length;
  return bytes > MAX_BYTES ? `the labels come to more than ${MAX_BYTES} bytes` : undefined;
}

/** As Temporal stores and finds them: `team=sales`. */
export function labelPairs(labels: RunLabels): string[] {
  return Object.entries(labels).map(([key, value]) => `${key}=${value}`);
}

export function labelsIn(pairs: readonly string[]): RunLabels {
  return Object.fromEntries(
    pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  );
}
