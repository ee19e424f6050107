/** Visits every reachable state of a plan with the real engine: each result, each outcome of an undecided guard, each order. */
import {
  type Applied,
  type EngineEvent,
  EngineError,
  type Input,
  Machine,
  type State,
} from '../../../engine/machine';
import { type Plan } from '../../../language/plan';
import { appendAll } from '../../../language/plan/append';
import { type Template } from '../../../language/template/runtime';
import { Coverage } from '../coverage';
import { CANCELLED } from '../../drive';
import { type Abstracted, abstracted } from './abstract-plan';
import { markingOf } from './canonical';
import { Choices, type GuardFacts } from './facts';
import { evaluator } from './symbolic';
import { ANY, unknown, unknownIn } from './unknown';
import { type Admitted, Concurrency } from './concurrency';
import { Relevance } from './relevance';
import { type Awaiting, awaitingIn, kindsIn, type ExploredWay } from './ways';
import { Widening } from './widening';

export interface ExploreOptions {
  /** Items of loops, repetitions of calls, and rounds of a cycle before its values count as unknown. */
  readonly bound: number;
  /** States that are visited at most. */
  readonly maxStates: number;
  /** No facts about results are kept between batches, and values written by a cycle are always unknown. */
  readonly coarse?: boolean;
}

export type NodeEnd = 'complete' | 'fail' | 'cancelled' | 'cut';

/** A state of the run between two batches. */
export interface StateNode {
  readonly id: number;
  readonly state: State;
  readonly facts: GuardFacts;
  /** The first path that led here; null for the initial state. */
  readonly by: { readonly from: StateNode; readonly way: ExploredWay } | null;
  /** All assumptions of the first path, including those about values that are no longer live. */
  readonly assumed: GuardFacts;
  readonly end: NodeEnd | null;
  /** Why it failed. */
  readonly error: { readonly step?: string; readonly code: string; readonly message: string } | null;
  readonly next: StateNode[];
  /** What it waits for; filled when it is visited. */
  awaiting: readonly Awaiting[];
  visited: boolean;
}

export type Explored = Omit<Exploration, 'run'>;

const ANYTHING = unknown(ANY);
const START = 1_700_000_000_000;
const EXECUTION_ID = '123456789012345678';
/** Open guards of one decision of which all combinations are tried. */
const MANY = 7;
/** Executions of one batch with different answers to its open conditions. */
const MAX_RUNS = 256;

export function explore(plan: Plan, options: ExploreOptions): Explored {
  const exploration = new Exploration(plan, options);
  exploration.run();
  return exploration;
}

class Exploration {
  readonly nodes: StateNode[] = [];
  /** Of all runs. */
  readonly coverage = new Coverage();
  readonly concurrency = new Concurrency<StateNode>();
  /** The tasks that began in any run: `step/task`. */
  readonly tasks = new Set<string>();
  readonly abstract: Abstracted;
  readonly relevance: Relevance;
  /** False: not every state was visited. */
  complete = true;
  private readonly notes = new Set<string>();
  private readonly byKey = new Map<string, StateNode>();
  private readonly texts = new WeakMap<StateNode, string>();
  private readonly kinds: ReadonlyMap<string, string>;
  private readonly keychain: Readonly<Record<string, string>>;
  private readonly widening: Widening;

  constructor(
    readonly original: Plan,
    private readonly options: ExploreOptions,
  ) {
    this.abstract = abstracted(original, options.bound);
    const { plan, demands } = this.abstract;
    this.relevance = new Relevance(plan, demands);
    this.kinds = kindsIn(plan);
    this.keychain = Object.fromEntries(
      original.keychain.map(({ name }) => [name, unknown({ of: `keychain.${name}` })]),
    );
    this.widening = new Widening(plan, this.relevance, options);
  }

  /** Items of loops and repetitions of calls, at most. */
  get bound(): number {
    return this.options.bound;
  }

  /** Assumptions and reductions, in words. */
  get assumed(): readonly string[] {
    const coarse =
      'answers are forgotten after each batch: guards on the same answer may contradict each other';
    return [...this.abstract.assumed, ...(this.options.coarse ? [coarse] : []), ...this.notes];
  }

  run(): void {
    const { plan } = this.abstract;
    const first = (): Machine => Machine.create(plan, EXECUTION_ID, START);
    this.batch(null, first, { type: 'started', payload: {} });
    for (let at = 0; at < this.nodes.length; at++) {
      const node = this.nodes[at]!;
      if (node.end) continue;
      if (this.nodes.length > this.options.maxStates) {
        this.complete = false;
        break;
      }
      this.visit(node);
    }
  }

  private visit(node: StateNode): void {
    node.visited = true;
    node.awaiting = awaitingIn(node.state, this.kinds);
    const text = this.texts.get(node) ?? JSON.stringify(node.state);
    const revive = (brings: string | undefined) => (): Machine =>
      Machine.from(this.abstract.plan, revived(text, brings));
    for (const { ways } of this.chosen(node.awaiting)) {
      for (const way of ways) this.batch({ from: node, way }, revive(way.brings), way.input);
    }
  }

  /**
   * Partial-order reduction: next events of independent branches are explored in one order only.
   * The granularity is the step: iterations of one step occur in order.
   */
  private chosen(awaiting: readonly Awaiting[]): readonly Awaiting[] {
    const [first, ...others] = [...awaiting].sort(
      (a, b) => Number(isEvent(a)) - Number(isEvent(b)) || a.branch.localeCompare(b.branch, 'en'),
    );
    if (!first) return [];
    const runs = new Set([first.run]);
    const group = [first];
    const rest = others.filter(({ run }) => run !== first.run);
    for (let grown = true; grown;) {
      grown = false;
      for (const one of rest) {
        if (runs.has(one.run) || !group.some(({ step }) => this.relevance.conflict(step, one.step))) continue;
        runs.add(one.run);
        group.push(one);
        grown = true;
      }
    }
    // An event may never arrive, so the alternatives are explored without it.
    return isEvent(first) ? [...group, ...rest.filter((one) => !group.includes(one))] : group;
  }

  /** Applies an input once for each combination of answers to the open conditions it raises. */
  private batch(by: StateNode['by'], machine: () => Machine, input: Input): void {
    const facts = by ? without(by.from.facts, by.way.brings) : [];
    const plans: (readonly boolean[])[] = [[]];
    let isReduced = false;
    for (let runs = 0; plans.length > 0; runs++) {
      const planned = plans.pop()!;
      if (runs >= MAX_RUNS) {
        this.complete = false;
        return;
      }
      const choices = new Choices(facts, planned);
      this.apply(by, machine(), input, choices);
      const count = choices.answers.length;
      if (runs === 0 && count > MANY) {
        isReduced = true;
        this.notes.add('of more than seven open guards in one decision, all, none or one hold');
        plans.push(
          ...Array.from({ length: count + 1 }, (_, one) => choices.answers.map((_answer, i) => i === one)),
        );
      }
      for (let i = planned.length; i < count && !isReduced; i++)
        plans.push([...choices.answers.slice(0, i), !choices.answers[i]!]);
    }
  }

  private apply(by: StateNode['by'], machine: Machine, input: Input, choices: Choices): void {
    const { bound } = this.options;
    const admitted: Admitted[] = [];
    machine.lends = false;
    machine.evaluator = evaluator({
      choices,
      demands: this.abstract.demands,
      keychain: this.keychain,
      items: bound,
      cut: (_template: Template) => void this.notes.add(`loops have at most ${bound} items`),
    });
    let end: NodeEnd | null = null;
    let error: StateNode['error'] = null;
    const events: EngineEvent[] = [];
    let at = Math.max(machine.live.now, by ? by.from.state.now : START) + 1_000;
    let inputs: Input[] = [input];
    const observer = {
      admitting: (token: string, state: Machine['live']): void => {
        const { step, forks } = state.tokens.get(token)!;
        admitted.push([step, forks.map((one) => ({ ...one }))]);
      },
    };
    try {
      for (let more = 0; inputs.length > 0 && !end && more < 1_000; more++) {
        if (inputs.some(({ type }) => type === 'timerFired')) at = Math.max(at, latest(machine));
        const applied = machine.apply({ at, inputs }, observer);
        appendAll(events, applied.events);
        inputs = followUps(applied);
        for (const command of applied.commands) {
          if (command.type === 'complete') end = 'complete';
          else if (command.type === 'cancelled') end = 'cancelled';
          else if (command.type === 'fail') {
            error = command.error as StateNode['error'];
            end = command.error.code.startsWith('RUNAWAY') ? 'cut' : 'fail';
          }
        }
      }
    } catch (thrown) {
      if (!(thrown instanceof EngineError)) throw thrown;
      error = { code: thrown.code, message: thrown.message };
      end = 'fail';
    }
    if (input.type === 'externalEvent' && events.some(isUnheard)) return;
    this.cover(events);
    this.reached({ by, machine, choices, end, error, admitted });
  }

  private cover(events: readonly EngineEvent[]): void {
    this.coverage.take(events);
    for (const { event_type, step_run_id = '', entity_id } of events)
      if (event_type === 'task.started') this.tasks.add(`${step_run_id.split('#')[0]}/${entity_id}`);
  }

  private reached(of: {
    by: StateNode['by'];
    machine: Machine;
    choices: Choices;
    end: NodeEnd | null;
    error: StateNode['error'];
    admitted: readonly Admitted[];
  }): void {
    const { by, machine, choices, end, error, admitted } = of;
    const { state } = machine;
    const forgotten = this.widening.apply(state, choices);
    if (forgotten !== undefined) this.notes.add(forgotten);
    const { key, facts } = markingOf(state, this.options.coarse ? [] : choices.facts, this.relevance);
    const name = end ? `${end} ${error?.step ?? ''} ${error?.code ?? ''} ${by?.way.type ?? ''} ${key}` : key;
    const existing = this.byKey.get(name);
    const node = existing ?? this.added(name, { by, facts, end, error, choices: choices.facts }, state);
    by?.from.next.push(node);
    this.concurrency.reached(node, by?.from, admitted);
  }

  private added(
    key: string,
    of: Pick<StateNode, 'by' | 'facts' | 'end' | 'error'> & { readonly choices: GuardFacts },
    state: State,
  ): StateNode {
    const { choices, ...rest } = of;
    const { by, facts } = rest;
    const before = without(by?.from.assumed ?? [], by?.way.brings);
    const text = JSON.stringify(state);
    const node: StateNode = {
      ...rest,
      id: this.nodes.length,
      state: JSON.parse(text) as State,
      assumed: [
        ...before.filter(([question]) => ![...facts, ...choices].some(([one]) => one === question)),
        ...choices,
      ],
      next: [],
      awaiting: [],
      visited: false,
    };
    this.texts.set(node, text);
    this.byKey.set(key, node);
    this.nodes.push(node);
    return node;
  }
}

/** The state, in which earlier values of a root that is assigned again are distinguished from the new ones. */
function revived(text: string, brings: string | undefined): State {
  if (brings === undefined || !text.includes(brings)) return JSON.parse(text) as State;
  const isEarlier = (value: unknown): boolean =>
    typeof value === 'string' && value.includes(brings) && unknownIn(value) !== undefined;
  return JSON.parse(text, (_key, value: unknown) => (isEarlier(value) ? ANYTHING : value)) as State;
}

/** An event that no wait took. */
function isUnheard({ event_type, payload }: EngineEvent): boolean {
  return event_type === 'external.received' && (payload['taken_by'] ?? null) === null;
}

function isEvent({ event }: Awaiting): boolean {
  return event !== undefined;
}

/** Deterministic continuations: cancelled calls end, the engine processes its queue, retries start. */
function followUps({ commands }: Applied): Input[] {
  return commands.flatMap((command): Input[] => {
    if (command.type === 'cancelTask')
      return [{ type: 'taskSettled', taskRunId: command.taskRunId, outcome: CANCELLED }];
    if (command.type === 'cancelPlaybook')
      return [{ type: 'childSettled', child: command.child, outcome: CANCELLED }];
    if (command.type === 'startTimer' && /^(yield|retry):/.test(command.key))
      return [{ type: 'timerFired', key: command.key }];
    return [];
  });
}

function latest(machine: Machine): number {
  return Math.max(0, ...Object.values(machine.live.timers).map(({ deadline }) => deadline));
}

/** The facts that do not concern values below this root, which has just been assigned again. */
function without(facts: GuardFacts, root: string | undefined): GuardFacts {
  if (root === undefined) return facts;
  const name = JSON.stringify(root).slice(1, -1);
  return facts.filter(([question]) => !question.includes(name));
}
