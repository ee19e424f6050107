/** What an explanation must remember of earlier events: plain JSON, so that it can begin in the middle of a run. */
import { type EngineEvent, type State } from '../../engine/machine';
import { compact, isMapping, type Json, itemName } from '../../language/plan';
import { explainedError, seconds } from './event-text';
import { type CanonicalEvent, occurredAt } from '../events';

type TellableEvent = Omit<EngineEvent, 'event_type'> & { readonly event_type: string };

export interface KeptMemory {
  readonly tokens: Joins['tokens'] extends Map<infer Id, infer Facts>
    ? readonly (readonly [Id, Facts])[]
    : never;
  readonly loops: KeptLoops;
  readonly failures: readonly (readonly [string, TaskFailure])[];
}

/** What is told of the error of a task, and where it lies. */
export interface TaskFailure {
  readonly text: string;
  /** As of its outcome. */
  readonly at?: Json;
  readonly line?: Json;
}

export class Memory {
  readonly joins: Joins;
  readonly loops: Loops;
  /** Of tasks whose rules have not decided yet, by task run id. */
  readonly failures: Map<string, TaskFailure>;

  constructor(kept?: KeptMemory) {
    this.joins = new Joins(kept?.tokens);
    this.loops = new Loops(kept?.loops);
    this.failures = new Map(kept?.failures);
  }

  /** As plain JSON. */
  get kept(): KeptMemory {
    return { tokens: [...this.joins.tokens], loops: this.loops.kept, failures: [...this.failures] };
  }

  /** @param at when it happened, in milliseconds since the epoch */
  take(event: TellableEvent, at: number): void {
    this.joins.take(event, at);
    this.loops.take(event, at);
    if (event.event_type !== 'task.failed') return;
    const { outcome } = event.payload;
    const error = isMapping(outcome) ? outcome['error'] : undefined;
    const { at: place, line } = isMapping(error) ? error : {};
    this.failures.set(event.task_run_id ?? '', {
      text: explainedError(error),
      ...compact({ at: place, line }),
    });
  }

  /** After an event was told: the next attempt has an id of its own, and a loop or a token that ended is told of once. */
  remember({ event_type, entity_id, step_run_id = '', task_run_id = '', payload }: TellableEvent): void {
    if (event_type === 'task.directive' || event_type === 'task.retrying') this.failures.delete(task_run_id);
    else if (event_type === 'loop.done' || event_type === 'step.failed') this.loops.forget(step_run_id);
    else if (event_type === 'token.merged')
      for (const id of payload['merged'] as string[]) if (id !== entity_id) this.joins.tokens.delete(id);
  }
}

interface TokenFacts {
  readonly from: string | null;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export class Joins {
  readonly tokens: Map<string, TokenFacts>;

  constructor(tokens: Iterable<readonly [string, TokenFacts]> = []) {
    this.tokens = new Map(tokens);
  }

  /** @param at milliseconds since the epoch */
  take(event: Pick<EngineEvent, 'entity_id' | 'parent_id'> & { event_type: string }, at: number): void {
    if (event.event_type === 'token.created')
      this.tokens.set(event.entity_id, { from: event.parent_id ?? null, at });
    else if (event.event_type === 'token.ended') this.tokens.delete(event.entity_id);
  }

  merged(event: CanonicalEvent): { summary: string; details: string[] } {
    const ids = event.payload['merged'] as string[];
    const now = occurredAt(event);
    const details = ids.map((id) => {
      const { from, at } = this.tokens.get(id) ?? { from: null, at: now };
      const waited = now - at;
      return `${id} from ${from ?? 'the start'} ${waited > 0 ? `waited ${seconds(waited)}` : 'came last'}`;
    });
    const summary = `step ${String(event.payload['step'])} waited for ${ids.length} tokens of one fork; they merge into ${event.entity_id}, with inputs merged in this order`;
    return { summary, details };
  }

  /** Tokens that wait in this state, and the siblings that may still arrive. */
  stillWaiting(state: State): { step: string; summary: string }[] {
    const tokens = Object.values(state.tokens);
    return tokens
      .filter((token) => token.state === 'waiting')
      .map((token) => {
        const forks = token.forks.map(({ fork }) => fork);
        const others = tokens.filter(
          (other) =>
            other !== token &&
            other.step !== token.step &&
            other.forks.some(({ fork }) => forks.includes(fork)),
        );
        const named = others.map((other) => `${other.id} (at ${other.step})`).join(', ');
        return {
          step: token.step,
          summary: `${token.id} waits at step ${token.step} for its siblings ${named}`,
        };
      });
  }
}

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
      `${total} ${total === 1 ? 'iteration' : 'iterations'}, ${mode}: ${done} ok, ${failed.length} failed${which}${left > 0 ? `, ${left} not started` : ''}, ${retries} ${retries === 1 ? 'retry' : 'retries'}`,
      ...(slowest ? [`slowest: ${itemName(slowest.index)}, ${seconds(slowest.ms)}`] : []),
    ];
  }
}
