/** What the exploration of a plan found. */
import { type Plan, type SourcePosition, type StepPlan } from '../../../language/plan';
import { type StateNode } from './explore';

type Severity = 'error' | 'warning' | 'info';

/** Stable codes, what they mean, and how serious they are. */
export const DEEP_CODES = {
  NEVER_COMPLETES: ['error', 'no run can complete'],
  END_NEVER_REACHED: ['warning', 'a step that ends the playbook never runs'],
  STEP_NEVER_RUNS: ['warning', 'a step never runs'],
  ARC_NEVER_TAKEN: ['warning', 'an arc is never taken'],
  RULE_NEVER_MATCHES: ['warning', 'a rule never matches'],
  WAITS_FOR_EVER: ['error', 'a token waits, and nothing can end its wait'],
  WAITS_FOR_OUTSIDE: [
    'warning',
    'a wait without a time limit for an event that only something outside can send',
  ],
  CYCLE_WITHOUT_EXIT: ['error', 'a cycle that is never left, except by a failure'],
  ALWAYS_FAILS: ['error', 'a step fails whatever its tools answer'],
  CTX_RACE: ['warning', 'two concurrent branches use one key of ctx, and their order decides'],
  NOT_COMPENSATED: ['info', 'a failure that nothing handles, after writes outside'],
} as const satisfies Record<string, readonly [Severity, string]>;

export type DeepCode = keyof typeof DEEP_CODES;

/** Unreachable; the trace shows a run that bypasses it. */
export const NEVER: ReadonlySet<DeepCode> = new Set(['ARC_NEVER_TAKEN', 'RULE_NEVER_MATCHES']);

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
}

export function finding(
  code: DeepCode,
  of: {
    readonly message: string;
    readonly step: string;
    readonly at: SourcePosition;
    readonly node?: StateNode;
  },
): DeepFinding {
  return { code, severity: DEEP_CODES[code][0], ...of, trace: of.node ? traceTo(of.node) : [] };
}

function traceTo(node: StateNode): string[] {
  const trace: string[] = [];
  for (let one: StateNode | null = node; one?.by; one = one.by.from) trace.unshift(one.by.way.label);
  return trace;
}

/** The step with that name, or the first: an error may name none. */
export function stepNamed(plan: Plan, name: string): StepPlan {
  return plan.steps.find((step) => step.name === name) ?? plan.steps[0]!;
}
