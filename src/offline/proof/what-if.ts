/** What a recorded run would have done with another playbook, other inputs or other answers. */
import { compact, type Json, type Plan } from '../../language/plan';
import { type Anew, type AnewOptions, compareWith, decideAnew, beginningWith } from './decide-anew';
import { firstDifference, valueOf } from './decisions';
import { type Recording, type UnansweredCall } from './recording';
import {
  type VerifyFinding,
  findingOf,
  refusalBy,
  verdictFrom,
  type VerdictPlace,
  type VerdictKind,
  type VersionChange,
  whyUnanswered,
} from './verify';
import { placeOfDecision } from './verify/places';

/** A call that the recording does not answer. */
export interface OpenCall {
  readonly call: string;
  readonly step: string;
  readonly task: string;
  readonly kind: string;
  readonly why: UnansweredCall['why'];
  /** `why` in words. */
  readonly reason: string;
  /** Of a changed call: the first member that differs, and its values. */
  readonly path?: string;
  readonly recorded?: Json;
  readonly now?: Json;
  /** Members of the answer that were not recorded. */
  readonly parts?: readonly string[];
  readonly at?: VerdictPlace;
}

export interface WhatIf {
  readonly execution_id: string;
  readonly verdict: VerdictKind;
  /** How it ends: `waiting` if nothing more can be determined. */
  readonly status: 'completed' | 'failed' | 'cancelled' | 'waiting';
  readonly result: Json;
  readonly error: { readonly code: string; readonly message: string; readonly step?: string } | null;
  readonly steps: readonly string[];
  /** Simulated milliseconds. */
  readonly elapsed_ms: number;
  /** Decisions that differ, in order of occurrence. */
  readonly differences: readonly VerifyFinding[];
  /** What of the text changed that may be the reason for the first of them, if both texts are known. */
  readonly changes?: readonly VersionChange[];
  /** The first decision made at a different time, with milliseconds after the start. */
  readonly timing: { readonly what: string; readonly recorded_ms: number; readonly now_ms: number } | null;
  readonly unanswered: readonly OpenCall[];
  /** Calls answered by an identical call elsewhere in the recording. */
  readonly moved: readonly { readonly call: string; readonly from: string }[];
}

const STATUS = { complete: 'completed', fail: 'failed', cancelled: 'cancelled', stuck: 'waiting' } as const;

/** @throws EngineError as `decideAnew` */
export function whatIf(
  recording: Recording,
  plan: Plan,
  options: AnewOptions & { readonly byAnswers?: boolean } = {},
): { readonly result: WhatIf; readonly anew: Anew } {
  const anew = decideAnew(recording, plan, options);
  const { run, world } = anew;
  const comparison = compareWith(recording, anew, options.byAnswers);
  const { timing } = comparison;
  const plans = { recorded: recording.plan, now: plan };
  const { kind, finding } = verdictFrom(recording, anew, comparison, plans);
  const refusal = refusalBy({ ...recording, first: beginningWith(recording.first, options.payload) }, plan);
  const differences = [
    ...(refusal ? [refusal] : []),
    ...comparison.differences.map((one) => findingOf(one, plans)),
    ...(comparison.differences.length === 0 && finding?.kind === 'decision' ? [finding] : []),
  ];
  const unanswered = world.unanswered.map((one) => openCall(one, plan));
  const result: WhatIf = {
    execution_id: recording.executionId,
    verdict: refusal?.kind ?? kind,
    status: STATUS[run.end],
    result: run.result ?? null,
    error: run.error ? errorOf(run.error) : null,
    steps: run.state.executed,
    elapsed_ms: run.elapsed,
    differences,
    timing: timing ? { what: timing.key, recorded_ms: timing.was, now_ms: timing.is } : null,
    unanswered,
    moved: world.moved.map(({ call, from }) => ({ call: call.task_run_id, from })),
  };
  return { result, anew };
}

function errorOf({ code, message, step }: NonNullable<Anew['run']['error']>): WhatIf['error'] {
  return { code, message, ...compact({ step }) };
}

function openCall(one: UnansweredCall, plan: Plan): OpenCall {
  const { call, why, recorded, parts, request } = one;
  const { step, task, kind } = call;
  const different =
    why === 'changed' && recorded ? firstDifference(valueOf(recorded.request), valueOf(request)) : undefined;
  const about = { kind: 'call', key: '', value: '', at: 0, step, task } as const;
  const at = placeOfDecision(plan, about, different?.path);
  return {
    call: call.task_run_id,
    step,
    task,
    kind,
    why,
    reason: whyUnanswered(one),
    ...(different && { path: different.path, recorded: different.was ?? null, now: different.is ?? null }),
    ...compact({ parts, at }),
  };
}
