/** What an explanation must remember of earlier events: plain JSON, so that it can begin in the middle of a run. */
import { type EngineEvent } from '../../engine/machine';
import { compact, isMapping, type Json } from '../../language/plan';
import { Joins } from './joins';
import { type KeptLoops, Loops } from './loops';
import { explainedError } from './words';

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
