/** Which parts of a playbook runs have touched: steps, arcs, rules, and what follows a failure. */
import { type EngineEvent, type EventType } from '../../../engine/machine';
import {
  everyTask,
  isMapping,
  type Plan,
  type PlanValue,
  type SourcePosition,
  type RulePlan,
  type RuleSet,
  type StepPlan,
  type TaskPlan,
} from '../../../language/plan';

export type CoveragePartKind = 'step' | 'arc' | 'rule' | 'failure';

/** A part of a playbook that a run can touch. */
export interface CoveragePart {
  readonly kind: CoveragePartKind;
  /** Unique: `arc fetch[0]`, `rule fetch/get[1]`, `failure fetch/get`. */
  readonly id: string;
  readonly step: string;
  /** In words: `fetch → store when {{ … }}`. */
  readonly name: string;
  readonly at: SourcePosition;
  /** Only a failure leads here. */
  readonly isErrorPath: boolean;
}

/** How often each part was touched, by id; addable, and plain JSON. */
export type Touches = Record<string, number>;

/** All parts of a plan, in the order of the YAML. */
export function coverageParts(plan: Plan): CoveragePart[] {
  return plan.steps.flatMap(partsOfStep);
}

function partsOfStep(step: StepPlan): CoveragePart[] {
  const { name, at, router, rules, admit } = step;
  const part = (
    of: Omit<CoveragePart, 'step' | 'isErrorPath'> & { isErrorPath?: boolean },
  ): CoveragePart => ({
    step: name,
    isErrorPath: false,
    ...of,
  });
  return [
    part({ kind: 'step', id: `step ${name}`, name, at }),
    ...(admit ?? []).map((rule, i) =>
      part({
        kind: 'rule',
        id: `rule ${name}[admit ${i}]`,
        name: `admission of ${name}: ${rule.when?.source ?? 'else'}`,
        at: rule.at,
      }),
    ),
    ...everyTask(step).flatMap((task) =>
      failureOf(task, name).concat(rulesOf(`${name}/${task.name}`, name, task.rules)),
    ),
    ...rulesOf(name, name, rules),
    ...(router?.arcs ?? []).map((arc, i) => {
      const when = arc.rule === undefined ? arc.when : rules?.rules[arc.rule]?.when;
      return part({
        kind: 'arc',
        id: `arc ${name}[${i}]`,
        name: `${name} → ${arc.step ?? 'the end'}${when ? ` when ${when.source}` : ''}`,
        at: arc.at,
        isErrorPath: arc.when !== undefined && arc.handlesFailure && ERROR.test(arc.when.source),
      });
    }),
  ];
}

/** Kinds that cannot fail by themselves. */
const WITHOUT_TOOL = new Set(['noop', 'event_log', 'iterator']);

/** A playbook that is called as an agent (`framework`) does not fail either: its failure is a result. */
function failureOf({ name, kind, config, at }: TaskPlan, step: string): CoveragePart[] {
  if (WITHOUT_TOOL.has(kind) || (kind === 'playbook' && keysOf(config).includes('framework'))) return [];
  const place = `${step}/${name}`;
  return [{ kind: 'failure', id: `failure ${place}`, step, name: `${place} fails`, at, isErrorPath: true }];
}

function keysOf(value: PlanValue): readonly string[] {
  if ('map' in value) return value.map.map(([key]) => key);
  return 'const' in value && isMapping(value.const) ? Object.keys(value.const) : [];
}

function rulesOf(place: string, step: string, set: RuleSet | undefined): CoveragePart[] {
  if (!set) return [];
  return set.rules.map((rule, i) => ({
    kind: 'rule',
    id: `rule ${place}[${i}]`,
    step,
    name: `${set.of} of ${place}: ${guardOf(rule)}`,
    at: rule.at,
    isErrorPath: onError(rule),
  }));
}

const ERROR = /\b(error|failed)\b/;

function onError(rule: RulePlan): boolean {
  return rule.onError === true || ERROR.test(rule.when?.source ?? '');
}

function guardOf({ when, unless, onError: isError }: RulePlan): string {
  return (when ?? unless)?.source ?? (isError ? 'on any error' : 'else');
}

/** The fields of an event that count; events derived from history have them too. */
type Seen = Pick<EngineEvent, 'entity_id' | 'payload' | 'step_run_id'> & { readonly event_type: string };

/** Counts what the events of runs touch. */
export class Coverage {
  readonly touches: Touches = {};

  take(events: readonly Seen[]): void {
    const touched: Readonly<Record<string, Touch | undefined>> = TOUCH;
    for (const event of events) touched[event.event_type]?.(this, event, stepOf(event));
  }

  touch(id: string): void {
    this.touches[id] = (this.touches[id] ?? 0) + 1;
  }
}

/** Adds the second to the first. */
export function addTouches(sum: Touches, more: Touches): void {
  for (const [id, count] of Object.entries(more)) sum[id] = (sum[id] ?? 0) + count;
}

type Touch = (coverage: Coverage, event: Seen, step: string) => void;

const decided: Touch = (coverage, { payload, entity_id }, step) => {
  const { rule, of } = payload;
  if (typeof rule === 'number' && of !== 'step') coverage.touch(`rule ${step}/${entity_id}[${rule}]`);
};

const TOUCH: Partial<Record<EventType, Touch>> = {
  'step.started': (coverage, _event, step) => coverage.touch(`step ${step}`),
  'step.admitted': (coverage, { payload }, step) => {
    if (typeof payload['rule'] === 'number') coverage.touch(`rule ${step}[admit ${payload['rule']}]`);
  },
  'task.failed': (coverage, { entity_id }, step) => coverage.touch(`failure ${step}/${entity_id}`),
  'task.directive': decided,
  'task.retrying': decided,
  'case.evaluated': (coverage, { payload }, step) => {
    for (const rule of listOf(payload['fired'])) coverage.touch(`rule ${step}[${String(rule)}]`);
  },
  'next.selected': (coverage, { payload }, step) => {
    for (const arc of listOf(payload['arcs'])) coverage.touch(`arc ${step}[${String(arc)}]`);
  },
};

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function stepOf({ step_run_id, entity_id }: Seen): string {
  return step_run_id === undefined ? entity_id : step_run_id.slice(0, step_run_id.indexOf('#'));
}

/** A plan's parts with their counts. */
export interface Covered {
  readonly playbook: string;
  /** Number of runs examined. */
  readonly runs: number;
  readonly parts: readonly (CoveragePart & { readonly count: number })[];
  readonly totals: Readonly<
    Record<CoveragePartKind | 'error_path', { readonly touched: number; readonly all: number }>
  >;
}

export function coveredBy(plan: Plan, touches: Touches, runs: number): Covered {
  const parts = coverageParts(plan).map((part) => ({ ...part, count: touches[part.id] ?? 0 }));
  const total = (is: (part: CoveragePart) => boolean): { touched: number; all: number } => {
    const all = parts.filter(is);
    return { touched: all.filter(({ count }) => count > 0).length, all: all.length };
  };
  const of = (kind: CoveragePartKind) => total((part) => part.kind === kind);
  return {
    playbook: plan.metadata.path,
    runs,
    parts,
    totals: {
      step: of('step'),
      arc: of('arc'),
      rule: of('rule'),
      failure: of('failure'),
      error_path: total(({ isErrorPath }) => isErrorPath),
    },
  };
}

/** Reads the JSON that `coverage --json` wrote; undefined if it is something else. */
export function touchesIn(value: unknown): Touches | undefined {
  const parts = isMapping(value) ? value['parts'] : undefined;
  if (!Array.isArray(parts)) return undefined;
  const touches: Touches = {};
  for (const part of parts) {
    if (!isMapping(part) || typeof part['id'] !== 'string' || typeof part['count'] !== 'number')
      return undefined;
    touches[part['id']] = part['count'];
  }
  return touches;
}
