/** A table keyed by the plan's steps: as fast for ten thousand steps as for ten. */
import { type PlanIndex } from './plan-index';

/**
 * Values by step name. A value is stored in a list, at its step's position in the plan: a hash table of ten thousand
 * names is spread over memory and moved whenever it grows. Steps missing from the plan (of a revision before a rerun,
 * or of the plan a chunk was cut from) are kept too.
 */
export class ByStep<T> {
  private readonly values: (T | undefined)[];
  /** Positions in the order of their first value; the JSON has its keys in this order. */
  private readonly order: number[] = [];
  private readonly unknown = new Map<string, T>();

  constructor(
    private readonly index: PlanIndex,
    entries: Readonly<Record<string, T>>,
  ) {
    this.values = new Array<T | undefined>(index.plan.steps.length);
    for (const [name, value] of Object.entries(entries)) this.set(name, value);
  }

  get(name: string): T | undefined {
    const position = this.index.positionOf(name);
    return position === undefined ? this.unknown.get(name) : this.values[position];
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  set(name: string, value: T): void {
    const position = this.index.positionOf(name);
    if (position === undefined) this.unknown.set(name, value);
    else {
      if (this.values[position] === undefined) this.order.push(position);
      this.values[position] = value;
    }
  }

  /** Names of the steps with a value. */
  names(): string[] {
    const { steps } = this.index.plan;
    return [...this.unknown.keys(), ...this.order.map((position) => steps[position]!.name)];
  }

  /** As plain JSON. */
  toRecord(): Record<string, T> {
    return Object.fromEntries(this.names().map((name) => [name, this.get(name)!]));
  }
}
