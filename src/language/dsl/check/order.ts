import { closest } from '../diagnostics/suggest';
import { type Document, type StepDoc } from '../document/document';
import { writesOfStep } from './parts';

/** The order of steps: for names that are never assigned before they are read. */
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

  /** False if `writer` has never run, or started, before `reader` does. Unreachable readers are not checked. */
  canPrecede(writer: string, reader: string): boolean {
    return writer === reader || !this.reached.has(reader) || this.follows(writer).has(reader);
  }

  /** False if every step that writes `ctx.<key>` always runs after `reader`. */
  canBeWritten(key: string, reader: string): boolean {
    const writers = this.writers.get(key);
    return writers === undefined || [...writers].some((writer) => this.canPrecede(writer, reader));
  }

  private follows(step: string): ReadonlySet<string> {
    const cached = this.after.get(step);
    if (cached !== undefined) return cached;
    const later = reachable(arcTargets(this.steps.get(step)), this.steps);
    this.after.set(step, later);
    return later;
  }
}

/** The steps reachable from `from`, including these. */
export function reachable(from: readonly string[], steps: ReadonlyMap<string, StepDoc>): Set<string> {
  const reached = new Set<string>();
  const open = [...from];
  while (open.length > 0) {
    const written = open.pop()!;
    // A misspelt target is reported once, not again for everything behind it.
    const name = steps.has(written) ? written : (closest(written, steps.keys()) ?? written);
    const step = steps.get(name);
    if (step === undefined || reached.has(name)) continue;
    reached.add(name);
    open.push(...arcTargets(step));
  }
  return reached;
}

/** Targets of a step's arcs and of the actions of its rules. */
export function arcTargets(step: StepDoc | undefined): string[] {
  return (step?.router?.arcs ?? []).map((arc) => arc.target);
}
