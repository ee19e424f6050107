/** The output of `diff`. */
import fs from 'node:fs';
import {
  Alignment,
  type CanonicalEvent,
  type ExecutionComparison,
  type ExecutionDifference,
} from '../../history';
import { EXIT } from '../errors';
import { valueText } from '../output/finding-text';
import { paint, printable, wantsColor } from '../output/paint';
import { SaidProgress } from '../output/progress';
import { print } from '../output/say';
import { type ReadableExecution, withHistory } from './executions';
import { type PortFlags } from './port';

export interface DiffOptions extends PortFlags {
  readonly format: 'text' | 'json';
}

/** @returns the exit code: 1 if the executions differ */
export async function diffRuns(a: string, b: string, { format, ...where }: DiffOptions): Promise<number> {
  const alignment = new Alignment();
  await withHistory([a], placeOf(a, where), (first) =>
    withHistory([b], placeOf(b, where), (second) => align(alignment, first, second)),
  );
  const comparison = alignment.comparison();
  await print(format === 'json' ? JSON.stringify(comparison, null, 2) : comparisonText(comparison));
  return comparison.same ? EXIT.success : EXIT.failed;
}

async function align(alignment: Alignment, a: ReadableExecution, b: ReadableExecution): Promise<void> {
  const events = { a: eventsOf(a), b: eventsOf(b) };
  const progress = new SaidProgress('events of both');
  for (let side = alignment.next; side; side = alignment.next) {
    const { done, value } = await events[side].next();
    alignment.take(side, done ? undefined : value);
    if (!done) progress.add(value.length);
  }
}

/** Files are read locally, even if executions are read from a facade. */
function placeOf(named: string, { data, server }: PortFlags): PortFlags {
  return fs.existsSync(named) ? { data } : { data, server };
}

function eventsOf(run: ReadableExecution): AsyncIterator<readonly CanonicalEvent[], void> {
  // Bodies, not references: equal values have different keys in each execution.
  const events = run.events({ bodies: true, signal: new AbortController().signal });
  return events[Symbol.asyncIterator]() as AsyncIterator<readonly CanonicalEvent[], void>;
}

function comparisonText({ a, b, same, differences, timings }: ExecutionComparison): string {
  const { red, green, dim, bold } = paint(wantsColor(process.stdout));
  const head = [a, b].map(
    (one, i) =>
      `${'ab'[i]}: ${printable(one.playbook)} ${dim(`execution ${one.execution_id}`)} ${one.status}`,
  );
  const body: string[] = [];
  let subject = '';
  for (const one of differences) {
    const now = subjectOf(one);
    if (now !== subject) body.push('', bold(printable(now)));
    subject = now;
    if (one.what === 'only') body.push(`  only in ${one.a ? 'a' : 'b'}`);
    else {
      body.push(`  ${printable(one.what)}`);
      body.push(red(`    a ${valueText(one.a)}`), green(`    b ${valueText(one.b)}`));
    }
  }
  if (same) body.push('', 'They did the same.');
  if (timings.length > 0) body.push('', bold('Took longer'));
  for (const { id, a_ms, b_ms } of timings)
    body.push(`  ${printable(id || 'the execution')}: a ${a_ms} ms, b ${b_ms} ms`);
  return [...head, ...body].join('\n');
}

function subjectOf({ kind, id }: ExecutionDifference): string {
  return kind === 'execution' ? 'execution' : `${kind} ${id}`;
}
