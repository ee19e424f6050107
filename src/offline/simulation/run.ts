/** One simulated run: everything in it follows from its seed. */
import { type ToolKinds } from '../../language/dsl/kinds';
import { type Input, type Observer } from '../../engine/machine';
import { compact, deepMerge, type JsonObject, type Plan } from '../../language/plan';
import { simulatePlan, type Simulated, START } from '../drive';
import { type Invariant, partOf, type Rehearsal, type Violation, Watch } from '../rehearsal';
import { type Simulation } from './format/read';
import { AllKinds } from './kinds';
import { Random } from './random';
import { DisturbedWorld, FaultsOfCalls, type Given } from './world';

/** What all runs have in common. */
export class Setting {
  readonly kinds: AllKinds;
  readonly faults: FaultsOfCalls;
  readonly rehearsals: readonly Rehearsal[];

  /** @param rehearsals of this playbook; those that expect to wait cannot serve as the basis of a run */
  constructor(
    readonly plan: Plan,
    readonly simulation: Simulation,
    rehearsals: readonly Rehearsal[],
    readonly extensions: ToolKinds = new Map(),
  ) {
    this.kinds = new AllKinds(extensions);
    this.faults = new FaultsOfCalls(simulation.faults);
    const base = simulation.usesRehearsals ? rehearsals : [];
    this.rehearsals = base.filter(({ expect }) => expect.status.value !== 'waiting');
  }

  /** The same tools without failures, repetitions and delays. */
  get withoutFaults(): Setting {
    const { simulation, plan, rehearsals, extensions } = this;
    const faults = simulation.faults.map((one) => ({
      ...one,
      faults: compact({ answers: one.faults.answers }),
    }));
    const events = simulation.events.map((event) => ({ ...event, lost: 0, duplicates: 0 }));
    return new Setting(plan, { ...simulation, faults, events }, rehearsals, extensions);
  }
}

/** A fault: a violated invariant, or a run without an end. */
export interface Fault {
  /** `at_end.no double charge`, `end.endless`, `end.waiting`. */
  readonly id: string;
  readonly invariant?: Invariant;
  /** Milliseconds since the start. */
  readonly at: number;
  readonly why: readonly string[];
}

export interface SeedRun {
  readonly seed: number;
  readonly payload: JsonObject;
  /** Milliseconds since the epoch. */
  readonly startAt: number;
  /** `after` in milliseconds from the start. */
  readonly messages: readonly { readonly after: number; readonly input: Input }[];
  readonly others: Rehearsal['others'];
  readonly given: readonly Given[];
  readonly run: Simulated;
  readonly faults: readonly Fault[];
}

/**
 * @param seed a whole number from 0 to 2⁵³ − 1
 * @param observer is not told of single events
 */
export function runSeed(setting: Setting, seed: number, observer?: Observer): SeedRun {
  const { plan, simulation, rehearsals } = setting;
  const random = new Random(seed);
  const base = rehearsals.length > 0 ? random.of(rehearsals) : undefined;
  const payload = payloadOf(simulation, base, random);
  const messages = [...(base?.messages ?? []), ...messagesOf(simulation, random)].map(({ after, input }) => ({
    after,
    input,
  }));
  const world = new DisturbedWorld(base, setting.faults, setting.kinds, random);
  const { startAt = START, others = [] } = base ?? {};
  const watch = new Watch(simulation.invariants, world.calls, startAt);
  const run = simulatePlan(plan, world, {
    payload,
    startAt,
    messages,
    others,
    maxBatches: simulation.limit,
    observer: watch.beside(observer),
  });
  watch.ended(run);
  const end = endOf(run, simulation.limit);
  const isFault = end !== undefined && !(end.id === 'end.waiting' && simulation.mayWait);
  const faults = [...watch.violations.map(faultOf), ...(isFault ? [end] : [])];
  return { seed, payload, startAt, messages, others, given: world.given, run, faults };
}

function faultOf(violation: Violation): Fault {
  const { invariant, at, why } = violation;
  return { id: partOf(violation), invariant, at, why };
}

/** A run that has no end. */
export function endOf(run: Simulated, limit: number): Fault | undefined {
  if (run.end !== 'stuck') return undefined;
  if (run.batches >= limit)
    return { id: 'end.endless', at: run.elapsed, why: [`no end after ${limit} decisions`] };
  const steps = [...new Set(Object.values(run.state.tokens).map(({ step }) => step))];
  const why =
    run.state.status === 'paused'
      ? 'it is paused'
      : `nothing more can happen; tokens are at ${steps.join(', ')}`;
  return { id: 'end.waiting', at: run.elapsed, why: [why] };
}

function payloadOf({ payload, draw }: Simulation, base: Rehearsal | undefined, random: Random): JsonObject {
  const drawn = Object.fromEntries(draw.map(([name, values]) => [name, random.of(values)]));
  return { ...(deepMerge(base?.payload ?? {}, payload) as JsonObject), ...drawn };
}

function messagesOf({ events }: Simulation, random: Random): SeedRun['messages'] {
  return events.flatMap(({ after, input, lost, duplicates }) => {
    const message = { after: random.between(...after), input };
    if (random.next() < lost) return [];
    if (random.next() >= duplicates) return [message];
    return [message, { after: random.between(message.after, after[1]), input }];
  });
}
