/** Decisions of runs whose code was run: what another version of the code has to preserve is what it answers. */
import { type Outcome } from '../../language/plan';
import { canonicalText, type RecordedDecision, valueOf } from './decisions';

/** Calls of code, by what they answer instead of by the code: what another version of the code has to preserve. */
export function decidedByAnswers(
  decisions: readonly RecordedDecision[],
  outcomeOf: (taskRunId: string) => Outcome | undefined,
): RecordedDecision[] {
  return decisions.map((decision) => {
    if (decision.kind !== 'call') return decision;
    const value = valueOf(decision.value) as { kind?: string; config?: { code?: unknown } };
    if (value.kind !== 'python' || value.config?.code === undefined) return decision;
    const { code: _, ...config } = value.config;
    const outcome = outcomeOf(decision.key.replace(/^call /, '').replace(/ \(\d+\)$/, ''));
    const { status, result, error } = outcome ?? {};
    const answer = outcome && {
      status,
      result,
      ...(error && { error: { kind: error.kind, code: error.code } }),
    };
    return { ...decision, value: canonicalText({ ...value, config, answer }) };
  });
}
