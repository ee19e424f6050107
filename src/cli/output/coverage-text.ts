/** What runs have touched of a playbook, for people. */
import { type Covered } from '../../offline/proof';
import { paint, printable, wantsColor } from './paint';

const NAMES = {
  step: 'steps',
  arc: 'arcs',
  rule: 'rules',
  failure: 'failures of tasks',
  error_path: 'error paths',
};

/** Totals, then everything that no run touched. */
export function coverageLines({ playbook, runs, parts, totals }: Covered): string[] {
  const { bold, green, yellow, dim } = paint(wantsColor(process.stdout));
  const counts = (['step', 'arc', 'rule', 'error_path'] as const).flatMap((kind) => {
    const { touched, all } = totals[kind];
    if (all === 0) return [];
    const text = `${touched} of ${all} ${NAMES[kind]}`;
    return [touched === all ? green(text) : yellow(text)];
  });
  const never = parts.filter(({ count }) => count === 0);
  return [
    `${bold('covered')} ${printable(playbook)} by ${runs} ${runs === 1 ? 'run' : 'runs'}: ${counts.join(', ')}`,
    ...never.map(({ kind, name, at }) => dim(printable(`  never: ${kind} ${name} (line ${at[0]})`))),
  ];
}
