/** How `verify` judges edits of the example playbooks. */
import { compile } from '../../src/language/dsl';
import { type Plan } from '../../src/language/plan';
import { Coverage, decideAnew, type Recording, verdictOn } from '../../src/offline/proof';
import { type Mutant, mutantsOf, rewriteOf, seeded } from './mutants';
import { type RecordedExample, recordedExamples } from './recorded-examples';

export interface JudgedMutants {
  readonly touched: number;
  readonly flagged: number;
  readonly missed: readonly string[];
  /** How many were flagged as what. */
  readonly kinds: Readonly<Record<string, number>>;
}

/** Judges so many mutants, drawn by the seed from those that the recordings touch. */
export function judgeMutants(count: number, seed: number, examples = recordedExamples()): JudgedMutants {
  const random = seeded(seed);
  const shuffled = examples
    .flatMap((example) => touchedMutants(example))
    .map((one) => ({ ...one, key: random() }))
    .sort((a, b) => a.key - b.key);
  const drawn: { readonly example: RecordedExample; readonly mutant: Mutant; readonly plan: Plan }[] = [];
  for (const { example, mutant } of shuffled) {
    if (drawn.length >= count) break;
    const { plan } = compile(mutant.text());
    if (plan) drawn.push({ example, mutant, plan });
  }
  const kinds: Record<string, number> = {};
  const missed = drawn.flatMap(({ example, mutant, plan }) => {
    const verdicts = example.recordings.map((recording) => verdictOn(recording, plan));
    const flagged =
      verdicts.find(({ kind }) => DIFFERENT.has(kind)) ?? verdicts.find(({ kind }) => kind === 'timing');
    if (!flagged) return [`${example.name}: ${mutant.name}`];
    kinds[flagged.kind] = (kinds[flagged.kind] ?? 0) + 1;
    return [];
  });
  return { touched: drawn.length, flagged: drawn.length - missed.length, missed, kinds };
}

const DIFFERENT: ReadonlySet<string> = new Set(['decision', 'call', 'result']);

function touchedMutants(
  example: RecordedExample,
): { readonly example: RecordedExample; readonly mutant: Mutant }[] {
  const touched = example.recordings.map((recording) => touchedLines(recording, example.plan));
  return mutantsOf(example.text).flatMap((mutant) => {
    const isTouched = touched.some(({ guards, taken, steps }) =>
      mutant.needs === 'step'
        ? steps.has(mutant.step)
        : (mutant.needs === 'guard' ? guards : taken).includes(mutant.line),
    );
    return isTouched ? [{ example, mutant }] : [];
  });
}

interface Touched {
  readonly guards: readonly number[];
  readonly taken: readonly number[];
  readonly steps: ReadonlySet<string>;
}

/** Lines of the guards that a run evaluated, of the arcs and rules it took, and the steps it completed. */
function touchedLines(recording: Recording, plan: Plan): Touched {
  const coverage = new Coverage();
  const steps = new Set<string>();
  const guards: number[] = [];
  const taken: number[] = [];
  decideAnew(recording, plan, {
    events: () => (events) => {
      coverage.take(events);
      for (const { event_type, payload, step_run_id = '' } of events) {
        if (event_type === 'step.done') steps.add(step_run_id.split('#')[0]!);
        for (const one of [payload['arcs'], payload['rules']].flat()) {
          const { at, verdict, when } = (one ?? {}) as { at?: number[]; verdict?: string; when?: string };
          if (!at || verdict === undefined) continue;
          if (!verdict.startsWith('not evaluated') && when && when !== 'else') guards.push(at[0]!);
          if (verdict.startsWith('fires')) taken.push(at[0]!);
        }
        const { at } = payload as { at?: number[] };
        if (
          (event_type === 'task.directive' || event_type === 'task.retrying') &&
          at &&
          typeof payload['rule'] === 'number'
        )
          taken.push(at[0]!);
      }
    },
  });
  return { guards: [...guards, ...taken], taken, steps };
}

/** Judges so many rewrites; all recordings must be the same. */
export function judgeRewrites(
  count: number,
  seed: number,
  examples = recordedExamples(),
): { readonly count: number; readonly alarms: readonly string[] } {
  const alarms: string[] = [];
  let judged = 0;
  for (let n = 0; judged < count && n < 10 * count; n++) {
    const example = examples[n % examples.length]!;
    const { name, text } = rewriteOf(example.text, seed + n);
    const { plan } = compile(text);
    if (!plan || text === example.text) continue;
    judged++;
    for (const recording of example.recordings) {
      const { kind, finding } = verdictOn(recording, plan);
      if (kind !== 'same') alarms.push(`${example.name}: ${name}: ${kind}: ${finding?.cause ?? ''}`);
    }
  }
  return { count: judged, alarms };
}
