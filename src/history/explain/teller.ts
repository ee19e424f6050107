/** Puts the decisions of a run into words, as its events tell them. */
import {
  everyTask,
  excerpt,
  isMapping,
  type Json,
  placeOfError,
  type Plan,
  type PlanValue,
  type SourcePosition,
  type RulePlan,
  type RuleSet,
  type StepPlan,
  type TaskPlan,
} from '../../language/plan';
import { type State } from '../../engine/machine';
import { type Template } from '../../language/template/runtime';
import { type CanonicalEvent, occurredAt } from '../events';
import { type ExplainedDecision, type DecisionPlace, weigh } from './weigh';
import {
  cachedText,
  directiveText,
  effectText,
  endText,
  limitName,
  limitText,
  receivedText,
  reasonText,
  explainedError,
} from './event-text';
import { type KeptDecisions } from './kept';
import { Memory, type TaskFailure } from './memory';
import { type Observation } from './operands';

/** Returns the line of the playbook at a position; undefined if the playbook is not available. */
export type SourceLines = (line: number) => string | undefined;

export class Teller {
  private last: CanonicalEvent | undefined;
  private steps: ReadonlyMap<string, StepPlan>;

  constructor(
    public plan: Plan,
    private readonly lines: SourceLines,
    readonly kept: KeptDecisions,
    private readonly memory = new Memory(),
  ) {
    this.steps = stepsOf(plan);
  }

  /** What follows is of a run with this plan: each run of Temporal reads its own, and guards are told apart by identity. */
  read(plan: Plan): void {
    if (plan === this.plan) return;
    this.plan = plan;
    this.steps = stepsOf(plan);
  }

  tell(event: CanonicalEvent, observed: readonly Observation[]): void {
    this.last = event;
    this.memory.take(event, occurredAt(event));
    DECIDE[event.event_type]?.(this, event, observed);
    this.memory.remember(event);
  }

  /** At the end of the known history: what was left out, and tokens that still wait. */
  end(state: State): void {
    for (const [step, count] of this.kept.leftOut) {
      const summary = `${count} more decisions about iterations of step ${step} are left out: ask for one by its event`;
      this.kept.add({ ...this.shell(this.last!, 'note', step), summary });
    }
    for (const { step, summary } of this.memory.joins.stillWaiting(state))
      this.kept.add({ ...this.shell(this.last!, 'waiting', step), summary });
  }

  say(
    event: CanonicalEvent,
    kind: ExplainedDecision['kind'],
    summary: string,
    more: Partial<Pick<ExplainedDecision, 'details' | 'considered' | 'at'>> = {},
  ): void {
    const decision = { ...this.shell(event, kind, stepOf(event)), summary, ...more };
    this.kept.add(decision, event.iteration !== undefined);
  }

  private shell(
    event: CanonicalEvent,
    kind: ExplainedDecision['kind'],
    step: string | null,
  ): Omit<ExplainedDecision, 'summary'> {
    const { seq, step_run_id = null, task_run_id = null } = event;
    const timestamp = new Date(occurredAt(event)).toISOString();
    return { seq, timestamp, kind, step, step_run_id, task_run_id, details: [], considered: [] };
  }

  step(event: CanonicalEvent): StepPlan | undefined {
    return this.steps.get(stepOf(event) ?? '');
  }

  task(event: CanonicalEvent): TaskPlan | undefined {
    return findTask(this.step(event)?.tasks ?? [], event.entity_id);
  }

  place(at: SourcePosition | Json | undefined): DecisionPlace | undefined {
    if (!Array.isArray(at)) return undefined;
    const [line, column] = at as [number, number];
    const source = this.lines(line);
    const file = this.plan.source.file ?? null;
    return { file, line, column, ...(source === undefined ? {} : { source: source.trim() }) };
  }

  /** The waits whose `when` was evaluated. */
  guarded(observed: readonly Observation[]) {
    return [...this.steps.values()].flatMap((step) =>
      everyTask(step).flatMap(({ name, when, at }) => {
        const seen = observed.findLast(({ guard }) => when !== undefined && guard === when);
        return seen ? [{ what: `${step.name}/${name}`, isTrue: seen.isTrue, when, at }] : [];
      }),
    );
  }

  failureOf(event: CanonicalEvent): TaskFailure | undefined {
    return this.memory.failures.get(event.task_run_id ?? '');
  }

  loopOf(event: CanonicalEvent): StepPlan['loop'] {
    return event.task_run_id === undefined ? this.step(event)?.loop : this.task(event)?.loop;
  }

  loopSummary(event: CanonicalEvent): string[] {
    return this.memory.loops.summary(event.step_run_id ?? '', event.payload['stats']);
  }

  join(event: CanonicalEvent): { summary: string; details: string[] } {
    return this.memory.joins.merged(event);
  }
}

/** `start#1[2]`: the run of a step, and the iteration; the run of a task that is a loop itself. */
function runOf({ step_run_id, task_run_id, iteration, entity_id }: CanonicalEvent): string {
  if (task_run_id !== undefined) return task_run_id;
  return `${step_run_id ?? entity_id}${iteration === undefined ? '' : `[${iteration}]`}`;
}

function sourceOf(list: PlanValue | undefined): string {
  return list && 'template' in list ? ` of ${list.template.source}` : '';
}

function findTask(tasks: readonly TaskPlan[], name: string): TaskPlan | undefined {
  for (const task of tasks) {
    const match = task.name === name ? task : findTask(task.body ?? [], name);
    if (match) return match;
  }
  return undefined;
}

function stepOf(event: CanonicalEvent): string | null {
  if (event.step_run_id) return event.step_run_id.slice(0, event.step_run_id.lastIndexOf('#'));
  return event.entity_type === 'step' ? event.entity_id : null;
}

function stepsOf({ steps }: Plan): ReadonlyMap<string, StepPlan> {
  return new Map(steps.map((step) => [step.name, step]));
}

type Decide = (teller: Teller, event: CanonicalEvent, observed: readonly Observation[]) => void;

const ruleDecision: Decide = (teller, event, observed) => {
  const { payload } = event;
  // `case.evaluated` has already reported a rule of the step.
  if (payload['of'] === 'step') return;
  const task = teller.task(event);
  const rules = rulesOf(task?.rules);
  const rule = typeof payload['rule'] === 'number' ? payload['rule'] : null;
  const failure = teller.failureOf(event);
  const ending = failure === undefined ? 'succeeded' : `failed (${failure.text})`;
  const directive = directiveText(payload);
  if (isPlain(payload, task, failure !== undefined, observed)) return;
  const who =
    rule !== null
      ? `rule ${rule + 1} of ${rules.length}`
      : rules.length === 0
        ? 'no rules: an error fails'
        : 'no rule matched';
  const kind = event.event_type === 'task.retrying' ? 'retry' : 'rule';
  teller.say(event, kind, `task ${event.task_run_id} ${ending}; ${who} → ${directive}`, {
    considered: weigh(teller, rules, { observed, winners: rule === null ? [] : [rule] }, (one, index) => ({
      what: `${ruleName(one, index)} → ${effectText(one)}`,
    })),
    at: teller.place(lineOfFailure(task, failure) ?? payload['at']),
  });
};

/** A task that succeeded and is followed by the next one; of repetitions it is told why they end. */
function isPlain(
  { directive, rule, exhausted }: CanonicalEvent['payload'],
  task: TaskPlan | undefined,
  hasFailed: boolean,
  observed: readonly Observation[],
): boolean {
  if (directive !== 'continue' || exhausted !== undefined) return false;
  const isWeighed = observed.length > 0 && task?.rules?.of === 'retry';
  return rulesOf(task?.rules).length === 0 || (typeof rule !== 'number' && !hasFailed && !isWeighed);
}

/** The line of its code that failed, rather than where its tool stands. */
function lineOfFailure(
  task: TaskPlan | undefined,
  failure: TaskFailure | undefined,
): SourcePosition | undefined {
  return task && failure ? placeOfError(task, failure) : undefined;
}

function ruleName({ when }: { readonly when?: Template }, index: number): string {
  return `rule ${index + 1}${when === undefined ? ' (else)' : ''}`;
}

/** The rules that are evaluated: the others only store. */
function rulesOf(set: RuleSet | undefined): readonly RulePlan[] {
  return (set?.rules ?? []).filter(({ on }) => !on.includes('store'));
}

/** A decision of which there is nothing to say but a sentence. */
const says =
  (kind: ExplainedDecision['kind'], text: (event: CanonicalEvent) => string): Decide =>
  (teller, event) =>
    teller.say(event, kind, text(event));

const DECIDE: Readonly<Record<string, Decide>> = {
  'playbook.started': (teller, event) => {
    const { start, source } = teller.plan;
    const file = source.file === undefined ? '' : ` (${source.file})`;
    teller.say(event, 'start', `playbook ${event.entity_id}${file} starts at step ${start}`);
  },
  'limit.queued': says('limit', limitText),
  'limit.acquired': says('limit', (event) => {
    const { of, duration_ms } = event.payload;
    const what = of === 'debounce' ? 'no newer execution came' : `acquired ${limitName(event)}`;
    return `${what} after ${Number(duration_ms) / 1000} s`;
  }),
  'limit.skipped': says('limit', ({ payload }) => String(payload['message'])),
  'limit.refused': says('limit', ({ payload }) => String(payload['message'])),
  'playbook.paused': says(
    'control',
    (event) => `paused from outside${reasonText(event)}: no new task starts`,
  ),
  'playbook.resumed': says('control', () => 'resumed from outside'),
  'playbook.cancel.requested': says(
    'control',
    (event) => `cancellation requested${reasonText(event)}: running tasks are stopped`,
  ),
  'playbook.reset': says(
    'control',
    (event) => `reset by an operator${reasonText(event)}: a new Temporal run continues from here`,
  ),
  'variables.set': says('control', ({ payload }) => {
    const names = Object.keys((payload['variables'] ?? {}) as object);
    return `variables set from outside: ${names.join(', ')}`;
  }),
  'step.admitted': (teller, event, observed) => {
    const rules = teller.step(event)?.admit ?? [];
    const { allow, rule } = event.payload;
    const won = typeof rule === 'number' ? [rule] : [];
    const why = typeof rule === 'number' ? `admission rule ${rule + 1}` : 'no admission rule matched';
    const verdict = allow ? 'admitted' : 'denied, its token ends';
    teller.say(event, 'admission', `step ${event.step_run_id}: ${why} → ${verdict}`, {
      considered: weigh(teller, rules, { observed, winners: won }, (one, index) => ({
        what: `${ruleName(one, index)} → ${one.allow ? 'allow' : 'deny'}`,
      })),
      at: teller.place(event.payload['at']),
    });
  },
  'task.retrying': ruleDecision,
  'task.directive': ruleDecision,
  'case.evaluated': (teller, event, observed) => {
    const rules = rulesOf(teller.step(event)?.rules);
    const won = rules.flatMap((rule, index) =>
      observed.some(({ guard, isTrue }) => isTrue && guard === rule.when) ? [index] : [],
    );
    const text =
      won.length === 0
        ? 'no rule of case matched'
        : `rule ${won.map((index) => index + 1).join(', ')} of case matched`;
    teller.say(event, 'case', `step ${runOf(event)}: ${text}`, {
      considered: weigh(teller, rules, { observed, winners: won }, (one, index) => ({
        what: `rule ${index + 1} → ${effectText(one)}`,
      })),
    });
  },
  'next.evaluated': (teller, event, observed) => {
    const arcs = teller.step(event)?.router?.arcs ?? [];
    const verdicts = event.payload['arcs'] as { verdict: string }[];
    const won = verdicts.flatMap(({ verdict }, index) => (verdict.startsWith('fires') ? [index] : []));
    const to = won.map((index) => arcs[index]?.step ?? 'the end');
    const fires = to.length === 0 ? 'no arc fires' : `→ ${to.join(', ')}`;
    const kind = `${String(event.payload['mode'])} router`;
    teller.say(event, 'route', `after ${event.step_run_id}: ${fires} (${kind})`, {
      considered: weigh(teller, arcs, { observed, winners: won }, (arc, index) => {
        const { verdict } = verdicts[index] ?? {};
        const what = `arc ${index + 1} → ${arc.step ?? 'the end'}`;
        return { what, verdict: verdict === 'fires' && !arc.when ? 'fires: it has no guard' : verdict };
      }),
    });
  },
  'token.merged': (teller, event) => {
    const { summary, details } = teller.join(event);
    teller.say(event, 'join', summary, { details });
  },
  'loop.started': (teller, event) => {
    const { total, mode } = event.payload;
    const list = sourceOf(teller.loopOf(event)?.in);
    const over = Number(total) === 1 ? '1 item' : `${String(total)} items`;
    teller.say(event, 'loop', `loop ${runOf(event)} runs over ${over}${list}, ${String(mode)}`);
  },
  'loop.done': (teller, event) =>
    teller.say(event, 'loop', `loop ${runOf(event)} ended`, { details: teller.loopSummary(event) }),
  'external.received': (teller, event, observed) => {
    const waits = teller.guarded(observed);
    const winners = waits.flatMap(({ isTrue }, index) => (isTrue ? [index] : []));
    const refused = waits.filter(({ isTrue }) => !isTrue).map(({ what }) => what);
    teller.say(event, 'event', receivedText(event, refused), {
      considered: weigh(teller, waits, { observed, winners }, ({ what }) => ({ what })),
    });
  },
  'external.dropped': says(
    'event',
    ({ entity_id, payload }) => `event ${entity_id} was dropped: ${String(payload['reason'])}`,
  ),
  'ctx.patched': (teller, event) => {
    const { patch, collect } = event.payload;
    const by = event.parent_id ? `, by ${event.parent_id}` : '';
    const written = Object.entries(isMapping(patch) ? patch : {}).map(
      ([key, value]) => `ctx.${key} = ${excerpt(value)}`,
    );
    const { into, mode, value } = isMapping(collect) ? collect : {};
    const gathered =
      into === undefined ? [] : [`ctx.${String(into)}, ${String(mode)} ${excerpt(value as Json)}`];
    teller.say(event, 'write', `written${by}: ${[...written, ...gathered].join(', ')}`);
  },
  'task.done': (teller, event) => {
    const { outcome } = event.payload;
    const meta = isMapping(outcome) && isMapping(outcome['meta']) ? outcome['meta'] : {};
    if (isMapping(meta['cached']))
      teller.say(event, 'cache', `task ${event.task_run_id} was not called: ${cachedText(meta['cached'])}`);
  },
  'step.note': (teller, event) =>
    teller.say(event, 'note', `step ${event.step_run_id}: ${String(event.payload['message'])}`, {
      at: teller.place(event.payload['at']),
    }),
  'step.failed': (teller, event) =>
    teller.say(
      event,
      'failure',
      `step ${event.step_run_id} failed: ${explainedError(event.payload['error'])}`,
      {
        details: teller.loopSummary(event),
        at: teller.place(
          isMapping(event.payload['error']) ? (event.payload['error']['at'] as Json) : undefined,
        ),
      },
    ),
  'workflow.finished': says('end', endText),
};

const WEIGHS = new Set([
  'step.admitted',
  'task.retrying',
  'task.directive',
  'case.evaluated',
  'next.evaluated',
  'external.received',
]);

/** Whether the guards evaluated before an event were evaluated for it. */
export function weighs({ event_type }: { readonly event_type: string }): boolean {
  return WEIGHS.has(event_type);
}
