/** Summarises a loop in three lines. */
import { type EngineEvent } from '../../engine/machine';
import { isMapping, itemName } from '../../language/plan';
import { seconds } from './words';

interface Tally {
  total: number;
  mode: string;
  done: number;
  failed: number[];
  retries: number;
  readonly started: Map<number, number>;
  slowest?: { index: number; ms: number };
}

/** As plain JSON. */
export type KeptLoops = readonly (readonly [
  string,
  Omit<Tally, 'started'> & { readonly started: readonly (readonly [number, number])[] },
])[];

type LoopEvent = Pick<EngineEvent, 'step_run_id' | 'iteration' | 'payload'> & { readonly event_type: string };

export class Loops {
  private readonly tallies: Map<string, Tally>;

  constructor(kept: KeptLoops = []) {
    this.tallies = new Map(
      kept.map(([run, tally]) => [run, { ...tally, started: new Map(tally.started) }] as const),
    );
  }

  get kept(): KeptLoops {
    return [...this.tallies].map(([run, tally]) => [run, { ...tally, started: [...tally.started] }]);
  }

  /** @param at milliseconds since the epoch */
  take(event: LoopEvent, at: number): void {
    const run = event.step_run_id ?? '';
    if (event.event_type === 'loop.started') {
      const { total, mode } = event.payload;
      this.tallies.set(run, {
        total: Number(total),
        mode: String(mode),
        done: 0,
        failed: [],
        retries: 0,
        started: new Map(),
      });
      return;
    }
    const tally = this.tallies.get(run);
    if (!tally || event.iteration === undefined) return;
    if (event.event_type === 'loop.iteration.started') tally.started.set(event.iteration, at);
    else if (event.event_type === 'task.retrying' && event.payload['page'] === undefined) tally.retries++;
    else if (event.event_type === 'loop.iteration.done' || event.event_type === 'loop.iteration.failed') {
      if (event.event_type === 'loop.iteration.done') tally.done++;
      else tally.failed.push(event.iteration);
      const ms = at - (tally.started.get(event.iteration) ?? at);
      tally.started.delete(event.iteration);
      if (!tally.slowest || ms > tally.slowest.ms) tally.slowest = { index: event.iteration, ms };
    }
  }

  forget(run: string): void {
    this.tallies.delete(run);
  }

  /** @param stats of the event that ended it */
  summary(run: string, stats: unknown): string[] {
    const tally = this.tallies.get(run);
    if (!tally) return [];
    const { total, mode, done, failed, retries, slowest } = tally;
    const which =
      failed.length > 0 ? ` (index ${failed.slice(0, 10).join(', ')}${failed.length > 10 ? ', …' : ''})` : '';
    const left = isMapping(stats) ? Number(stats['not_started']) : 0;
    return [
      `${total} iterations, ${mode}: ${done} ok, ${failed.length} failed${which}${left > 0 ? `, ${left} not started` : ''}, ${retries} retries`,
      ...(slowest ? [`slowest: ${itemName(slowest.index)}, ${seconds(slowest.ms)}`] : []),
    ];
  }
}
