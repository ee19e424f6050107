/** Watches a run and records when each invariant is first violated. */
import { type EngineEvent, type LiveState, type Observer, stepView } from '../../../engine/machine';
import { type Json } from '../../../language/plan';
import { appendAll } from '../../../language/plan/append';
import { type Simulated } from '../../drive';
import { truthOfCondition, evaluate, type TemplateScope, TemplateError } from '../../../language/template';
import { eventFields } from '../event-fields';
import { type RehearsalStatus } from '../format/rehearsal';
import { type Call } from '../mocks/mocked-world';
import { CallViews, iterationCalls, type Iteration, Iterations } from './call-view';
import { explainInvariant } from './explain';
import { type Invariant, type Violation } from './read';

/** How runs end, in the words of rehearsals. */
export const STATUS_OF_END: Readonly<Record<Simulated['end'], RehearsalStatus>> = {
  complete: 'completed',
  fail: 'failed',
  cancelled: 'cancelled',
  stuck: 'waiting',
};

/** What invariants can see. */
interface Moment {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly status: string;
  readonly state: Pick<Simulated['state'], 'ctx' | 'workload' | 'executed'>;
  readonly results: (step: string) => unknown;
  readonly events: readonly EngineEvent[];
  readonly run?: Simulated;
  readonly iteration?: Iteration;
}

export class Watch {
  private readonly byInvariant = new Map<Invariant, Violation>();
  private readonly always: readonly Invariant[];
  private readonly perIteration: readonly Invariant[];
  private readonly events: EngineEvent[] = [];
  private readonly iterations = new Iterations();
  private readonly views: CallViews;
  private state: LiveState | undefined;

  /** @param startedAt milliseconds since the epoch */
  constructor(
    private readonly invariants: readonly Invariant[],
    private readonly calls: readonly Call[],
    private readonly startedAt: number,
  ) {
    this.always = invariants.filter(({ when }) => when === 'always');
    this.perIteration = invariants.filter(({ when }) => when === 'per_iteration');
    this.views = new CallViews(startedAt);
  }

  /** What was violated, in the order of the invariants. */
  get violations(): Violation[] {
    return this.invariants.flatMap((one) => this.byInvariant.get(one) ?? []);
  }

  /** With another observer, which is not told of single events. */
  beside(own: Observer | undefined): Observer | undefined {
    const { observer } = this;
    if (!own || !observer) return own ?? observer;
    const applied: Observer['applied'] = (...args) => {
      observer.applied?.(...args);
      own.applied?.(...args);
    };
    return { ...own, ...observer, applied };
  }

  /** Undefined if nothing has to be observed during the run. */
  get observer(): Observer | undefined {
    if (this.always.length + this.perIteration.length === 0) return undefined;
    return {
      emitted: (event, state) => {
        if (state.part === null) this.state = state;
        if (this.perIteration.length > 0) this.iterations.take(event, state);
      },
      applied: ({ at }, { events }, chunk) => {
        if (this.always.length === 0 || chunk !== undefined) return;
        appendAll(this.events, events);
        const { state } = this;
        if (!state) return;
        const results = (step: string): unknown => viewOf(state.results.get(step));
        const moment = { now: at, status: state.status, state, results, events: this.events };
        for (const one of this.always) this.judge(one, moment);
      },
    };
  }

  /** The run has ended. */
  ended(run: Simulated): void {
    const { state, events, elapsed } = run;
    const results = (step: string): unknown => viewOf(state.results[step]);
    const now = this.startedAt + elapsed;
    const moment: Moment = { now, status: STATUS_OF_END[run.end], state, results, events, run };
    for (const one of this.invariants) {
      if (one.when === 'at_end') this.judge(one, moment);
      if (one.when !== 'per_iteration') continue;
      for (const iteration of this.iterations.all) this.judge(one, { ...moment, iteration });
    }
  }

  private judge(invariant: Invariant, moment: Moment): void {
    if (this.byInvariant.has(invariant)) return;
    const why = this.falsehood(invariant, moment);
    if (why) this.byInvariant.set(invariant, { invariant, at: moment.now - this.startedAt, why });
  }

  private falsehood({ template }: Invariant, moment: Moment): string[] | undefined {
    const scope: TemplateScope = { lookup: (name) => this.lookup(name, moment) };
    const { iteration } = moment;
    const where = iteration ? [`iteration ${iteration.index} of ${iteration.step}: ${iteration.status}`] : [];
    try {
      if (truthOfCondition(evaluate(template, scope))) return undefined;
      return [...where, ...explainInvariant(template, scope)];
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      return [...where, `it cannot be evaluated: ${error.message}`];
    }
  }

  private lookup(name: string, moment: Moment): unknown {
    return Object.hasOwn(LOOKUP, name) ? LOOKUP[name]!(moment, this) : undefined;
  }

  /** @internal */
  viewsAt(now: number, calls = this.calls): Json[] {
    return this.views.of(calls, now);
  }

  /** @internal */
  secondsAt(now: number): number {
    return (now - this.startedAt) / 1_000;
  }

  /** @internal */
  iterationView({ iteration, now }: Moment): Json | undefined {
    if (!iteration) return undefined;
    const { frame: _, ...fields } = iteration;
    return { ...fields, calls: this.viewsAt(now, iterationCalls(this.calls, iteration)) };
  }
}

const LOOKUP: Readonly<Record<string, (moment: Moment, watch: Watch) => unknown>> = {
  status: ({ status }) => status,
  ctx: ({ state }) => state.ctx,
  workload: ({ state }) => state.workload,
  result: ({ run }) => run?.result ?? null,
  error: ({ run }) => run?.error ?? null,
  steps: ({ state }) => state.executed,
  results: ({ state, results }) =>
    Object.fromEntries(state.executed.map((step) => [step, results(step) ?? null])),
  calls: ({ now }, watch) => watch.viewsAt(now),
  events: ({ events }) =>
    events.map((event) => ({ type: event.event_type, ...eventFields(event), payload: event.payload })),
  elapsed: ({ now }, watch) => watch.secondsAt(now),
  iteration: (moment, watch) => watch.iterationView(moment),
};

function viewOf(result: Parameters<typeof stepView>[0] | undefined): unknown {
  return result && stepView(result);
}
