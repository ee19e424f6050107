/**
 * Rate limits by key: before its call a task waits for a slot that the key's keeper reserves. All tasks that become ready
 * in one batch are one request.
 */
import { excerpt, type LimitAnswer, MAX_RATE, type RateLimitPlan } from '../../../language/plan';
import { type Context, EngineError, ofTask } from '../batch';
import { type EnginePlace } from '../scope';
import { type Frame, type LiveState, retryTimerKey, type SlotRequest, taskRunOf } from '../state';
import { askKeeper, keeperId, LimitFields } from './limit-call';
import { timestamp } from './wait';

/** Distinct keys of an execution: each costs about as much as a sub-playbook. */
const MAX_RATE_KEYS = 1_000;
/** A slot that was not used in time (the execution was paused, no worker ran it) is given up, in milliseconds. */
const STALE_MS = 10_000;

/** Whether the frame may make its call now. */
export function takesSlot(state: LiveState, frame: Frame): boolean {
  const { slot } = frame;
  delete frame.slot;
  return slot !== undefined && state.now - slot <= STALE_MS;
}

/**
 * Defers the frame's task until it has a slot.
 *
 * @throws EngineError `LIMIT_KEY`, `LIMIT_KEYS`, `LIMIT_NUMBER`; TemplateError
 */
export function wantSlot(context: Context, frame: Frame, plan: RateLimitPlan, place: EnginePlace): void {
  const { state } = context;
  const fields = new LimitFields(context, place, 'rate_limit', plan.at);
  const limit = fields.count(plan.limit, 'limit');
  if (limit > MAX_RATE)
    throw new EngineError(
      'LIMIT_NUMBER',
      `limit of rate_limit must be at most ${MAX_RATE}, got ${limit}`,
      plan.at,
    );
  const burst = plan.burst === undefined ? limit : Math.min(limit, fields.count(plan.burst, 'burst'));
  const kept = { of: 'rate', scope: '', key: fields.key(plan.key) } as const;
  const per_ms = fields.milliseconds(plan.per, 'per');
  const slots = (state.slots ??= { count: 0, waiting: {}, requests: {}, keepers: {} });
  const keeper = keeperId(kept);
  if (!slots.keepers[keeper]) {
    if (Object.keys(slots.keepers).length >= MAX_RATE_KEYS)
      throw new EngineError(
        'LIMIT_KEYS',
        `key of rate_limit: ${excerpt(kept.key)} would be the ${MAX_RATE_KEYS + 1}st key of this execution, more than ${MAX_RATE_KEYS}: ` +
          'each key is kept by a workflow of its own. Use fewer keys, or give parts of the work to sub-playbooks',
        plan.at,
      );
    slots.keepers[keeper] = 1;
  }
  const request = (slots.waiting[keeper] ??= {
    kept,
    limit,
    per_ms,
    burst,
    frames: [],
  });
  request.frames.push(frame.id);
}

/** Requests the slots that tasks of this batch want. */
export function requestSlots(context: Context): void {
  const { slots } = context.state;
  if (!slots) return;
  for (const [keeper, request] of Object.entries(slots.waiting)) {
    const { kept, limit, per_ms, burst, frames } = request;
    delete slots.waiting[keeper];
    if (frames.length === 0) continue;
    const ref = `limit:rate#${++slots.count}`;
    slots.requests[ref] = request;
    const rate = { ref, count: frames.length, limit, per_ms, burst };
    askKeeper(context, ref, { keeper, kept, request: { rate } });
  }
}

/** Requests once more what was not answered: somebody may have terminated the keeper. */
export function wantAgain({ state: { slots, pending } }: Context): void {
  if (!slots) return;
  for (const [ref, request] of Object.entries(slots.requests)) {
    if (pending.has(ref)) continue;
    delete slots.requests[ref];
    const entry = (slots.waiting[keeperId(request.kept)] ??= {
      ...request,
      frames: [],
    });
    entry.frames.push(...request.frames);
  }
}

/** The keeper has reserved slots: each task starts at its time, as after a delay. */
export function slotsReserved(
  context: Context,
  { ref, slots, execution }: Extract<LimitAnswer, { type: 'slots' }>,
): void {
  const { state } = context;
  const requests = state.slots?.requests ?? {};
  const request = requests[ref];
  if (!request || execution !== state.executionId) return;
  delete requests[ref];
  const times = slots.flatMap(([at, count]) => Array.from({ length: count }, () => at));
  for (const [index, id] of request.frames.entries()) {
    const frame = state.frames.get(id);
    if (frame) startAt(context, frame, request, times[index] ?? state.now);
  }
}

function startAt(context: Context, frame: Frame, { kept, limit, per_ms }: SlotRequest, at: number): void {
  const { state } = context;
  frame.slot = at;
  if (at <= state.now) return context.enqueue({ op: 'task', frame: frame.id });
  frame.retryAt = at;
  const { name } = context.taskOf(frame);
  context.startTimer(retryTimerKey(taskRunOf(frame, name)), at, {
    type: 'retry',
    frame: frame.id,
  });
  const about = {
    of: kept.of,
    key: kept.key,
    limit,
    per_s: per_ms / 1000,
    until: timestamp(at),
  };
  context.emit?.('limit.queued', name, 'in_progress', about, ofTask(frame, frame.run));
}

/** Whether the frame waits for the answer to a request. */
export function waitsForSlot(state: LiveState, frame: string): boolean {
  return requestsOf(state).some(({ frames }) => frames.includes(frame));
}

/** The frame stops waiting for the answer to a request; false if it does not wait for one. */
export function dropSlot(state: LiveState, frame: string): boolean {
  const request = requestsOf(state).find(({ frames }) => frames.includes(frame));
  if (request) request.frames = request.frames.filter((one) => one !== frame);
  return request !== undefined;
}

function requestsOf({ slots }: LiveState): SlotRequest[] {
  return slots ? [...Object.values(slots.waiting), ...Object.values(slots.requests)] : [];
}
