/**
 * What every part of the engine works on during one batch: the plan, the state, and what the batch produces. Parts
 * do not call each other across rooms of the engine: they `enqueue` work, which the machine takes up in order.
 */
import { type Plan, type StepPlan } from '../../plan';
import { type Environment } from '../../template/runtime';
import { type Command } from './commands';
import { type Emit, type EngineEvent, eventOf } from './events';
import { cancelledOutcome } from './failure';
import { type Observer } from './observer';
import { unbook } from './pending';
import {
  type ChunkInFlight,
  type LiveState,
  nextRandom,
  type PlanIndex,
  type StepRun,
  type Work,
} from '../state';

export class Context {
  /** What this batch asks of the driver. */
  commands: Command[] = [];
  readonly environment: Environment;

  constructor(
    readonly index: PlanIndex,
    readonly state: LiveState,
  ) {
    this.environment = { now: () => state.now, random: () => nextRandom(state.seed) };
  }

  /** Absent when nobody wants events: `context.emit?.(…)` then does not even build them. */
  emit: Emit | undefined;

  /** Looks over the shoulder; only where events are wanted. */
  observer: Observer | undefined;

  /** Begins a batch. `events`: where its events go; null when nobody wants them. `within`: of each of them. */
  begin(events: EngineEvent[] | null, observer?: Observer, within?: EngineEvent['within']): void {
    this.commands = [];
    this.observer = observer;
    this.emit = events ? this.teller(events, observer, within) : undefined;
  }

  private teller(events: EngineEvent[], observer?: Observer, within?: EngineEvent['within']): Emit {
    return (...told) => {
      const event = within ? { ...eventOf(...told), within } : eventOf(...told);
      events.push(event);
      observer?.emitted?.(event, this.state);
    };
  }

  get plan(): Plan {
    return this.index.plan;
  }

  command(command: Command): void {
    this.commands.push(command);
  }

  /**
   * Cancels a pending task. One that this very batch asked for is taken back: Temporal would never hear of it, and a
   * completion that history does not know could not be replayed offline.
   */
  cancelTask(taskRunId: string): void {
    const asked = this.commands.findIndex(
      (command) => command.type === 'runTask' && command.call.task_run_id === taskRunId,
    );
    const long = this.state.longTasks.has(taskRunId);
    if (asked < 0) return this.command({ type: 'cancelTask', taskRunId, ...(long && { long }) });
    this.commands.splice(asked, 1);
    const frame = unbook(this.state, taskRunId)!;
    this.enqueue({ op: 'settled', frame, outcome: cancelledOutcome() });
  }

  /** Cancels a chunk that runs; one that this very batch asked for is taken back. */
  cancelChunk({ id, ref }: ChunkInFlight): void {
    const asked = this.commands.findIndex((one) => one.type === 'runChunk' && one.chunk.id === id);
    if (asked < 0) return this.command({ type: 'cancelChunk', ref });
    this.commands.splice(asked, 1);
    const cause = { kind: 'cancelled', code: 'CANCELLED', message: 'the chunk was cancelled' } as const;
    this.enqueue({ op: 'chunkSettled', ref, settled: { status: 'lost', cause } });
  }

  /** Takes back a timer, where there is one. */
  dropTimer(key: string): void {
    const { timers } = this.state;
    if (!Object.hasOwn(timers, key)) return;
    delete timers[key];
    this.command({ type: 'cancelTimer', key });
  }

  enqueue(work: Work): void {
    this.state.work.push(work);
  }

  step(name: string): StepPlan {
    return this.index.step(name);
  }

  run(id: string): StepRun {
    return this.state.runs.get(id)!;
  }
}
