/** How `verify` judges edits, measured by what both versions really do. */
import fs from 'node:fs';
import path from 'node:path';
import { compile } from '../../src/language/dsl';
import { type Plan } from '../../src/language/plan';
import { decideAnew, type Recording, verdictOn } from '../../src/offline/proof';
import { CallRecorder } from '../../src/offline/proof/recording/recorder';
import { MockedWorld, readRehearsals, rehearsalOfRun, runRehearsal } from '../../src/offline/rehearsal';
import { simulatePlan } from '../../src/offline/drive';
import { areSame, deedsOf, guessedSituation, poolsOf, requestOf, runIn, type Situation } from './truth';
import { seeded, soundPlaybook, textOf } from './control-flow-faults';
import { editsOf, type PlaybookEdit } from './truth-edits';

export interface TruthTally {
  /** Edits that change what at least one recorded run does. */
  changing: number;
  flagged: number;
  /** Edits that change nothing that these runs do. */
  harmless: number;
  readonly silent: string[];
  readonly unanswerable: string[];
  readonly alarms: string[];
  /** Of harmless ones: not answerable. */
  readonly unproven: string[];
}

interface Subject {
  readonly name: string;
  readonly text: string;
  readonly plan: Plan;
  readonly situations: readonly Situation[];
}

const EXECUTION_ID = '123456789012345678';

/** Every playbook of a folder; its rehearsals, or guessed answers, are the situations. */
export function subjectsIn(folder: string): Subject[] {
  const files = (fs.readdirSync(folder, { recursive: true }) as string[]).filter(
    (name) => /\.ya?ml$/.test(name) && !/\.(rehearsal|faults)\./.test(name),
  );
  return files.sort().flatMap((name) => {
    const text = fs.readFileSync(path.join(folder, name), 'utf8');
    return subjectOf(name, text, path.join(folder, name.replace(/\.ya?ml$/, '.rehearsal.yaml')));
  });
}

/** Playbooks that nobody wrote. */
export function generatedSubjects(count: number, seed: number): Subject[] {
  const random = seeded(seed);
  return Array.from({ length: count }, (_, i) =>
    subjectOf(`generated ${i}`, textOf(soundPlaybook(random, 8))),
  ).flat();
}

const GUESSES = 3;

function subjectOf(name: string, text: string, rehearsals?: string): Subject[] {
  let plan: Plan | undefined;
  try {
    ({ plan } = compile(text, { file: name }));
  } catch {
    return [];
  }
  if (!plan) return [];
  const own =
    rehearsals && fs.existsSync(rehearsals) ? rehearsed(plan, name, fs.readFileSync(rehearsals, 'utf8')) : [];
  const guessed = Array.from({ length: own.length > 0 ? 1 : GUESSES }, (_, seed) =>
    guessedSituation(plan, seed),
  );
  return [{ name, text, plan, situations: [...own, ...guessed] }];
}

function rehearsed(plan: Plan, file: string, text: string): Situation[] {
  const guess = guessedSituation(plan, 1);
  const { rehearsed: read } = readRehearsals(text, { file, load: () => ({ file, plan }) });
  return (read?.rehearsals ?? []).map((rehearsal) => {
    const { payload, startAt, messages } = rehearsal;
    const options = { payload, startAt, messages };
    const known = new Map<string, ReturnType<Situation['answer']>>();
    const times = new Map<string, number>();
    const mocked = new MockedWorld(rehearsal);
    const world = {
      answer: (call: Parameters<Situation['answer']>[0], at: number) => {
        const given = mocked.answer(call, at);
        const key = requestOf(call);
        const count = times.get(key) ?? 0;
        times.set(key, count + 1);
        if (given) known.set(`${key} ${count}`, { outcome: given.outcome, after: given.after });
        return given;
      },
    };
    simulatePlan(plan, world, { ...options, maxBatches: 3_000, unanswered: 'open' });
    return {
      options,
      answer: (call, count) => known.get(`${requestOf(call)} ${count}`) ?? guess.answer(call, count),
    };
  });
}

/** Its run in this situation, as history would tell of it. */
function recordingOf(plan: Plan, situation: Situation): Recording | undefined {
  const recorder = new CallRecorder();
  const observer = { applying: recorder.applying.bind(recorder), applied: recorder.applied.bind(recorder) };
  const { run } = runIn(plan, situation, poolsOf(plan), { observer, isLean: true });
  return run.end === 'stuck' ? undefined : recorder.recording({ plan, executionId: EXECUTION_ID });
}

/** Whether the unchanged run, written as a rehearsal, passes; otherwise why not. */
export function rehearsalsOf({ name, plan, situations }: Subject): readonly string[] {
  return situations.flatMap((situation) => {
    const recording = recordingOf(plan, situation);
    if (!recording || recording.first.type !== 'started') return [];
    const { world, run } = decideAnew(recording, plan);
    const { startedAt: startAt, executionId, first } = recording;
    const text = rehearsalOfRun({
      playbook: name,
      name,
      run,
      payload: first.payload,
      startAt,
      executionId,
      answers: world.given.map(({ call, answer: { outcome, after } }) => ({ call, outcome, after })),
      messages: (recording.messages.get('') ?? []).map(({ mark, input }) => ({
        after: mark.at - startAt,
        input: JSON.parse(input),
      })),
    });
    const { rehearsed: read, diagnostics } = readRehearsals(text, {
      file: name,
      load: () => ({ file: name, plan }),
    });
    const [one] = read?.rehearsals ?? [];
    if (!one || !read) return [`${name}: ${JSON.stringify(diagnostics[0])}`];
    const { ok, problems } = runRehearsal(one, read);
    return [ok ? '' : `${name}: ${problems[0]?.part}: ${problems[0]?.details.join('; ')}`];
  });
}

export function emptyTruth(): TruthTally {
  return { changing: 0, flagged: 0, harmless: 0, silent: [], unanswerable: [], alarms: [], unproven: [] };
}

/** Judges at most so many edits of the playbook, drawn by the seed. */
export function judgeByTruth(tally: TruthTally, subject: Subject, most: number, seed: number): void {
  const { name, text, plan } = subject;
  const pools = poolsOf(plan);
  const runs = subject.situations.flatMap((situation) => {
    const recording = recordingOf(plan, situation);
    const deeds = deedsOf(plan, situation, pools);
    return recording && !deeds.refused ? [{ situation, recording, deeds }] : [];
  });
  if (runs.length === 0) return;
  const random = seeded(seed);
  const drawn = editsOf(text)
    .map((edit) => ({ edit, key: random() }))
    .sort((a, b) => a.key - b.key);
  let judged = 0;
  for (const { edit } of drawn) {
    if (judged >= most) return;
    const edited = applied(edit);
    const now = edited && edited.text !== text ? planOf(edited.text, name) : undefined;
    if (!edited || !now) continue;
    judged++;
    const changes = runs.map(
      ({ situation, deeds }) => !areSame(deeds, deedsOf(now, situation, pools), edited.isRenamed === true),
    );
    const kinds = runs.map(({ recording }) => verdictOn(recording, now));
    note(tally, `${name}: ${edited.kind}`, { changes, verdicts: kinds });
  }
}

function note(
  tally: TruthTally,
  what: string,
  { changes, verdicts }: { changes: readonly boolean[]; verdicts: readonly ReturnType<typeof verdictOn>[] },
): void {
  const isFlag = ({ kind }: ReturnType<typeof verdictOn>): boolean =>
    kind === 'decision' || kind === 'call' || kind === 'result';
  const said = (one: ReturnType<typeof verdictOn> | undefined): string =>
    `${what}: ${one?.kind}: ${one?.finding?.cause ?? ''}`;
  const alarm = verdicts.find((one, i) => isFlag(one) && !changes[i]);
  if (alarm) tally.alarms.push(said(alarm));
  if (changes.some(Boolean)) {
    tally.changing++;
    const own = verdicts.filter((_, i) => changes[i]);
    const open = own.find(({ kind }) => kind === 'unanswerable');
    if (own.some(isFlag)) tally.flagged++;
    else if (open) tally.unanswerable.push(said(open));
    else tally.silent.push(said(own[0]));
  } else {
    tally.harmless++;
    const open = verdicts.find(({ kind }) => kind === 'unanswerable');
    if (open) tally.unproven.push(said(open));
  }
}

function applied(edit: { apply(): PlaybookEdit }): PlaybookEdit | undefined {
  try {
    return edit.apply();
  } catch {
    return undefined;
  }
}

function planOf(text: string, file: string): Plan | undefined {
  try {
    return compile(text, { file }).plan;
  } catch {
    return undefined;
  }
}
