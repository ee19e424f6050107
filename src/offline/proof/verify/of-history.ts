/** Verifies an execution directly from its history, without keeping a recording while the version behaves the same. */
import { Derivation, type DerivationOptions, type Pages } from '../../../history';
import { type Plan } from '../../../language/plan';
import { readRecording } from '../recording';
import { Lockstep } from './lockstep';
import { type Verdict, verdictOn } from './verdict';

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
}

/**
 * @param pages reads the history from its start, again at each call
 * @throws as `readRecording`
 */
export async function verdictOf(
  pages: () => Pages,
  { now, old }: Versions,
  { read, anew, ...options }: ReadOptions,
): Promise<Verdict> {
  const same = await besideHistory(pages(), { now, old }, { ...options, read });
  if (same) return same;
  const recording = await readRecording(pages(), { ...options, ...(read && { progress: read }) });
  return verdictOn(recording, now, old, anew);
}

/** Undefined if the version behaves differently, or if that cannot be determined without the whole recording. */
async function besideHistory(
  pages: Pages,
  { now, old }: Versions,
  { read, ...options }: Omit<ReadOptions, 'anew'>,
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
