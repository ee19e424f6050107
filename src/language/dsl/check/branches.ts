import { type Report } from '../diagnostics/diagnostic';
import { type ArcDoc, type Document, type StepDoc, type Write } from '../document/document';
import { type YamlNode } from '../yaml/node';
import { arcTargets } from './order';
import { stepActions, tasksOf, writesOfActions, writesOfTask } from './parts';
import { firingsOf } from './twice';

/** Limit of visited steps; in larger graphs of forks the check is skipped. */
const MAX_WORK = 1_000_000;

/** Branches of a fork that write the same variable: the last write wins, in undefined order. */
export function checkBranches(document: Document, report: Report): void {
  const steps = new Map(document.steps.map((step) => [step.name, step]));
  const forks = document.steps.flatMap((step) => firingsOf(step).map((arcs) => ({ step, arcs })));
  if (forks.length * steps.size > MAX_WORK) return;
  for (const { step, arcs } of forks) checkFork(step, arcs, steps, report);
}

function checkFork(
  fork: StepDoc,
  arcs: readonly ArcDoc[],
  steps: ReadonlyMap<string, StepDoc>,
  report: Report,
): void {
  const owners = ownersOf(fork.name, arcs, steps);
  const written = new Map<string, { branch: number; write: Write }>();
  const look = (write: Write, branch: number): void => {
    const key = write.path.join('.');
    if (write.scope !== 'ctx' || gathers(write)) return;
    const other = written.get(key);
    if (other === undefined) written.set(key, { branch, write });
    else if (other.branch !== branch && !isSame(other.write.value, write.value)) {
      report.add(
        'NT3026',
        write.at,
        `another branch of the fork at \`${fork.name}\` writes \`ctx.${key}\` as well, and the last write wins`,
        'give each branch its own variable, or write it after the join',
      );
    }
  };
  arcs.forEach((arc, branch) => {
    for (const write of arc.writes) look(write, branch);
  });
  for (const [name, branch] of owners) {
    if (branch !== SHARED) for (const write of writesOf(steps.get(name)!)) look(write, branch);
  }
}

const SHARED = -1;

/** For every step behind the fork, the only branch that reaches it. */
function ownersOf(
  fork: string,
  arcs: readonly ArcDoc[],
  steps: ReadonlyMap<string, StepDoc>,
): Map<string, number> {
  const owners = new Map<string, number>();
  arcs.forEach(({ target }, branch) => {
    const seen = new Set<string>();
    const open = [target];
    while (open.length > 0) {
      const name = open.pop()!;
      const step = steps.get(name);
      if (step === undefined || name === fork || seen.has(name)) continue;
      seen.add(name);
      owners.set(name, owners.has(name) && owners.get(name) !== branch ? SHARED : branch);
      open.push(...arcTargets(step));
    }
  });
  return owners;
}

function writesOf(step: StepDoc): Write[] {
  return [
    ...step.writes,
    ...tasksOf(step).flatMap(writesOfTask),
    ...writesOfActions(stepActions(step)),
    ...(step.router?.arcs ?? []).flatMap((arc) => arc.writes),
  ];
}

/** Increments or appends: no branch overwrites the other's value. */
function gathers({ path, value }: Write): boolean {
  return (
    value.kind === 'scalar' &&
    new RegExp(`\\b(ctx|vars)\\.${path[0]!.replace(/\W/g, '\\$&')}\\b`).test(String(value.value))
  );
}

function isSame(one: YamlNode, other: YamlNode): boolean {
  if (one.kind !== 'scalar' || other.kind !== 'scalar') return false;
  return one.value === other.value && !String(one.value).includes('{{');
}
