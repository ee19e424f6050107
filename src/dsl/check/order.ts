import { closest } from '../diagnostics/suggest';
import { type Document, type StepDoc, type Write } from '../document/document';

/** Which steps can have run before which: for names that no way assigns before they are read. */
export class Order {
  private readonly steps: ReadonlyMap<string, StepDoc>;
  private readonly writers = new Map<string, Set<string>>();
  private readonly after = new Map<string, ReadonlySet<string>>();
  private readonly reached: ReadonlySet<string>;

  constructor(document: Document) {
    this.steps = new Map(document.steps.map((step) => [step.name, step]));
    this.reached = reachable([document.entry.name], this.steps);
    for (const step of document.steps) {
      for (const write of writesOfStep(step)) {
        if (write.scope !== 'ctx') continue;
        const writers = this.writers.get(write.path[0]!) ?? new Set();
        this.writers.set(write.path[0]!, writers.add(step.name));
      }
    }
  }

  /** False when on no way `writer` has run, or runs, when `reader` does. Unreachable readers are not judged. */
  canPrecede(writer: string, reader: string): boolean {
    return writer === reader || !this.reached.has(reader) || this.follows(writer).has(reader);
  }

  /** False when every step that writes `ctx.<key>` runs later than `reader`, on every way. */
  canBeWritten(key: string, reader: string): boolean {
    const writers = this.writers.get(key);
    return writers === undefined || [...writers].some((writer) => this.canPrecede(writer, reader));
  }

  private follows(step: string): ReadonlySet<string> {
    const known = this.after.get(step);
    if (known !== undefined) return known;
    const found = reachable(targetsOf(this.steps.get(step)), this.steps);
    this.after.set(step, found);
    return found;
  }
}

/** The steps that can be reached from `from`, themselves included. */
export function reachable(from: readonly string[], steps: ReadonlyMap<string, StepDoc>): Set<string> {
  const reached = new Set<string>();
  const open = [...from];
  while (open.length > 0) {
    const written = open.pop()!;
    // A misspelt target is told once, not again by everything behind it.
    const name = steps.has(written) ? written : (closest(written, steps.keys()) ?? written);
    const step = steps.get(name);
    if (step === undefined || reached.has(name)) continue;
    reached.add(name);
    open.push(...targetsOf(step));
  }
  return reached;
}

/** Where a step can lead, by its arcs and by what else names steps in it. */
export function targetsOf(step: StepDoc | undefined): string[] {
  if (step === undefined) return [];
  return [...(step.router?.arcs ?? []).map((arc) => arc.target), ...step.otherTargets];
}

/** Every write of a step, of its tasks, and of its arcs. */
export function writesOfStep(step: StepDoc): Write[] {
  return [
    ...step.writes,
    ...step.tasks.flatMap((task) => [...task.writes, ...(task.rules ?? []).flatMap((rule) => rule.writes)]),
    ...(step.router?.arcs ?? []).flatMap((arc) => arc.writes),
  ];
}
