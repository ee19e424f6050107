/** The options that `bench -- bombs` and `bench -- fuzz` share. */
import { parseArgs, type ParseArgsConfig } from 'node:util';

type Texts<K extends string> = Readonly<Record<K, string>>;

export interface HostileOptions<K extends string, F extends string> {
  readonly ms: number;
  /** Runs all processes. */
  readonly node: string;
  /** Repeats what was sent. */
  readonly seed: string;
  readonly given: Texts<K>;
  readonly flags: Readonly<Record<F, boolean>>;
}

/** @param own options with their defaults @param flags without a value */
export function hostileOptions<K extends string, F extends string = never>(
  args: readonly string[],
  own: Texts<K>,
  flags: readonly F[] = [],
): HostileOptions<K, F> {
  const common = { minutes: '10', node: process.execPath, seed: String(Date.now()) };
  const options: ParseArgsConfig['options'] = Object.fromEntries([
    ...Object.entries<string>({ ...common, ...own }).map(([name, text]) => [
      name,
      { type: 'string', default: text },
    ]),
    ...flags.map((name) => [name, { type: 'boolean', default: false }]),
  ]);
  const values = parseArgs({ args: [...args], options }).values as Texts<K | keyof typeof common> &
    Record<F, boolean>;
  const ms = Number(values.minutes) * 60_000;
  if (!(ms > 0)) throw new Error(`--minutes ${values.minutes} is no number above 0`);
  console.log(`  seed ${values.seed}, ${values.minutes} min, ${values.node}`);
  return { ms, node: values.node, seed: values.seed, given: values, flags: values };
}

/** What may be, and what was. */
export interface Bar {
  readonly what: string;
  readonly allowed: string;
  readonly measured: string;
  readonly holds: boolean;
  /** Each thing that broke it. */
  readonly because?: readonly string[];
}

/** One table of all; the exit code is 1 if one does not hold. */
export function tellBars(bars: readonly Bar[]): boolean {
  const rows = bars.map(({ what, allowed, measured, holds }) => [
    what,
    allowed,
    measured,
    holds ? 'pass' : 'FAIL',
  ]);
  const heads = ['bar', 'allowed', 'measured', ''];
  const widths = heads.map((head, n) => Math.max(head.length, ...rows.map((row) => row[n]!.length)));
  console.log('');
  for (const row of [heads, ...rows])
    console.log(`  ${row.map((cell, n) => cell.padEnd(widths[n]!)).join('  ')}`.trimEnd());
  for (const { what, because = [] } of bars)
    for (const one of because.slice(0, 50)) console.log(`    ${what}: ${one}`);
  const hold = bars.every(({ holds }) => holds);
  if (!hold) process.exitCode = 1;
  return hold;
}

/** A bar on a count of things that must not be. */
export function none(what: string, found: readonly string[]): Bar {
  return { what, allowed: '0', measured: String(found.length), holds: found.length === 0, because: found };
}
