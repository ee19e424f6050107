/**
 * The smallest playbook that causes a code, with `‹` before the character the diagnostic points to. The reference
 * shows it, and a test compiles it.
 */
export interface Example {
  /** What the reference shows. */
  readonly shown: string;
  /** The whole playbook around it. */
  readonly text: string;
}

const HEADER = 'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: example}\n';

/** A whole document. */
export function whole(text: string): Example {
  const body = dedent(text);
  return { shown: body, text: body };
}

/** Steps of a workflow; the first is `start`. */
export function steps(text: string): Example {
  const body = dedent(text);
  return { shown: body, text: `${HEADER}workflow:\n${body}` };
}

/** Everything below the header. */
export function below(text: string): Example {
  const body = dedent(text);
  return { shown: body, text: HEADER + body };
}

/** The playbook without the marker, and where the marker was. */
export function unmark(text: string): { text: string; offset: number } {
  const offset = text.indexOf('‹');
  return { text: text.slice(0, offset) + text.slice(offset + 1), offset };
}

function dedent(text: string): string {
  const lines = text.replace(/^\n/, '').replace(/\n *$/, '\n').split('\n');
  const indents = lines.filter((line) => line.trim() !== '').map((line) => /^ */.exec(line)![0].length);
  const least = Math.min(...indents);
  return lines.map((line) => line.slice(least)).join('\n');
}
