/** Reads the decisions of a run from the events and commands of its machine. */
import { type Applied, type Command, type EngineEvent, type EventType } from '../../../engine/machine';
import {
  isMapping,
  type Json,
  type JsonObject,
  KEYCHAIN_KIND,
  type SourcePosition,
} from '../../../language/plan';
import { callText, canonicalText, valueOf } from './canonical';
import { type RecordedDecision, type RecordedDecisionKind } from './compare';

type CallCommand = Extract<Command, { type: 'runTask' | 'runPlaybook' }>;

function isCall(command: Command): command is CallCommand {
  return command.type === 'runTask' || command.type === 'runPlaybook';
}

export class Decider {
  decisions: RecordedDecision[] = [];
  /** How often each key occurred. */
  private readonly counts = new Map<string, number>();
  /** Tasks answered by a tool or sub-playbook: their outcome is not a decision. */
  private readonly requestIds = new Set<string>();
  /** Of tasks that wait for an event, the position of their call among the decisions. */
  private readonly waits = new Map<string, number>();
  private readonly routes = new Map<string, SourcePosition>();
  private calls = new Map<string, CallCommand>();
  private at = 0;

  /** @param isWhole whether decisions are retained for comparison by key; otherwise they are consumed after each batch */
  constructor(private readonly isWhole = true) {}

  /** State kept between batches. */
  get held(): number {
    return this.decisions.length + this.counts.size + this.requestIds.size + this.routes.size;
  }

  drain(): readonly RecordedDecision[] {
    const { decisions } = this;
    this.decisions = [];
    return decisions;
  }

  /** @param at milliseconds since the epoch */
  take(at: number, { commands, events }: Applied): void {
    this.at = at;
    this.calls = new Map();
    for (const command of commands) if (isCall(command)) this.calls.set(command.call.task_run_id, command);
    // No event tells of it.
    const check = this.calls.get(KEYCHAIN_KIND);
    if (check) this.add('call', KEYCHAIN_KIND, undefined, { value: callText(check.call) });
    for (const event of events) READ[event.event_type]?.(this, event);
  }

  add(kind: RecordedDecisionKind, id: string, value: unknown, of: Partial<RecordedDecision> = {}): void {
    const name = id ? `${kind} ${id}` : kind;
    const key = this.isWhole ? this.numbered(name) : name;
    this.decisions.push({ kind, key, value: canonicalText(value), at: this.at, ...of });
  }

  private numbered(name: string): string {
    const count = (this.counts.get(name) ?? 0) + 1;
    this.counts.set(name, count);
    return count === 1 ? name : `${name} (${count})`;
  }

  call(event: EngineEvent): void {
    const id = event.task_run_id ?? '';
    const command = this.calls.get(id);
    const about = { ...placeOf(event), task: event.entity_id };
    if (command) {
      this.requestIds.add(id);
      const sent = canonicalText(command.type === 'runTask' ? command.pool : undefined);
      this.add('call', id, undefined, { ...about, value: callText(command.call), sent });
      return;
    }
    const { kind, input, wait } = event.payload;
    const awaited = isMapping(wait) ? wait['event'] : undefined;
    if (awaited !== undefined) this.waits.set(id, this.decisions.length);
    this.add('call', id, { kind, input, event: awaited }, about);
  }

  outcome(event: EngineEvent): void {
    const id = event.task_run_id ?? '';
    if (this.requestIds.delete(id)) return;
    this.waited(id);
    const { outcome } = event.payload;
    const error = isMapping(outcome) ? outcome['error'] : null;
    const value = isMapping(error) ? errorOf(error) : 'ok';
    this.add('outcome', id, value, { ...placeOf(event), task: event.entity_id });
  }

  /** For what it waited is a decision until it is over: which event it took is one by itself. */
  private waited(id: string): void {
    const at = this.isWhole ? this.waits.get(id) : undefined;
    const wait = at === undefined ? undefined : this.decisions[at];
    if (!wait) return;
    const { event: _, ...value } = valueOf(wait.value) as JsonObject;
    this.decisions[at!] = { ...wait, value: canonicalText(value) };
  }

  routed(event: EngineEvent): void {
    const { arcs } = event.payload;
    const fired = Array.isArray(arcs)
      ? arcs.find((arc) => isMapping(arc) && String(arc['verdict']).startsWith('fires'))
      : undefined;
    const at = isMapping(fired) ? positionOf(fired['at']) : undefined;
    if (at && this.isWhole) this.routes.set(event.step_run_id ?? '', at);
  }

  placeOfRoute({ step_run_id = '' }: EngineEvent): Partial<RecordedDecision> {
    const place = this.routes.get(step_run_id);
    return place ? { place } : {};
  }
}

/** `continue` at the end of a pipeline is the same as `break`: what follows shows which. */
const SAME: Readonly<Record<string, string>> = { break: 'continue', next: 'continue', skip: 'continue' };

const directive = (decider: Decider, event: EngineEvent): void => {
  const { directive: act, to, of } = event.payload;
  const word = event.event_type === 'task.retrying' ? 'retry' : String(act);
  const id = `${event.task_run_id ?? ''}${of === 'step' ? ' of the step' : ''}`;
  const at = positionOf(event.payload['at']);
  const about = { ...placeOf(event), task: event.entity_id, ...(at && { place: at }) };
  decider.add('directive', id, { do: SAME[word] ?? word, to }, about);
};

const READ: Partial<Record<EventType, (decider: Decider, event: EngineEvent) => void>> = {
  'step.scheduled': (decider, event) =>
    decider.add('step', stepRunOf(event), { args: event.payload['args'] }, placeOf(event)),
  'step.skipped': (decider, event) => decider.add('step', stepRunOf(event), 'skipped', placeOf(event)),
  'step.failed': (decider, event) =>
    decider.add('failure', stepRunOf(event), errorOf(event.payload['error']), placeOf(event)),
  'step.log': (decider, event) =>
    decider.add('log', event.parent_id ?? '', event.payload['message'], placeOf(event)),
  'task.started': (decider, event) => decider.call(event),
  'task.done': (decider, event) => decider.outcome(event),
  'task.failed': (decider, event) => decider.outcome(event),
  'task.directive': directive,
  'task.retrying': directive,
  'next.evaluated': (decider, event) => decider.routed(event),
  'next.selected': (decider, event) =>
    // In which order the tokens of a fork begin is no decision by itself: what follows from it is.
    decider.add('route', stepRunOf(event), listOf(event.payload['steps']).sort(), {
      ...placeOf(event),
      ...decider.placeOfRoute(event),
    }),
  'next.enqueued': (decider, event) =>
    decider.add(
      'arguments',
      `${event.step_run_id} → ${String(event.payload['step'])}`,
      event.payload['args'],
      placeOf(event),
    ),
  'ctx.patched': (decider, event) => {
    const { patch, collect } = event.payload;
    const by = event.parent_id ?? 'a message';
    const about = { ...(event.parent_id ? placeIn(event.parent_id) : {}) };
    for (const [path, value] of Object.entries(isMapping(patch) ? patch : {}))
      decider.add('write', `ctx.${path} by ${by}`, value, about);
    if (isMapping(collect)) {
      const { into, mode, value } = collect;
      decider.add('write', `ctx.${String(into)} by ${by}`, { [String(mode)]: value }, about);
    }
  },
  'loop.started': (decider, event) =>
    decider.add('loop', idOf(event), { total: event.payload['total'] }, placeOf(event)),
  'loop.done': (decider, event) =>
    decider.add('loop', `${idOf(event)} ends`, event.payload['stats'], placeOf(event)),
  'external.received': (decider, { entity_id, payload }) =>
    decider.add('event', entity_id, { taken_by: payload['taken_by'], duplicate: payload['duplicate'] }),
  'workflow.finished': (decider, { status, payload }) => {
    const { result, error, reason } = payload;
    const at = isMapping(error) ? positionOf(error['at']) : undefined;
    const errorFields = isMapping(error) ? { ...errorOf(error), message: error['message'] } : undefined;
    decider.add('end', '', { status, result, error: errorFields, reason }, at && { place: at });
  },
};

function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? [...(value as Json[])] : [];
}

function stepRunOf({ step_run_id = '' }: EngineEvent): string {
  return step_run_id;
}

function idOf({ step_run_id = '', task_run_id }: EngineEvent): string {
  return task_run_id ?? step_run_id;
}

/** Identifies an error without its message, which may contain times. */
function errorOf(error: unknown): Record<string, Json> {
  if (!isMapping(error)) return {};
  const fields = ['kind', 'code', 'step', 'task', 'iteration', 'attempt'];
  return Object.fromEntries(
    fields.flatMap((name) => (error[name] === undefined ? [] : [[name, error[name] as Json]])),
  );
}

function placeOf({ step_run_id }: EngineEvent): Partial<RecordedDecision> {
  return step_run_id === undefined ? {} : placeIn(step_run_id);
}

/** @param id of a step run or task run */
function placeIn(id: string): Partial<RecordedDecision> {
  return { step: id.slice(0, id.indexOf('#')) };
}

function positionOf(at: unknown): SourcePosition | undefined {
  return isPosition(at) ? at : undefined;
}

function isPosition(at: unknown): at is SourcePosition {
  return Array.isArray(at) && typeof at[0] === 'number';
}
