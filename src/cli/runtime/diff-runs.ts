/** The output of `diff`. */
import fs from 'node:fs';
import { compare, type Comparison, type Difference, Summariser } from '../../history';
import { EXIT } from '../errors';
import { valueText } from '../output/finding-text';
import { paint, printable, wantsColor } from '../output/paint';
import { print } from '../output/say';
import { type ExecutionSource, executionOf } from './executions';

export interface DiffOptions extends ExecutionSource {
  readonly format: 'text' | 'json';
}

/** @returns the exit code: 1 if the executions differ */
export async function diffRuns(a: string, b: string, { format, ...where }: DiffOptions): Promise<number> {
  const [left, right] = [await summaryOf(a, where), await summaryOf(b, where)];
  const comparison = compare(left, right);
  await print(format === 'json' ? JSON.stringify(comparison, null, 2) : comparisonText(comparison));
  return comparison.same ? EXIT.success : EXIT.failed;
}

/** Files are read locally, even if executions are read from a facade. */
async function summaryOf(named: string, { data, server }: ExecutionSource): Promise<Summariser['summary']> {
  const summariser = new Summariser();
  const run = await executionOf([named], fs.existsSync(named) ? { data } : { data, server });
  // Bodies, not references: equal values have different keys in each execution.
  const options = { bodies: true, signal: new AbortController().signal };
  for await (const events of run.events(options)) summariser.take(events);
  return summariser.summary;
}

function comparisonText({ a, b, same, differences, timings }: Comparison): string {
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

function subjectOf({ kind, id }: Difference): string {
  return kind === 'execution' ? 'execution' : `${kind} ${id}`;
}
