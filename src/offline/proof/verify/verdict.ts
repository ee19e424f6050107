/** Verifies one recorded execution against another version of its playbook. */
import { EngineError, type EngineEvent } from '../../../engine/machine';
import { type Plan } from '../../../language/plan';
import { Coverage, type Touches } from '../coverage';
import { compareWith, decideAnew } from '../decide-anew';
import { compareDecisions, type DecisionComparison } from '../decisions';
import { type Recording } from '../recording';
import { type VerifyFinding, findingOf, unansweredFinding } from './cause';
import { type VerdictKind } from './verdicts';

export interface Verdict {
  readonly kind: VerdictKind;
  readonly execution_id: string;
  /** The first difference, or why there is no verdict; absent if it is the same. */
  readonly finding?: VerifyFinding;
  /** What the new version touches. */
  readonly touches: Touches;
}

/**
 * @param old the version whose behavior is the reference; by default the recorded plan. For any other version, the
 *   reference is what it decides in the recorded world.
 * @param progress called with the number of further events re-executed
 */
export function verdictOn(
  recording: Recording,
  now: Plan,
  old: Plan = recording.plan,
  progress?: (events: number) => void,
): Verdict {
  const coverage = new Coverage();
  const { executionId: execution_id } = recording;
  const misfit = unfit(recording, now);
  if (misfit) return { ...misfit, execution_id, touches: {} };
  try {
    const judgement = judge(recording, { now, old }, (events) => {
      coverage.take(events);
      progress?.(events.length);
    });
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
  events: (events: readonly EngineEvent[]) => void,
): Pick<Verdict, 'kind' | 'finding'> {
  const anew = decideAnew(recording, now, { events });
  const isMeasure = old.digest === recording.plan.digest;
  const before = isMeasure ? undefined : decideAnew(recording, old);
  const comparison: DecisionComparison = before
    ? compareDecisions(before.decisions, anew.decisions, {
        startedAt: recording.startedAt,
        isCut: isCut(anew),
        isRecordedCut: isCut(before),
      })
    : compareWith(recording, anew);
  const [first] = comparison.differences;
  if (first) {
    const finding = findingOf(first, { recorded: isMeasure ? recording.plan : old, now });
    return { kind: finding.kind, finding };
  }
  const missing = anew.world.unanswered.find(({ why }) => why !== 'open' || recording.isOver);
  if (missing) return { kind: 'unanswerable', finding: unansweredFinding(missing, now) };
  return { kind: comparison.timing ? 'timing' : 'same' };
}

function isCut({ run, world }: ReturnType<typeof decideAnew>): boolean {
  return run.end === 'stuck' && world.unanswered.length > 0;
}
