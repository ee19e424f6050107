/** Tokens, forks and joins (D13). */
import { deepMerge, type JsonObject } from '../plan';
import { type Context } from './context';
import { type StepRun, type Token } from './state';

export interface NextToken {
  readonly step: string;
  readonly args: JsonObject;
}

/** Makes the entry token. */
export function enterAt(context: Context, step: string): void {
  create(context, { step, args: {} }, [], null);
}

/** Replaces a token by those its arcs made; more than one is a fork, which they carry. */
export function forward(context: Context, token: Token, run: StepRun, next: readonly NextToken[]): void {
  const { state } = context;
  delete state.tokens[token.id];
  const { forks } = token;
  for (const { fork } of forks) state.forks[fork]!.live += next.length - 1;
  let fork: string | undefined;
  if (next.length > 1) {
    fork = `f${++state.counters.fork}`;
    state.forks[fork] = { id: fork, step: run.step, live: next.length };
  }
  next.forEach((target, branch) => {
    const carried = fork === undefined ? forks : [...forks, { fork, branch }];
    const created = create(context, target, carried, run.id);
    context.emit({
      event_type: 'next.enqueued',
      entity_type: 'next',
      entity_id: run.step,
      status: 'success',
      step_run_id: run.id,
      parent_id: run.id,
      payload: { step: target.step, token: created.id, args: target.args, fork: fork ?? null },
    });
  });
}

function create(context: Context, target: NextToken, forks: Token['forks'], parent: string | null): Token {
  const { state } = context;
  const id = `t${++state.counters.token}`;
  const token: Token = { id, step: target.step, args: target.args, forks, state: 'queued', parent };
  state.tokens[id] = token;
  for (const event_type of ['token.created', 'token.enqueued'] as const) {
    context.emit({
      event_type,
      entity_type: 'token',
      entity_id: id,
      status: 'in_progress',
      parent_id: parent ?? undefined,
      payload: event_type === 'token.created' ? { step: target.step, args: target.args } : { step: target.step },
    });
  }
  context.enqueue({ op: 'arrive', token: id });
  return token;
}

/** A token stands before its step: it goes on, or waits for its siblings. */
export function arrive(context: Context, token: Token): void {
  context.state.joinsDirty = true;
  if (token.forks.length === 0 || context.step(token.step).joinEach) {
    context.enqueue({ op: 'admit', token: token.id });
  } else token.state = 'waiting';
}

/** Ends a token; a fork with one token left is closed. */
export function endToken(context: Context, token: Token, reason: string): void {
  delete context.state.tokens[token.id];
  context.state.joinsDirty = true;
  context.emit({
    event_type: 'token.ended',
    entity_type: 'token',
    entity_id: token.id,
    status: 'success',
    payload: { step: token.step, reason },
  });
  for (const { fork } of token.forks) leaveFork(context, fork, 1);
}

function leaveFork(context: Context, id: string, count: number): void {
  const { state } = context;
  const fork = state.forks[id];
  if (!fork) return;
  fork.live -= count;
  if (fork.live > 1) return;
  delete state.forks[id];
  for (const token of Object.values(state.tokens)) {
    if (token.forks.some((carried) => carried.fork === id)) {
      token.forks = token.forks.filter((carried) => carried.fork !== id);
    }
  }
}

/** Tokens that wait at one step for the siblings of one fork. */
interface Gathering {
  readonly step: string;
  /** Innermost fork; null when it was closed while they waited. */
  readonly fork: string | null;
  readonly tokens: Token[];
}

/**
 * Lets every gathering go that waits for nobody: at most one token a branch merges, inputs deep-merged in arc order,
 * and the step runs once. Called when no other work is left, so that all that arrived is seen.
 */
export function resolveJoins(context: Context): void {
  const { state } = context;
  state.joinsDirty = false;
  const gatherings = gather(context);
  for (const gathering of gatherings) {
    if (gathering.fork !== null && blockers(context, gathering, gatherings).length > 0) continue;
    merge(context, gathering);
  }
}

function gather(context: Context): Gathering[] {
  const found = new Map<string, Gathering>();
  for (const token of Object.values(context.state.tokens)) {
    if (token.state !== 'waiting') continue;
    const fork = token.forks.at(-1)?.fork ?? null;
    const key = `${fork}\n${token.step}`;
    const gathering = found.get(key);
    if (gathering) gathering.tokens.push(token);
    else found.set(key, { step: token.step, fork, tokens: [token] });
  }
  return [...found.values()];
}

/** Live siblings that can still arrive, and do not themselves wait for this gathering. */
function blockers(context: Context, gathering: Gathering, all: readonly Gathering[]): Token[] {
  return siblingsOnTheWay(context, gathering).filter((sibling) => !waitsFor(context, sibling, gathering, all, new Set()));
}

function siblingsOnTheWay(context: Context, gathering: Gathering): Token[] {
  const { state, index } = context;
  const { fork, step, tokens } = gathering;
  if (fork === null) return [];
  const forking = state.forks[fork]!.step;
  return Object.values(state.tokens).filter(
    (token) =>
      !tokens.includes(token) &&
      token.forks.some((carried) => carried.fork === fork) &&
      // A deeper fork's token that waits at this very step arrives here when its own fork has merged.
      ((token.state !== 'running' && token.step === step) || index.reach.canReach(token.step, step, forking)),
  );
}

function waitsFor(
  context: Context,
  token: Token,
  target: Gathering,
  all: readonly Gathering[],
  seen: Set<Gathering>,
): boolean {
  if (token.state !== 'waiting') return false;
  const own = all.find((gathering) => gathering.tokens.includes(token));
  if (!own || seen.has(own)) return false;
  seen.add(own);
  return siblingsOnTheWay(context, own).some(
    (sibling) => target.tokens.includes(sibling) || waitsFor(context, sibling, target, all, seen),
  );
}

function merge(context: Context, gathering: Gathering): void {
  const { state } = context;
  const branches = new Map<number, Token>();
  for (const token of gathering.tokens) {
    // The fork was closed while these waited: each goes its own way.
    if (gathering.fork === null) {
      token.state = 'queued';
      context.enqueue({ op: 'arrive', token: token.id });
      continue;
    }
    const { branch } = token.forks.at(-1)!;
    if (!branches.has(branch)) branches.set(branch, token);
  }
  if (gathering.fork === null) return;
  const merging = [...branches.entries()].sort(([a], [b]) => a - b).map(([, token]) => token);
  const [survivor, ...others] = merging as [Token, ...Token[]];
  if (others.length > 0) {
    survivor.args = merging.reduce<JsonObject>((args, token) => deepMerge(args, token.args) as JsonObject, {});
    context.emit({
      event_type: 'token.merged',
      entity_type: 'token',
      entity_id: survivor.id,
      status: 'success',
      payload: { step: gathering.step, fork: gathering.fork, merged: merging.map((token) => token.id) },
    });
    for (const token of others) delete state.tokens[token.id];
    for (const { fork } of [...survivor.forks].reverse()) leaveFork(context, fork, others.length);
  }
  const closed = survivor.forks.at(-1)?.fork !== gathering.fork;
  survivor.state = 'queued';
  // A closed fork uncovers the one around it, whose siblings may have to be waited for as well.
  context.enqueue(closed ? { op: 'arrive', token: survivor.id } : { op: 'admit', token: survivor.id });
  state.joinsDirty = true;
}
