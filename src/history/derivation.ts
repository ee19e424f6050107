/**
 * The canonical events of an execution, derived from its history: the same events with the same ids whenever and
 * wherever they are computed. History is consumed as it arrives: whole files, pages of a running execution,
 * continuations one after the other.
 */
import { type LoadedDataConverter } from '@temporalio/common';
import { CodedError } from '../language/errors';
import { plainConverter } from '../storage/codec';
import { inlineBytesOf } from '../storage/payloads';
import { withoutLargeBodies } from './bodies';
import {
  type InputBatch,
  ChunkEvents,
  type Command,
  type EngineEvent,
  type LiveState,
  Machine,
  type Observer,
  type Progress,
  type State,
} from '../engine/machine';
import { compact, type Plan, type TaskCall } from '../language/plan';
import { appendAll } from '../language/plan/append';
import { Calls } from './calls';
import { divergenceOf, type Divergence } from './divergence';
import { type CanonicalEvent, type CanonicalEventType, envelope } from './events';
import { type HistoryEvent } from './event';
import { type TaskFacts } from './inputs';
import { type KeyframeRecorder, type Standstill } from './keyframes/recorder';
import { type ExecutionOrigin } from './origin';
import {
  type Closed,
  HistoryReader,
  type Item,
  type Reset,
  type HistoryStarted,
  type Window,
} from './reader';
import { withNoted } from './noted';
import { UnsentTasks } from './unsent';

/** An event of a history, or what a reader would make of some: a simulated run has no history. */
export type HistoryPart = HistoryEvent | Item;

/** Like the engine's observer, plus the position of each event. */
export interface Watcher extends Pick<Observer, 'guard' | 'admitting' | 'applying' | 'applied'> {
  event?(event: EngineEvent, state: LiveState, place: { seq: number; event_id: string }): void;
  /** A Temporal run begins: `state` of a continuation or a rerun, which is not to be changed. */
  begins?(run: Beginning): void;
}

/** The beginning of a run. */
export interface Beginning {
  readonly plan: Plan;
  readonly executionId: string;
  readonly state?: State;
  /** Of a sub-playbook: what its caller wants. */
  readonly call?: { readonly returnStep?: string };
}

export interface DerivationOptions {
  readonly converter?: LoadedDataConverter;
  /** Observes the engine's evaluations, and the state at each of its events. */
  readonly watcher?: Watcher;
  /** For histories of servers that do not record it. */
  readonly workflowId?: string;
  /** Keeps bodies above the plan's limit in the events; by default they are replaced with references. */
  readonly bodies?: boolean;
  /** Keeps the calls of tasks, for `callOf`. */
  readonly calls?: boolean;
  /** Derives no canonical events: for who only watches. */
  readonly silent?: boolean;
  /** Keeps states from which what happened at an event follows. */
  readonly recorder?: KeyframeRecorder;
  /** Called now and then with the number of events derived so far. */
  readonly progress?: (events: number) => void;
}

/** Events. */
const PORTION = 1000;

export class Derivation {
  private readonly converter: LoadedDataConverter;
  private reader: HistoryReader | undefined;
  private machine: Machine | undefined;
  private chunks: ChunkEvents | undefined;
  private executionId = '';
  private readonly calls: Calls | undefined;
  private readonly callsByEvent = new WeakMap<CanonicalEvent, TaskCall>();
  private chain = 0;
  private resetBy = '';
  private seq = 0;
  /** Of the last event, in milliseconds since the epoch. */
  private latest = 0;
  /** How the engine ended this run: later inputs, while the workflow closes, are ignored. */
  private lastWord: Command | undefined;
  /** Of its first run. */
  origin: ExecutionOrigin | undefined;
  /** The last run's end; undefined while it runs. */
  closed: Closed | undefined;
  /**
   * The first point where this build requests something other than what history contains; undefined while they agree.
   */
  divergence: Divergence | undefined;

  constructor(private readonly options: DerivationOptions = {}) {
    this.converter = options.converter ?? plainConverter;
    this.calls = options.calls ? new Calls() : undefined;
  }

  /** @throws CodedError `HISTORY` before the first event */
  get state(): State {
    return this.running.state;
  }

  get plan(): Plan {
    return this.running.plan;
  }

  /** The call that a task's event belongs to, with option `calls`; not within another activity (`exec: local`). */
  callOf(event: CanonicalEvent): TaskCall | undefined {
    return this.callsByEvent.get(event);
  }

  /** Progress, for someone watching the run. */
  get progress(): Progress {
    return this.running.progress();
  }

  /** Position of the last event. */
  get lastSeq(): number {
    return this.seq;
  }

  private get running(): Machine {
    if (!this.machine) {
      throw new CodedError(
        'HISTORY',
        'nothing has run: there are no events yet, or the execution ended before its playbook was found',
      );
    }
    return this.machine;
  }

  /**
   * Consumes the next events of the history, a whole number of pages; the first of a continuation begins a new run.
   *
   * @throws CodedError `HISTORY` when this is not the history of a playbook; EngineError when this build does not know the
   *   plan's version
   */
  async take(events: readonly HistoryPart[]): Promise<CanonicalEvent[]> {
    const all: CanonicalEvent[][] = [];
    for await (const derived of this.portions(events)) all.push(derived);
    return all.length === 1 ? all[0]! : all.flat();
  }

  /** As `take`, for who only watches: keeps no events. */
  async pass(events: readonly HistoryEvent[]): Promise<void> {
    for await (const _ of this.portions(events)) continue;
  }

  /**
   * As `take`, a portion at a time: a page of history with local tasks comes to hundreds of thousands of events.
   *
   * @param size events of a portion at most
   * @throws as `take`
   */
  async *portions(events: readonly HistoryPart[], size = PORTION): AsyncGenerator<CanonicalEvent[], void> {
    let derived: CanonicalEvent[] = [];
    for (const event of events) {
      for (const item of 'type' in event ? [event] : await this.read(event)) {
        for (const one of this.process(item)) {
          derived.push(one);
          if (derived.length < size) continue;
          yield derived;
          derived = [];
        }
      }
    }
    for (const item of this.reader?.flush() ?? []) {
      for (const one of this.process(item)) {
        derived.push(one);
        if (derived.length < size) continue;
        yield derived;
        derived = [];
      }
    }
    if (derived.length > 0) yield derived;
  }

  private async read(event: HistoryEvent): Promise<readonly Item[]> {
    if (event.workflowExecutionStartedEventAttributes || !this.reader) {
      this.reader = new HistoryReader(this.converter, this.options.workflowId);
      this.closed = undefined;
    }
    return await this.reader.take(event);
  }

  /** One at a time: of the events of a window, only the engine's own are all in memory. */
  private *process(item: Item): Generator<CanonicalEvent, void> {
    switch (item.type) {
      case 'started':
        return this.begin(item);
      case 'window':
        return yield* this.apply(item);
      case 'reset': {
        const reset = this.reset(item);
        this.options.recorder?.caused(reset);
        this.options.recorder?.reset(this.seq);
        return yield reset;
      }
      case 'closed':
        this.closed = item;
        return yield* this.close(item);
    }
  }

  private begin({ input, executionId, origin, at }: HistoryStarted): void {
    const { plan, state, rerun, call } = input;
    const { recorder, watcher } = this.options;
    recorder?.cut(this.seq);
    this.executionId = executionId;
    this.origin ??= origin;
    watcher?.begins?.({ plan, executionId, ...compact({ state, call }) });
    this.chain = state && !rerun ? (state.continuations ?? 0) + 1 : 0;
    // Until its first workflow task, what it says of itself is when it was asked for.
    this.machine = state ? Machine.from(plan, structuredClone(state)) : Machine.create(plan, executionId, at);
    // Chunks survive the continue-as-new of their loop.
    this.chunks ??= new ChunkEvents(plan);
    this.lastWord = undefined;
  }

  private *apply(window: Window): Generator<CanonicalEvent, void> {
    let ordinal = 0;
    const commands: Command[] = this.lastWord ? [this.lastWord] : [];
    const unsent = new UnsentTasks(window);
    const batches = [...window.batches];
    while (!this.lastWord) {
      const batch = batches.shift() ?? unsent.settle();
      if (batch === undefined) break;
      const observer = this.observing(window.eventId, ordinal, batch);
      for (const { event, ref, at } of this.chunks!.before(batch, observer)) {
        yield this.wrap(event, window.eventId, at, ordinal++, undefined, window.tasks.get(ref));
      }
      const applied = this.running.apply(batch, observer);
      this.chunks!.after(applied.commands);
      this.calls?.note(applied.commands);
      appendAll(commands, applied.commands);
      unsent.note(applied.commands);
      this.lastWord = applied.commands.find(isEnding);
      for (const event of this.options.silent ? [] : applied.events) {
        const { within, ...content } = event;
        const lease = within && window.tasks.get(within.lease);
        const at = within?.at ?? batch.at;
        const facts = factsOf(event, window);
        const whole = withNoted(content, this.executionId, at, { facts, within: lease });
        const wrapped = this.wrap(whole, window.eventId, at, ordinal++, facts, lease);
        const call = this.calls?.of(event);
        if (call) this.callsByEvent.set(wrapped, call);
        yield wrapped;
      }
    }
    this.divergence ??= divergenceOf(commands, window);
  }

  private readonly standstill = (): Standstill => ({
    plan: this.plan,
    state: this.state,
    chunks: this.chunks!.states,
  });

  /** An observer of what the batch leads to. */
  private observing(eventId: number, ordinal: number, batch: InputBatch): Observer | undefined {
    const { watcher, recorder } = this.options;
    if (!watcher && !recorder) return undefined;
    recorder?.applying(batch, this.seq, this.standstill);
    const { at } = batch;
    let { seq } = this;
    return {
      ...(watcher && watching(watcher)),
      ...(recorder && {
        between: (interim) =>
          recorder.between(seq, () => {
            const { state, ...rest } = interim();
            return { ...this.standstill(), state, interim: rest };
          }),
      }),
      emitted: (event, machine) => {
        seq++;
        const isOfChunk = machine.part !== null;
        recorder?.emitted(event, isOfChunk ? machine.now : (event.within?.at ?? at), machine);
        if (!watcher?.event) return;
        const event_id = `${this.executionId}/${this.line}/${eventId}/${ordinal++}`;
        watcher.event(event, isOfChunk ? this.running.live : machine, { seq, event_id });
      },
    };
  }

  /** Ordinal of the Temporal run in its chain. */
  private get line(): string {
    return `${this.chain}${this.resetBy}`;
  }

  private reset(reset: Reset): CanonicalEvent {
    this.resetBy = `~${reset.newRunId.slice(0, 8)}`;
    const payload = { base_run: reset.baseRunId, new_run: reset.newRunId, reason: reset.reason };
    return this.wrap(this.aboutPlaybook('playbook.reset', payload), reset.eventId, reset.at, 0);
  }

  /** An end caused by Temporal or an operator: the engine never learnt of it. */
  private *close(closed: Closed): Generator<CanonicalEvent, void> {
    if (closed.status === 'continued_as_new') return;
    const { status, startedAt } = this.state;
    if (status === 'completed' || status === 'failed' || status === 'cancelled') return;
    const code = closed.status.toUpperCase();
    const error = { code, message: closed.reason ?? REASONS[closed.status] ?? closed.status };
    const payload = { error, duration_ms: closed.at - startedAt };
    const ends: readonly (readonly [CanonicalEventType, object])[] = [
      ['workflow.finished', { entity_type: 'workflow', entity_id: this.plan.metadata.name }],
      ['playbook.processed', {}],
    ];
    for (const [ordinal, [type, more]] of ends.entries()) {
      const about = { ...this.aboutPlaybook(type, payload), status: 'error' as const, ...more };
      const event = this.wrap(about, closed.eventId, closed.at, ordinal);
      this.options.recorder?.caused(event);
      yield event;
    }
  }

  private aboutPlaybook(event_type: CanonicalEventType, payload: EngineEvent['payload']) {
    return {
      event_type,
      entity_type: 'playbook',
      entity_id: this.plan.metadata.path,
      status: 'in_progress',
      payload,
    } as const;
  }

  private wrap(
    event: Omit<EngineEvent, 'event_type'> & { event_type: CanonicalEventType },
    eventId: number,
    at: number,
    ordinal: number,
    facts?: TaskFacts,
    within?: TaskFacts,
  ): CanonicalEvent {
    const { executionId, line, latest } = this;
    const { engineVersion } = this.plan;
    const place = { executionId, line, eventId, ordinal, engineVersion, at, latest };
    const wrapped = envelope(event, { ...place, seq: ++this.seq }, facts, within);
    this.latest = Math.max(latest, facts?.settledAt ?? at);
    if (this.seq % PORTION === 0) this.options.progress?.(this.seq);
    if (this.options.bodies) return wrapped;
    const payload = withoutLargeBodies(wrapped.payload, inlineBytesOf(this.plan), wrapped.event_id);
    return payload === wrapped.payload ? wrapped : { ...wrapped, payload };
  }
}

function watching(watcher: Watcher): Observer {
  return {
    guard: (guard, isTrue, scope) => watcher.guard?.(guard, isTrue, scope),
    ...(watcher.admitting && { admitting: watcher.admitting.bind(watcher) }),
    ...(watcher.applying && { applying: watcher.applying.bind(watcher) }),
    ...(watcher.applied && { applied: watcher.applied.bind(watcher) }),
  };
}

function isEnding({ type }: Command): boolean {
  return type === 'complete' || type === 'fail' || type === 'cancelled';
}

const REASONS: Partial<Record<Closed['status'], string>> = {
  terminated: 'terminated by an operator',
  timed_out: 'the execution ran longer than its time limit in Temporal',
};

/** Facts about the task run that the event ends. */
function factsOf(event: EngineEvent, window: Window): TaskFacts | undefined {
  if (event.event_type !== 'task.done' && event.event_type !== 'task.failed') return undefined;
  return event.task_run_id === undefined ? undefined : window.tasks.get(event.task_run_id);
}
