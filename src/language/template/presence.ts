import { type Expr } from './ir';

/** Tests of whether a value is present. */
export const presenceTests: ReadonlySet<string> = new Set(['defined', 'undefined', 'none', 'null']);

/** The paths whose presence is tested by a condition: `x is defined`, or just `x`. */
export function testedIn(condition: Expr): ReadonlySet<string> {
  const tested = new Set<string>();
  collectTested(condition, tested);
  return tested;
}

function collectTested(e: Expr, tested: Set<string>): void {
  switch (e.op) {
    case 'and':
    case 'or':
      collectTested(e.l, tested);
      collectTested(e.r, tested);
      return;
    case 'not':
      collectTested(e.e, tested);
      return;
    case 'test':
      if (presenceTests.has(e.n)) addPath(e.o, tested);
      return;
    default:
      addPath(e, tested);
  }
}

function addPath(e: Expr, tested: Set<string>): void {
  const keys: (string | number)[] = [];
  let at = e;
  for (; at.op === 'get'; at = at.o) keys.unshift(at.k);
  if (at.op === 'name') tested.add([at.n, ...keys].join('.'));
}
