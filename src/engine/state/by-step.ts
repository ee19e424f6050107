/** A table by step of the plan: as fast for ten thousand steps as for ten. */
import { type PlanIndex } from './plan-index';

/**
 * What is known of the steps, by their names. A value stands in a list, at the position that its step has in the plan:
 * names are no keys here, because a hash table of ten thousand lies all over the memory and is moved whenever it grows.
 * Steps that the plan does not have (of a revision before a rerun, of the plan that a chunk is cut from) are kept too.
 */
export class ByStep<T> {
  private readonly values: (T | undefined)[];
  /** Positions in the order in which they got their first value; the JSON has its keys in this order. */
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

  /** Names of the steps that have a value. */
  names(): string[] {
    const { steps } = this.index.plan;
    return [...this.unknown.keys(), ...this.order.map((position) => steps[position]!.name)];
  }

  /** As JSON. */
  toRecord(): Record<string, T> {
    return Object.fromEntries(this.names().map((name) => [name, this.get(name)!]));
  }
}
