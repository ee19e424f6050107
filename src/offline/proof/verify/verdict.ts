/** Verifies one recorded execution against another version of its playbook. */
import { EngineError, type EngineEvent } from '../../../engine/machine';
import { type Plan, compact } from '../../../language/plan';
import { Coverage, type Touches } from '../coverage';
import { type Anew, type AnewOptions, compareWith, decideAnew, inAnswers } from '../decide-anew';
import { compareDecisions, type DecisionComparison, type RecordedDecision } from '../decisions';
import { type Recording, readRecording } from '../recording';
import { type VerifyFinding, findingOf, limitFinding, unansweredFinding } from './cause';
import { refusalBy } from './refusals';
import { type VerdictKind } from './verdicts';
import { Derivation, type DerivationOptions, type HistoryEvent, type Pages } from '../../../history';
import { type CallExecutor, executedAnswers } from '../execute';
import { Lockstep } from './lockstep';

export interface Verdict {
  readonly kind: VerdictKind;
  readonly execution_id: string;
  /** The first difference, or why there is no verdict; absent if it is the same. */
  readonly finding?: VerifyFinding;
  /** What the new version touches. */
  readonly touches: Touches;
}

/** How a verdict is reached. */
export interface Judging {
  /** Called with the number of further events re-executed. */
  readonly progress?: (events: number) => void;
  /** Answers of calls that were run: of the new version, and of the old one. */
  readonly executed?: { readonly now: AnewOptions; readonly old: AnewOptions };
}

/**
 * @param old the version whose behavior is the reference; by default the recorded plan. For any other version, the
 *   reference is what it decides in the recorded world.
 */
export function verdictOn(
  recording: Recording,
  now: Plan,
  old: Plan = recording.plan,
  { progress, executed }: Judging = {},
): Verdict {
  let coverage = new Coverage();
  const { executionId: execution_id } = recording;
  const misfit = unfit(recording, now);
  if (misfit) return { ...misfit, execution_id, touches: {} };
  try {
    const events = () => {
      const own = (coverage = new Coverage());
      return (some: readonly EngineEvent[]): void => {
        own.take(some);
        progress?.(some.length);
      };
    };
    const judgement = judge(recording, { now, old }, events, executed);
    return { ...judgement, execution_id, touches: coverage.touches };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const cause = `this release cannot run it: ${error.message}`;
    return { ...unanswerable(cause), execution_id, touches: coverage.touches };
  }
}

function unanswerable(cause: string): Pick<Verdict, 'kind' | 'finding'> {
  return { kind: 'unanswerable', finding: { kind: 'unanswerable', cause, what: 'execution', path: '' } };
}

/** A recording that begins with a state, of a rerun or a continuation, needs the steps that the state is in. */
function unfit({ state }: Recording, { steps }: Plan): Pick<Verdict, 'kind' | 'finding'> | undefined {
  const names = new Set(steps.map(({ name }) => name));
  const tokens = Object.values(state?.tokens ?? {});
  const lost = tokens.find(({ step }) => !names.has(step));
  return (
    lost && unanswerable(`the recording begins in step ${lost.step}, which the new version does not have`)
  );
}

function judge(
  recording: Recording,
  { now, old }: { readonly now: Plan; readonly old: Plan },
  events: NonNullable<AnewOptions['events']>,
  executed?: Judging['executed'],
): Pick<Verdict, 'kind' | 'finding'> {
  const refusal = refusalBy(recording, now, old);
  if (refusal) return { kind: refusal.kind, finding: refusal };
  const anew = decideAnew(recording, now, { ...executed?.now, events });
  const isMeasure = old.digest === recording.plan.digest;
  const before = isMeasure ? undefined : decideAnew(recording, old, executed?.old);
  const decided = (one: Anew): readonly RecordedDecision[] => (executed ? inAnswers(one) : one.decisions);
  const comparison: DecisionComparison = before
    ? compareDecisions(decided(before), decided(anew), {
        startedAt: recording.startedAt,
        isCut: isCut(anew),
        isRecordedCut: isCut(before),
      })
    : compareWith(recording, anew, executed !== undefined);
  return verdictFrom(recording, anew, comparison, { recorded: isMeasure ? recording.plan : old, now });
}

/** What follows from a comparison, and from what could not be compared. */
export function verdictFrom(
  { isOver }: Recording,
  { world: { unanswered } }: Anew,
  { differences: [first], timing }: DecisionComparison,
  plans: { readonly recorded: Plan; readonly now: Plan },
): Pick<Verdict, 'kind' | 'finding'> {
  const missing = unanswered.find(({ why }) => why !== 'open' || isOver);
  const isCertain = unanswered.every(({ why }) => CERTAIN.has(why));
  const finding = first
    ? findingOf(first, plans)
    : missing && (isCertain ? limitFinding(missing, plans.now) : unansweredFinding(missing, plans.now));
  return finding ? { kind: finding.kind, finding } : { kind: timing ? 'timing' : 'same' };
}

/** Reasons by which a call has no answer because its run differs: it would end otherwise, whatever it would answer. */
const CERTAIN: ReadonlySet<string> = new Set(['cancelled', 'too late']);

function isCut({ run, world }: ReturnType<typeof decideAnew>): boolean {
  return run.end === 'stuck' && world.unanswered.length > 0;
}

interface Versions {
  readonly now: Plan;
  /** As for `verdictOn`. */
  readonly old?: Plan;
}

interface ReadOptions extends Pick<DerivationOptions, 'converter' | 'workflowId'> {
  /** Called with the number of events read. */
  readonly read?: (events: number) => void;
  /** Called with the number of further events re-executed. */
  readonly anew?: (events: number) => void;
  /** Runs calls of code that the recording cannot answer. */
  readonly execute?: CallExecutor;
}

/**
 * @param pages reads the history from its start, again at each call
 * @throws as `readRecording`
 */
export async function verdictOf(
  pages: () => Pages,
  { now, old }: Versions,
  { read, anew, execute, ...options }: ReadOptions,
): Promise<Verdict> {
  const history = readTwice(pages);
  const same = await besideHistory(history(), { now, old }, { ...options, read });
  if (same) return same;
  const recording = await readRecording(history(), { ...options, ...(read && { progress: read }) });
  const executed = execute && {
    now: (await executedAnswers(recording, now, execute)).options,
    old: (await executedAnswers(recording, old ?? recording.plan, execute)).options,
  };
  return verdictOn(recording, now, old, compact({ progress: anew, executed }));
}

/** Undefined if the version behaves differently, or if that cannot be determined without the whole recording. */
async function besideHistory(
  pages: Pages,
  { now, old }: Versions,
  { read, ...options }: Omit<ReadOptions, 'anew' | 'execute'>,
): Promise<Verdict | undefined> {
  const lockstep = new Lockstep(now);
  let isMeasure = true;
  let executionId = '';
  let events = 0;
  const derivation = new Derivation({
    ...options,
    bodies: true,
    silent: true,
    watcher: {
      begins: (beginning) => {
        executionId ||= beginning.executionId;
        isMeasure &&= old === undefined || old.digest === beginning.plan.digest;
        lockstep.begins(beginning);
      },
      applying: (batch, chunk) => lockstep.applying(batch, chunk),
      applied: (batch, applied) => {
        lockstep.applied(batch, applied);
        read?.((events += applied.events.length));
      },
    },
  });
  for await (const page of pages) {
    await derivation.pass(page);
    if (!lockstep.isTogether || !isMeasure) return undefined;
  }
  const { touches } = lockstep;
  if (!touches || derivation.divergence) return undefined;
  return { kind: 'same', execution_id: executionId, touches };
}

/** Of a history that is read again: if it is one page, which most are, from memory. */
function readTwice(read: () => Pages): () => Pages {
  let kept: readonly (readonly HistoryEvent[])[] | undefined;
  return async function* () {
    if (kept) return yield* kept;
    const ahead: (readonly HistoryEvent[])[] = [];
    let isOne = true;
    for await (const page of read()) {
      ahead.push(page);
      if (ahead.length === 1) continue;
      isOne = false;
      yield ahead.shift()!;
    }
    if (isOne) kept = ahead;
    yield* ahead;
  };
}
