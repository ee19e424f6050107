/** A pass over a history that collects what a rerun needs: when steps began, what depends on what, what succeeded. */
import { type EngineEvent, type LiveState, type Reused, reusedOf } from '../../engine/machine';
import { type Json, type JsonObject } from '../../language/plan';
import { type Watcher } from '../derivation';

/** A token was admitted to its step. */
export interface SurveyedVisit {
  readonly step: string;
  readonly stepRun: string;
  readonly token: string;
  readonly eventId: string;
}

type Descent =
  | { readonly type: 'created'; readonly token: string; readonly by: string | undefined }
  | { readonly type: 'merged'; readonly token: string; readonly from: readonly string[] }
  | { readonly type: 'claimed'; readonly token: string; readonly run: string };

export class Survey implements Watcher {
  /** In the order in which they took place. */
  readonly visits: SurveyedVisit[] = [];
  /** Of the last event. */
  lastEventId = '';
  private readonly descent: Descent[] = [];
  private readonly runsOf = new Map<string, number>();
  private readonly ended = new Map<string, Omit<Reused, 'patches'>>();
  private readonly patches = new Map<string, JsonObject[]>();

  event(event: EngineEvent, state: LiveState, { event_id }: { event_id: string }): void {
    const { step_run_id: run = '', entity_id: token, payload } = event;
    this.lastEventId = event_id;
    switch (event.event_type) {
      case 'token.created':
        this.descent.push({ type: 'created', token, by: event.parent_id });
        return;
      case 'token.merged':
        this.descent.push({ type: 'merged', token, from: payload['merged'] as string[] });
        return;
      case 'token.claimed': {
        const step = payload['step'] as string;
        this.descent.push({ type: 'claimed', token, run });
        this.visits.push({ step, stepRun: run, token, eventId: event_id });
        this.runsOf.set(step, (this.runsOf.get(step) ?? 0) + 1);
        return;
      }
      case 'ctx.patched': {
        const by = stepRunOf(event.parent_id ?? '');
        const patches = this.patches.get(by) ?? [];
        patches.push(patchOf(event, state));
        this.patches.set(by, patches);
        return;
      }
      case 'step.done': {
        const ended = state.runs.get(run);
        if (ended)
          this.ended.set(event.entity_id, reusedOf(state, ended, state.results.get(event.entity_id)!));
      }
    }
  }

  /**
   * Results of branches that do not come after this visit, by step. Only for steps that ran once: otherwise new runs
   * cannot be matched with old ones.
   *
   * @param isOpen whether the step had not ended at that visit and does the same as then
   */
  reusable(visit: SurveyedVisit, isOpen: (step: string) => boolean): Record<string, Reused> {
    const dependent = this.dependentOn(visit);
    const kept = [...this.ended].filter(
      ([step, { from }]) => this.runsOf.get(step) === 1 && !dependent.has(from.step_run_id) && isOpen(step),
    );
    return Object.fromEntries(
      kept.map(([step, ended]) => [
        step,
        { ...ended, patches: this.patches.get(ended.from.step_run_id) ?? [] },
      ]),
    );
  }

  /** The step runs that come after a visit, itself included. */
  private dependentOn({ stepRun }: SurveyedVisit): ReadonlySet<string> {
    const runs = new Set([stepRun]);
    const tokens = new Set<string>();
    for (const one of this.descent) {
      if (one.type === 'created' && one.by !== undefined && runs.has(one.by)) tokens.add(one.token);
      else if (one.type === 'merged' && one.from.some((token) => tokens.has(token))) tokens.add(one.token);
      else if (one.type === 'claimed' && tokens.has(one.token)) runs.add(one.run);
    }
    return runs;
  }
}

/** For a task run, `fetch#2[7].store~1@1`, and for the step run itself: `fetch#2`. */
function stepRunOf(id: string): string {
  return /^[^[.]*#\d+/.exec(id)?.[0] ?? id;
}

/** The value a write left in ctx; `collect` reports the addition, and the state has the total. */
function patchOf({ payload }: EngineEvent, { ctx }: LiveState): JsonObject {
  const collected = payload['collect'] as { readonly into: string } | undefined;
  if (!collected) return payload['patch'] as JsonObject;
  let value: Json | undefined = ctx;
  for (const key of collected.into.split('.')) value = (value as JsonObject | undefined)?.[key];
  return { [collected.into]: structuredClone(value ?? null) };
}
