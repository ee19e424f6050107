/**
 * The queue between Temporal and the engine. Two rules make history replayable offline (facts/temporal.md 3.1):
 * nothing is pushed synchronously inside a job, and each wake-up takes everything as one batch, external inputs first,
 * completions sorted by their key.
 */
import { type Input } from '../src/engine';

export class InputQueue {
  private external: Input[] = [];
  private completions: { key: string; input: Input }[] = [];

  get isEmpty(): boolean {
    return this.external.length === 0 && this.completions.length === 0;
  }

  /** From a signal or update handler, or a cancellation: lands in a microtask. */
  pushExternal(input: Input): void {
    void Promise.resolve().then(() => this.external.push(input));
  }

  /** From the continuation of an activity or timer, which is a microtask already. */
  pushCompletion(key: string, input: Input): void {
    this.completions.push({ key, input });
  }

  /** Everything, in canonical order. */
  take(): Input[] {
    const completions = this.completions.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    const inputs = [...this.external, ...completions.map(({ input }) => input)];
    this.external = [];
    this.completions = [];
    return inputs;
  }
}
