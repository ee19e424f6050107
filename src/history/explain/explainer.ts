/**
 * Explains why a run did what it did: its decisions in plain language, from its history alone. The engine is replayed,
 * and the names in guards are looked up at the moment each was evaluated.
 */
import {
  isMapping,
  type Json,
  type Plan,
  type Position,
  type Rule,
  type RuleSet,
  type StepPlan,
  type TaskPlan,
} from '../../plan';
import { type Template } from '../../template/runtime';
import { Derivation, type DerivationOptions } from '../derivation';
import { type CanonicalEvent } from '../events';
import { type Pages } from '../follow';
import { type Considered, type Decision, type Place } from './decision';
import { Joins } from './joins';
import { Loops } from './loops';
import { observe, type Observation } from './operands';
import { errorText } from './words';

export interface Explanation {
  readonly execution_id: string;
  readonly playbook: string;
  readonly status: string;
  readonly decisions: readonly Decision[];
  readonly divergence?: { readonly message: string };
}

/** Returns the line of the playbook at a position; undefined if the playbook is not available. */
export type SourceLines = (line: number) => string | undefined;

/**
 * @param lines of the playbook, once its plan is known
 * @throws CodedError `HISTORY` when the pages are not the history of a playbook
 */
export async function explain(
  pages: Pages,
  lines: (plan: Plan) => SourceLines | Promise<SourceLines> = () => () => undefined,
  options: DerivationOptions = {},
): Promise<Explanation> {
  const seen = new Map<number, readonly Observation[]>();
  let pending: Observation[] = [];
  const derivation = new Derivation({
    ...options,
    watcher: {
      guard: (guard, isTrue, scope) => pending.push(observe(guard, isTrue, scope)),
      event: (event, _state, { seq }) => {
        if (!(event.event_type in DECIDE) || pending.length === 0) return;
        seen.set(seq, pending);
        pending = [];
      },
    },
  });
  let teller: Teller | undefined;
  let id = '';
  for await (const page of pages) {
    for (const event of await derivation.take(page)) {
      teller ??= new Teller(derivation.plan, await lines(derivation.plan));
      teller.tell(event, seen.get(event.seq) ?? []);
      seen.delete(event.seq);
      id = event.execution_id;
    }
  }
  const { state, plan, divergence, closed } = derivation;
  const decisions = [...(teller?.decisions ?? []), ...(teller?.stillWaiting(state) ?? [])];
  const status =
    closed?.status === 'terminated' || closed?.status === 'timed_out' ? closed.status : state.status;
  return {
    execution_id: id,
    playbook: plan.metadata.path,
    status,
    decisions,
    ...(divergence ? { divergence } : {}),
  };
}

class Teller {
  readonly decisions: Decision[] = [];
  private readonly joins = new Joins();
  private readonly loops = new Loops();
  private readonly failures = new Map<string, string>();
  private last: CanonicalEvent | undefined;
  private readonly steps: ReadonlyMap<string, StepPlan>;

  constructor(
    readonly plan: Plan,
    private readonly lines: SourceLines,
  ) {
    this.steps = new Map(plan.steps.map((step) => [step.name, step]));
  }

  tell(event: CanonicalEvent, observed: readonly Observation[]): void {
    this.last = event;
    this.joins.take(event);
    this.loops.take(event);
    if (event.event_type === 'task.failed')
      this.failures.set(event.task_run_id ?? '', errorText(outcomeOf(event)?.['error']));
    DECIDE[event.event_type]?.(this, event, observed);
  }

  /** Tokens still waiting at the end of the known history. */
  stillWaiting(state: Derivation['state']): Decision[] {
    return this.joins.stillWaiting(state).map(({ step, summary }) => ({
      ...this.shell(this.last!, 'waiting', step),
      summary,
    }));
  }

  say(
    event: CanonicalEvent,
    kind: Decision['kind'],
    summary: string,
    more: Partial<Pick<Decision, 'details' | 'considered' | 'at'>> = {},
  ): void {
    this.decisions.push({ ...this.shell(event, kind, stepOf(event)), summary, ...more });
  }

  private shell(
    event: CanonicalEvent,
    kind: Decision['kind'],
    step: string | null,
  ): Omit<Decision, 'summary'> {
    const { seq, timestamp, step_run_id = null, task_run_id = null } = event;
    return { seq, timestamp, kind, step, step_run_id, task_run_id, details: [], considered: [] };
  }

  step(event: CanonicalEvent): StepPlan | undefined {
    return this.steps.get(stepOf(event) ?? '');
  }

  task(event: CanonicalEvent): TaskPlan | undefined {
    return findTask(this.step(event)?.tasks ?? [], event.entity_id);
  }

  place(at: Position | Json | undefined): Place | undefined {
    if (!Array.isArray(at)) return undefined;
    const [line, column] = at as [number, number];
    const source = this.lines(line);
    const file = this.plan.source.file ?? null;
    return { file, line, column, ...(source === undefined ? {} : { source: source.trim() }) };
  }

  failureOf(event: CanonicalEvent): string | undefined {
    return this.failures.get(event.task_run_id ?? '');
  }

  loopSummary(event: CanonicalEvent): string[] {
    return this.loops.summary(event.step_run_id ?? '', event.payload['stats']);
  }

  join(event: CanonicalEvent): { summary: string; details: string[] } {
    return this.joins.merged(event);
  }
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

function outcomeOf(event: CanonicalEvent): Readonly<Record<string, unknown>> | undefined {
  const outcome = event.payload['outcome'];
  return isMapping(outcome) ? outcome : undefined;
}

/** The candidates of a decision, with the values their guards saw; matched by the guard itself. */
function weigh<T extends { readonly when?: Template; readonly at: Position }>(
  teller: Teller,
  candidates: readonly T[],
  observed: readonly Observation[],
  winners: readonly number[],
  describe: (candidate: T, index: number) => { what: string; verdict?: string },
): Considered[] {
  return candidates.map((candidate, index) => {
    const seen = [...observed].reverse().find(({ guard }) => guard === candidate.when);
    const won = winners.includes(index);
    const { what, verdict } = describe(candidate, index);
    return {
      what,
      guard: candidate.when?.source ?? null,
      verdict: verdict ?? verdictOf(seen, won, candidate.when === undefined),
      won,
      ...(seen ? { values: seen.values } : {}),
      at: teller.place(candidate.at),
    };
  });
}

function verdictOf(seen: Observation | undefined, won: boolean, isElse: boolean): string {
  if (seen)
    return !seen.isTrue
      ? 'is false'
      : won
        ? 'holds'
        : 'holds, but could not be taken (its retries are exhausted)';
  if (won) return isElse ? 'always holds' : 'won';
  return 'was not evaluated: an earlier one decided, or it does not apply here';
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
  const ending = failure === undefined ? 'succeeded' : `failed (${failure})`;
  const directive = directiveOf(payload);
  const isPlain = rules.length === 0 || (rule === null && payload['directive'] === 'continue' && !failure);
  if (isPlain && payload['directive'] === 'continue') return;
  const who =
    rule !== null
      ? `rule ${rule + 1} of ${rules.length}`
      : rules.length === 0
        ? 'no rules: an error fails'
        : 'no rule matched';
  const kind = event.event_type === 'task.retrying' ? 'retry' : 'rule';
  teller.say(event, kind, `task ${event.task_run_id} ${ending}; ${who} → ${directive}`, {
    considered: weigh(teller, rules, observed, rule === null ? [] : [rule], (one, index) => ({
      what: `rule ${index + 1}${one.when === undefined ? ' (else)' : ''} → ${does(one)}`,
    })),
    at: teller.place(payload['at']),
  });
};

/** The rules that are evaluated: the others only store. */
function rulesOf(set: RuleSet | undefined): readonly Rule[] {
  return (set?.rules ?? []).filter(({ on }) => !on.includes('store'));
}

/** The effect of a rule, in the author's terms. */
function does({ actions, endLoop, move }: Rule): string {
  const moves = move?.do === 'retry' && move.endless ? 'call' : move?.do;
  return [
    ...actions.map((action) => action.do),
    ...(endLoop ? ['end_loop'] : []),
    ...(moves ? [moves] : []),
  ].join(', ');
}

function directiveOf(payload: CanonicalEvent['payload']): string {
  const { directive, delay_s, attempts, page, to, exhausted } = payload;
  if (delay_s !== undefined) {
    const what = page === undefined ? 'retry' : `page ${String(page)}`;
    const wait = Number(delay_s) > 0 ? `after ${String(delay_s)} s` : 'at once';
    const most = page === undefined ? 'attempts in total' : 'pages';
    return `${what} ${wait}${attempts === undefined ? '' : `, at most ${String(attempts)} ${most}`}`;
  }
  if (directive === 'jump') return `jump to ${String(to)}`;
  if (exhausted !== undefined && directive === 'fail')
    return `fail: ${String(exhausted)} attempts are exhausted`;
  return String(directive);
}

const DECIDE: Readonly<Record<string, Decide>> = {
  'playbook.started': (teller, event) => {
    const { start, source } = teller.plan;
    const file = source.file === undefined ? '' : ` (${source.file})`;
    teller.say(event, 'start', `playbook ${event.entity_id}${file} starts at step ${start}`);
  },
  'limit.queued': (teller, event) => teller.say(event, 'limit', limitText(event)),
  'limit.acquired': (teller, event) => {
    const { of, duration_ms } = event.payload;
    const waited = `after ${Number(duration_ms) / 1000} s`;
    const what = of === 'debounce' ? 'no newer execution came' : `acquired ${limitName(event)}`;
    teller.say(event, 'limit', `${what} ${waited}`);
  },
  'limit.skipped': (teller, event) => teller.say(event, 'limit', String(event.payload['message'])),
  'limit.refused': (teller, event) => teller.say(event, 'limit', String(event.payload['message'])),
  'playbook.paused': (teller, event) =>
    teller.say(event, 'control', `paused from outside${reason(event)}: no new task starts`),
  'playbook.resumed': (teller, event) => teller.say(event, 'control', 'resumed from outside'),
  'playbook.cancel.requested': (teller, event) =>
    teller.say(event, 'control', `cancellation requested${reason(event)}: running tasks are stopped`),
  'playbook.reset': (teller, event) =>
    teller.say(
      event,
      'control',
      `reset by an operator${reason(event)}: a new Temporal run continues from here`,
    ),
  'variables.set': (teller, event) =>
    teller.say(
      event,
      'control',
      `variables set from outside: ${Object.keys((event.payload['variables'] ?? {}) as object).join(', ')}`,
    ),
  'step.admitted': (teller, event, observed) => {
    const rules = teller.step(event)?.admit ?? [];
    const { allow, rule } = event.payload;
    const won = typeof rule === 'number' ? [rule] : [];
    const why = typeof rule === 'number' ? `admission rule ${rule + 1}` : 'no admission rule matched';
    teller.say(
      event,
      'admission',
      `step ${event.step_run_id}: ${why} → ${allow ? 'admitted' : 'denied, its token ends'}`,
      {
        considered: weigh(teller, rules, observed, won, (one, index) => ({
          what: `rule ${index + 1}${one.when === undefined ? ' (else)' : ''} → ${one.allow ? 'allow' : 'deny'}`,
        })),
        at: teller.place(event.payload['at']),
      },
    );
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
    teller.say(event, 'case', `step ${event.step_run_id ?? event.entity_id}: ${text}`, {
      considered: weigh(teller, rules, observed, won, (one, index) => ({
        what: `rule ${index + 1} → ${does(one)}`,
      })),
    });
  },
  'next.evaluated': (teller, event, observed) => {
    const arcs = teller.step(event)?.router?.arcs ?? [];
    const verdicts = event.payload['arcs'] as { verdict: string }[];
    const won = verdicts.flatMap(({ verdict }, index) => (verdict === 'fires' ? [index] : []));
    const to = won.map((index) => arcs[index]?.step ?? 'the end');
    const fires = to.length === 0 ? 'no arc fires' : `→ ${to.join(', ')}`;
    teller.say(
      event,
      'route',
      `after ${event.step_run_id}: ${fires} (${String(event.payload['mode'])} router)`,
      {
        considered: weigh(teller, arcs, observed, won, (arc, index) => ({
          what: `arc ${index + 1} → ${arc.step ?? 'the end'}`,
          verdict:
            verdicts[index]?.verdict === 'fires' && !arc.when
              ? 'fires: it has no guard'
              : verdicts[index]?.verdict,
        })),
      },
    );
  },
  'token.merged': (teller, event) => {
    const { summary, details } = teller.join(event);
    teller.say(event, 'join', summary, { details });
  },
  'loop.done': (teller, event) =>
    teller.say(event, 'loop', `loop ${event.step_run_id} ended`, { details: teller.loopSummary(event) }),
  'step.note': (teller, event) =>
    teller.say(event, 'note', `step ${event.step_run_id}: ${String(event.payload['message'])}`, {
      at: teller.place(event.payload['at']),
    }),
  'step.failed': (teller, event) =>
    teller.say(event, 'failure', `step ${event.step_run_id} failed: ${errorText(event.payload['error'])}`, {
      details: teller.loopSummary(event),
      at: teller.place(
        isMapping(event.payload['error']) ? (event.payload['error']['at'] as Json) : undefined,
      ),
    }),
  'workflow.finished': (teller, event) => teller.say(event, 'end', ending(event)),
};

function limitName({ payload: { key, scope, limit } }: CanonicalEvent): string {
  const of = typeof limit === 'number' ? ` (limit ${limit})` : '';
  return `${key === '' ? `the limit of ${String(scope)}` : `the key ${JSON.stringify(key)}`}${of}`;
}

function limitText(event: CanonicalEvent): string {
  const { of, holders, ahead, until, per_s } = event.payload;
  if (of === 'debounce') return `queued: a newer execution would replace it until ${String(until)}`;
  if (of === 'rate')
    return `task ${event.task_run_id} starts at ${String(until)}, to keep ${limitName(event)} per ${String(per_s)} s`;
  const before = Number(ahead) > 0 ? `, and ${String(ahead)} wait before it` : '';
  return `queued: execution ${(holders as string[]).join(', ')} holds ${limitName(event)}${before}`;
}

function reason(event: CanonicalEvent): string {
  return event.payload['reason'] ? ` (${String(event.payload['reason'])})` : '';
}

/** Which step provided the execution's result, and why. */
function ending({ status, payload }: CanonicalEvent): string {
  if (status === 'error') return `the execution failed: ${errorText(payload['error'])}`;
  if (status === 'cancelled')
    return `the execution was cancelled${payload['reason'] ? `: ${String(payload['reason'])}` : ''}`;
  const of = payload['result_of'];
  if (typeof of !== 'string') return 'the execution completed; no step ended with a result';
  const why =
    of === 'end'
      ? 'step end ran'
      : 'there is no step named end, and among the finished leaf steps it comes last in the playbook';
  return `the execution completed with the result of step ${of}: ${why}`;
}
