/**
 * `bench -- verify --oracle N`: N foreign playbooks, each in several situations; every edit of each is judged by what both versions
 * do when the engine runs them against tools that answer by what they are asked.
 */
import { compile } from '../../src/language/dsl';
import {
  failedOutcomeOf,
  type Json,
  okOutcome,
  type Outcome,
  type Plan,
  type TaskCall,
} from '../../src/language/plan';
import { type Recording, type Verdict, verdictOn } from '../../src/offline/proof';
import { CallRecorder } from '../../src/offline/proof/recording/recorder';
import {
  areSame,
  deedsOf,
  hashOf,
  poolsOf,
  requestOf,
  runIn,
  type Situation,
} from '../../test/support/truth';
import { type Foreign, foreignPlaybook, textOf } from './playbooks';

const SITUATIONS = 6;
const EXECUTION_ID = '123456789012345678';

/** Tools, and people, of one situation. @param playbook names the events that it waits for */
function situationOf(playbook: Foreign['playbook'], seed: number): Situation {
  const waits = (playbook['workflow'] as Foreign['playbook'][]).flatMap(({ tool }) =>
    tool?.kind === 'wait' ? [tool] : [],
  );
  const messages = waits.flatMap(({ event: name, form }, i) => {
    const draw = hashOf(`${seed} ${name}`);
    if (draw % 5 === 0) return [];
    const payload: Json = form
      ? draw % 5 === 1
        ? { rejected: true, reason: 'no' }
        : { amount: draw % 7, note: 'x' }
      : { n: draw % 9 };
    const event = { type: 'externalEvent', name, payload, ...(form && { answer: { by: 'me' } }) } as const;
    const later = { ...event, payload: form ? payload : { n: 5 + (draw % 4) } };
    return [
      { after: 40_000 * (i + 1), input: event },
      { after: 400_000 + 40_000 * i, input: later },
    ];
  });
  return {
    options: { messages, payload: seed % 3 === 2 ? { count: 1, items: [2] } : {} },
    answer: (call, times) => {
      const hash = hashOf(`${seed} ${requestOf(call)} ${times}`);
      const after = 20 + (hash % 2_500);
      return { outcome: outcomeOf(call, { hash, times, seed }), after };
    },
  };
}

function outcomeOf(
  call: TaskCall,
  { hash, times, seed }: { readonly hash: number; readonly times: number; readonly seed: number },
): Outcome {
  const isHttp = call.kind === 'http';
  if (call.claim) {
    const rows =
      times + (seed % 2) < 3
        ? [
            { id: hash % 100, email: `m${hash % 50}` },
            { id: hash % 90, email: 'z' },
          ]
        : [];
    return okOutcome({ rows, row_count: rows.length });
  }
  if (seed > 0 && hash % 6 === 0) {
    const error = {
      kind: 'server_error',
      code: 'HTTP_503',
      message: 'away',
      status: 503,
      status_code: 503,
    } as const;
    if (isHttp)
      return {
        ...failedOutcomeOf({ ...error, retryable: hash % 4 !== 0 }),
        http: { status: 503, headers: {} },
      };
    return failedOutcomeOf({ kind: 'exception', code: 'PY_ValueError', message: 'wrong', retryable: false });
  }
  const data = { n: hash % 10, more: hash % 3 !== 0, kept: hash % 2 === 0, id: `i${hash % 1000}` };
  if (isHttp) {
    const headers = { 'x-id': String(hash) };
    const result = { status_code: 200, headers, url: 'https://x', elapsed_ms: hash % 100, data };
    return { ...okOutcome(result), http: { status: 200, headers } };
  }
  return okOutcome(call.kind === 'postgres' ? { rows: [data], row_count: 1 } : data);
}

function recordingOf(plan: Plan, situation: Situation): Recording | undefined {
  const recorder = new CallRecorder();
  const observer = { applying: recorder.applying.bind(recorder), applied: recorder.applied.bind(recorder) };
  const { run } = runIn(plan, situation, poolsOf(plan), { observer, isLean: true });
  return run.end === 'stuck' ? undefined : recorder.recording({ plan, executionId: EXECUTION_ID });
}

interface Tally {
  changing: number;
  flagged: number;
  harmless: number;
  runs: number;
  readonly said: Record<'silent' | 'unanswerable' | 'alarms' | 'unproven' | 'invalid', Map<string, string[]>>;
}

/** Prints what `verify` says of them. */
export function judgeForeign(count: number, seed: number): void {
  const sets = ['silent', 'unanswerable', 'alarms', 'unproven', 'invalid'] as const;
  const said = Object.fromEntries(sets.map((name) => [name, new Map()])) as Tally['said'];
  const tally: Tally = { changing: 0, flagged: 0, harmless: 0, runs: 0, said };
  for (let i = 0; i < count; i++) judgeOne(tally, foreignPlaybook(seed * 1_000 + i));
  const { changing, flagged, harmless, runs } = tally;
  const sum = (name: (typeof sets)[number]): number => [...said[name].values()].flat().length;
  console.log(
    `  foreign: ${flagged} of ${changing} changing edits flagged (${((100 * flagged) / changing).toFixed(1)} %), ${sum('silent')} silent, ` +
      `${sum('unanswerable')} not answerable; of ${runs} runs that an edit leaves as they were ${sum('alarms')} false alarms, ${sum('unproven')} not answerable; ${harmless} harmless edits, ${sum('invalid')} invalid`,
  );
  for (const name of sets)
    for (const [kind, list] of said[name])
      console.log(`    ${name}: ${list.length} × ${kind}, e.g. ${list[0]}`);
}

function note(map: Map<string, string[]>, kind: string, text: string): void {
  map.set(kind, [...(map.get(kind) ?? []), text]);
}

function judgeOne(tally: Tally, { name, playbook, edits }: Foreign): void {
  const compiled = compile(textOf(playbook), { file: name });
  const { plan } = compiled;
  if (!plan) return note(tally.said.invalid, 'itself', `${name}: ${JSON.stringify(compiled.diagnostics[0])}`);
  const pools = poolsOf(plan);
  const runs = Array.from({ length: SITUATIONS }, (_, i) => situationOf(playbook, i)).flatMap((situation) => {
    const recording = recordingOf(plan, situation);
    return recording ? [{ situation, recording, deeds: deedsOf(plan, situation, pools) }] : [];
  });
  for (const [kind, change] of edits) {
    const copy = structuredClone(playbook);
    try {
      change(copy);
    } catch {
      continue;
    }
    const now = compile(textOf(copy), { file: name }).plan;
    if (!now) {
      note(tally.said.invalid, kind, name);
      continue;
    }
    const judged = runs.map(({ situation, recording, deeds }, i) => ({
      where: `${name}, situation ${i}`,
      isChanged: !areSame(deeds, deedsOf(now, situation, pools), false),
      verdict: verdictOn(recording, now),
    }));
    for (const one of judged) if (!one.isChanged) noteSame(tally, kind, one);
    const changed = judged.filter(({ isChanged }) => isChanged);
    if (changed.length === 0) {
      tally.harmless++;
      continue;
    }
    tally.changing++;
    // Each run that changes is to be flagged.
    const missed = changed.find(({ verdict }) => !isFlag(verdict));
    if (!missed) tally.flagged++;
    else
      note(
        tally.said[missed.verdict.kind === 'unanswerable' ? 'unanswerable' : 'silent'],
        kind,
        textFor(missed),
      );
  }
}

interface Judged {
  readonly where: string;
  readonly verdict: Verdict;
}

function noteSame(tally: Tally, kind: string, one: Judged): void {
  tally.runs++;
  if (isFlag(one.verdict)) note(tally.said.alarms, kind, textFor(one));
  else if (one.verdict.kind === 'unanswerable') note(tally.said.unproven, kind, textFor(one));
}

function textFor({ where, verdict: { kind, finding } }: Judged): string {
  return `${where}: ${kind}: ${finding?.cause ?? ''}`;
}

function isFlag({ kind }: Verdict): boolean {
  return kind === 'decision' || kind === 'call' || kind === 'result';
}
