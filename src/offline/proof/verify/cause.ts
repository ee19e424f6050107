/** Describes why a run differs, without the details specific to one execution. */
import { excerpt, type Json, type Plan } from '../../../language/plan';
import { type RecordedDecision, type DecisionDifference, valueOf } from '../decisions';
import { type UnansweredCall } from '../recording';
import { type VerdictPlace, placeOfDecision } from './places';
import { type VerdictKind } from './verdicts';

/** A difference of one execution. */
export interface VerifyFinding {
  readonly kind: VerdictKind;
  /** The same for all executions that differ for the same reason. */
  readonly cause: string;
  /** The step run, task run or write: `call fetch#1.get~1@1`. */
  readonly what: string;
  /** The member that differs: `config.params.page`; '' for the whole. */
  readonly path: string;
  /** Absent: only the other one decided this. */
  readonly recorded?: Json;
  readonly now?: Json;
  /** In the recorded playbook, and in the new one. */
  readonly recorded_at?: VerdictPlace;
  readonly now_at?: VerdictPlace;
}

interface Plans {
  readonly recorded: Plan;
  readonly now: Plan;
}

export function findingOf(difference: DecisionDifference, plans: Plans): VerifyFinding {
  const { recorded, now, path, was, is } = difference;
  const { kind, key } = decisionOf(difference);
  const recordedAt = placeOfDecision(plans.recorded, recorded, path);
  const nowAt = placeOfDecision(plans.now, now, path);
  return {
    kind: kind === 'call' ? 'call' : kind === 'end' ? 'result' : 'decision',
    cause: causeOf(difference),
    what: key,
    path,
    ...(recorded && { recorded: was ?? null }),
    ...(now && { now: is ?? null }),
    ...(recordedAt && { recorded_at: recordedAt }),
    ...(nowAt && { now_at: nowAt }),
  };
}

function decisionOf({ recorded, now }: DecisionDifference): RecordedDecision {
  const decision = now ?? recorded;
  if (!decision) throw new TypeError('a difference without a decision');
  return decision;
}

function causeOf(difference: DecisionDifference): string {
  const { recorded, now } = difference;
  const { kind, key } = decisionOf(difference);
  const subject = withoutNumbers(key);
  const only = now ? 'only in the new version' : 'no longer there';
  if (kind === 'route')
    return `after ${subject.replace(/^route /, 'step ')}: to ${steps(now)} instead of ${steps(recorded)}`;
  if (!recorded || !now) return `${subject}: ${only}`;
  return (WORDS[kind] ?? otherwise)(subject, difference);
}

type Words = (subject: string, of: DecisionDifference) => string;

const otherwise: Words = (subject, { path }) => `${subject}${path && ` (${path})`} is different`;

const WORDS: Partial<Record<RecordedDecision['kind'], Words>> = {
  directive: (subject, { is, was }) =>
    `after ${subject.replace(/^directive /, 'task ')}: ${short(is)} instead of ${short(was)}`,
  end: (_subject, { path }) => `the execution ends with another ${path || 'result'}`,
  call: (subject, { path }) =>
    /^answer\b/.test(path)
      ? `${subject} answers otherwise (${path})`
      : `${subject} makes another request${path && ` (${path})`}`,
  step: (subject, { path, is, was }) => {
    if (path.startsWith('args')) return `${subject} begins with another argument ${path.slice(5)}`.trimEnd();
    const word = (value: Json | undefined): string => (value === 'skipped' ? 'skipped' : 'run');
    return `${subject} is ${word(is)} instead of ${word(was)}`;
  },
  event: (subject) => `${subject} is taken by another wait`,
  write: (subject, { path }) => `${subject}: another value${path && ` of ${path}`}`,
};

/** `fetch#2[7].get~1@3` → `fetch/get`. */
function withoutNumbers(key: string): string {
  return key
    .replace(/ \(\d+\)$/, '')
    .replace(/#\d+/g, '')
    .replace(/\[\d+(\.\.\d+)?\]/g, '')
    .replace(/~\d+@\d+/g, '')
    .replace(/(\S)\.(?=[^.\s]+$)/, (whole, before: string) => (key.includes('~') ? `${before}/` : whole));
}

function steps(decision: RecordedDecision | undefined): string {
  const value = decision && valueOf(decision.value);
  if (!Array.isArray(value) || value.length === 0) return 'nothing';
  return value.map((step) => step ?? 'the end').join(', ');
}

const MAX = 80;

function short(value: Json | undefined): string {
  const text = typeof value === 'string' ? value : excerpt(value, MAX);
  return text.length > MAX ? `${text.slice(0, MAX)}…` : text;
}

const WHY: Readonly<Record<UnansweredCall['why'], string>> = {
  new: 'the recording has no such call',
  changed: 'it differs from the recorded call',
  open: 'the recording ends before the call did',
  cancelled: 'the recorded run cancelled it before it ended',
  'too late': 'its time limit, which is another one now, decides',
  'not recorded': 'history omits parts of the answer that nothing read, and the new version reads',
};

/** Why a call has no answer, in words. */
export function whyUnanswered({ why, parts = [] }: UnansweredCall): string {
  return parts.length === 0 ? WHY[why] : `${WHY[why]}: ${parts.join(', ')}`;
}

export function unansweredFinding(one: UnansweredCall, plan: Plan): VerifyFinding {
  const { step, task, task_run_id: id } = one.call;
  const place = placeOfDecision(plan, { kind: 'call', key: '', value: '', at: 0, step, task });
  return {
    kind: 'unanswerable',
    cause: `call ${step}/${task}: ${whyUnanswered(one)}`,
    what: `call ${id}`,
    path: '',
    ...(place && { now_at: place }),
  };
}

/** A call that would end otherwise: the run no longer cancels it, or its time limit decides now, or no longer. */
export function limitFinding(one: UnansweredCall, plan: Plan): VerifyFinding {
  const cause = one.why === 'cancelled' ? 'the run no longer cancels it' : whyUnanswered(one);
  const { step, task } = one.call;
  return { ...unansweredFinding(one, plan), kind: 'decision', cause: `call ${step}/${task}: ${cause}` };
}
