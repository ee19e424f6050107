/** Explicit-state model checking of a plan. */
import { compact, type JsonObject, type Plan } from '../../../language/plan';
import { explore, type ExploreOptions } from './explore';
import { type DeepFinding } from './finding';
import { deepFindings, type Assumptions } from './findings';
import { notCovered } from './not-covered';
import { ENDLESS, raceOf, witnessOf } from './witness';

export { witnessOf } from './witness';
export { DEEP_CODES, type DeepCode, type DeepFinding, NEVER } from './finding';

export interface DeepChecked {
  readonly findings: readonly DeepFinding[];
  readonly states: number;
  readonly bound: number;
  /** Every state within the bound was visited. */
  readonly complete: boolean;
  /** Qualifications: results that hold only within the bound or under an assumption. */
  readonly assumed: readonly string[];
  /** What of this playbook was not explored. */
  readonly notCovered: readonly string[];
}

export interface DeepOptions extends Partial<ExploreOptions>, Assumptions {}

const ALWAYS_ASSUMED = [
  'the payload may give any value to any key of the workload, and a tool may answer anything, or fail with any error',
  'the keychain resolves',
];

const DEFAULT_BOUND = 2;
const MAX_STATES = 10_000;
/** Beyond this, the state space is too large: the exploration restarts with fewer facts kept. */
const MAX_EXACT = 2_500;

/** Visits the states that the plan can come to, and reports what is wrong in them. */
export function checkDeep(
  plan: Plan,
  { bound = DEFAULT_BOUND, maxStates = MAX_STATES, ...assumptions }: DeepOptions = {},
): DeepChecked {
  const exact = explore(plan, { bound, maxStates: Math.min(maxStates, MAX_EXACT) });
  const explored = exact.complete ? exact : explore(plan, { bound, maxStates, coarse: true });
  const { nodes, complete } = explored;
  return {
    findings: deepFindings(explored, assumptions),
    states: nodes.length,
    bound,
    complete,
    assumed: [...ALWAYS_ASSUMED, ...explored.assumed],
    notCovered: notCovered(plan),
  };
}

/** A run that shows a finding. */
export type FindingRun = NonNullable<ReturnType<typeof witnessOf>> &
  Pick<DeepFinding, 'never'> & {
    readonly name: string;
    /** Of a run without an end. */
    readonly limit?: number;
    readonly expect?: JsonObject;
  };

/** The runs that show a finding, to be written as rehearsals: of a race, one in either order; of some findings, none. */
export function runsShowing(
  plan: Plan,
  { code, node, message, race, never }: DeepFinding,
): readonly FindingRun[] {
  if (!node) return [];
  // A name is no template.
  const name = message.replaceAll(/\{\{ *| *\}\}/g, '');
  if (race) return raceOf(plan, node, race).map((one) => ({ ...one, name: `${name} (${one.name})` }));
  const cycle = code === 'CYCLE_WITHOUT_EXIT' ? witnessOf(plan, node, { isEndless: true }) : undefined;
  const witness = cycle ? { ...cycle, limit: ENDLESS } : witnessOf(plan, node);
  return witness ? [{ ...witness, name, ...compact({ never }) }] : [];
}
