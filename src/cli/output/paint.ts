import { linkedToDocs } from '../../language/errors';

export interface Paint {
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
  dim(text: string): string;
  bold(text: string): string;
  /** A link to the page of the code. */
  explained(text: string, code: string): string;
}

const CODES = {
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
  dim: [2, 22],
  bold: [1, 22],
} as const;

/** Terminal colours, or unchanged text without them. */
export function paint(color: boolean): Paint {
  const one = (name: keyof typeof CODES) => (text: string) =>
    color ? `\u001b[${CODES[name][0]}m${text}\u001b[${CODES[name][1]}m` : text;
  return {
    red: one('red'),
    green: one('green'),
    yellow: one('yellow'),
    cyan: one('cyan'),
    dim: one('dim'),
    bold: one('bold'),
    explained: (text, code) => (color ? linkedToDocs(text, code) : text),
  };
}

/** Colours only for a terminal, and never if NO_COLOR is set to a non-empty value. */
export function wantsColor(
  stream: { isTTY?: boolean },
  env: Record<string, string | undefined> = process.env,
): boolean {
  return stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
}

/** Removes control characters except tab and line break, so that external text cannot control the terminal. */
export function printable(text: string): string {
  return text
    .replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, '')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}

export { duration } from '../../language/plan/duration';
