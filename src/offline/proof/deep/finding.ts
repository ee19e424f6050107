/** What the exploration of a plan found. */
import { type JsonObject, type Plan, type SourcePosition, type StepPlan } from '../../../language/plan';
import { type StateNode } from './explore';
import { type ExploredWay } from './ways';

type Severity = 'error' | 'warning' | 'info';

/** Stable codes, what they mean, and how serious they are. */
export const DEEP_CODES = {
  NEVER_COMPLETES: ['error', 'no run can complete'],
  END_NEVER_REACHED: ['warning', 'a step that ends the playbook never runs'],
  STEP_NEVER_RUNS: ['warning', 'a step never runs'],
  ARC_NEVER_TAKEN: ['warning', 'an arc is never taken'],
  RULE_NEVER_MATCHES: ['warning', 'a rule never matches'],
  TASK_NEVER_RUNS: ['warning', 'a task of a step that runs never does'],
  ROUTER_HOLE: ['warning', 'a number between those that the arcs of a step take is taken by none'],
  LIMIT_DEADLOCK: [
    'error',
    'a sub-playbook needs the limit by key that its caller holds while it waits for it',
  ],
  REPEATED_AT_MOST_ONCE: ['warning', 'a rule repeats a call that may run at most once'],
  WAITS_FOR_EVER: ['error', 'a token waits, and nothing can end its wait'],
  WAITS_FOR_OUTSIDE: [
    'warning',
    'a wait without a time limit for an event that only something outside can send',
  ],
  CYCLE_WITHOUT_EXIT: ['error', 'a cycle that is never left, except by a failure'],
  ALWAYS_FAILS: ['error', 'a step fails whatever its tools answer'],
  CTX_RACE: ['warning', 'two concurrent branches use one key of ctx, and their order decides'],
  NOT_COMPENSATED: ['info', 'a failure that nothing handles, after writes outside; of money: a warning'],
} as const satisfies Record<string, readonly [Severity, string]>;

export type DeepCode = keyof typeof DEEP_CODES;

/** Unreachable; the trace shows a run that bypasses it. */
export const NEVER: ReadonlySet<DeepCode> = new Set([
  'ARC_NEVER_TAKEN',
  'RULE_NEVER_MATCHES',
  'TASK_NEVER_RUNS',
]);

export interface DeepFinding {
  readonly code: DeepCode;
  readonly severity: Severity;
  readonly message: string;
  readonly step: string;
  /** Line and column in the playbook. */
  readonly at: SourcePosition;
  /** The steps that lead there, in words; for an unreachable arc or rule, those of a run that bypasses it. */
  readonly trace: readonly string[];
  /** A state that shows it, or the end of a run that bypasses it; absent if only the whole set of states shows it. */
  readonly node?: StateNode;
  readonly race?: Race;
  /** Of what never happens: the events that would tell of it, as `never` of a rehearsal. */
  readonly never?: readonly JsonObject[];
}

/** Two steps that use a key of ctx at the same time: the reader first, if one of them only reads. */
export interface Race {
  readonly key: string;
  readonly steps: readonly [string, string];
}

/** @param of.at by default where the step is */
export function finding(
  plan: Plan,
  code: DeepCode,
  of: Pick<DeepFinding, 'message' | 'step' | 'node' | 'race' | 'never'> &
    Partial<Pick<DeepFinding, 'at' | 'severity'>>,
): DeepFinding {
  return {
    code,
    severity: DEEP_CODES[code][0],
    at: stepNamed(plan, of.step).at,
    ...of,
    trace: of.node ? waysInto(of.node).map(({ label }) => label) : [],
  };
}

/** How the first run came there. */
export function waysInto(node: StateNode): ExploredWay[] {
  const ways: ExploredWay[] = [];
  for (let one: StateNode | null = node; one?.by; one = one.by.from) ways.unshift(one.by.way);
  return ways;
}

/** The step with that name, or the first: an error may name none. */
export function stepNamed(plan: Plan, name: string): StepPlan {
  return plan.steps.find((step) => step.name === name) ?? plan.steps[0]!;
}
