/** Tokens, forks and joins. */
import { deepMerge, type JsonObject } from '../../plan';
import { type Context, measured, ofRun } from '../batch';
import { type BoundaryEvent, type StepRun, type Token } from '../state';

export interface NextToken {
  readonly step: string;
  readonly args: JsonObject;
}

/** Creates the entry token. */
export function enterAt(context: Context, step: string): void {
  create(context, { step, args: {} }, [], null);
}

/**
 * Replaces a token with those its arcs created; more than one form a fork, which they carry.
 *
 * @param event the end of the step run, for steps whose admission rules read it
 */
export function forward(
  context: Context,
  token: Token,
  run: StepRun,
  next: readonly NextToken[],
  event: () => BoundaryEvent,
): void {
  const { state } = context;
  state.tokens.delete(token.id);
  const { forks } = token;
  for (const { fork } of forks) state.forks[fork]!.live += next.length - 1;
  let fork: string | undefined;
  if (next.length > 1) {
    fork = `f${++state.counters.fork}`;
    state.forks[fork] = { id: fork, step: run.step, live: next.length };
  }
  for (const [branch, target] of next.entries()) {
    const carried = fork === undefined ? forks : [...forks, { fork, branch }];
    const created = create(context, target, carried, run.id);
    if (token.anew) created.anew = true;
    if (context.step(target.step).admit) created.event = event();
    const about = { token: created.id, fork: fork ?? null };
    context.emit?.('next.enqueued', run.step, 'success', { ...target, ...about }, ofRun(run));
  }
}

function create(context: Context, target: NextToken, forks: Token['forks'], parent: string | null): Token {
  const { state } = context;
  const id = `t${++state.counters.token}`;
  const token: Token = { id, step: target.step, args: target.args, forks, state: 'queued', parent };
  state.tokens.set(id, token);
  tellOf(context, token);
  context.enqueue({ op: 'arrive', token: id });
  return token;
}

/**
 * A token stands before its step: it proceeds, or waits for its siblings. A token that returns to its forking step
 * leaves that fork: the next round of a cycle never merges with the previous one.
 */
export function arrive(context: Context, token: Token): void {
  const { state } = context;
  state.joinsDirty = true;
  if (token.forks.length > 0) {
    const left = token.forks.filter(({ fork }) => state.forks[fork]!.step === token.step);
    if (left.length > 0) token.forks = token.forks.filter((carried) => !left.includes(carried));
    for (const { fork } of left) leaveFork(context, fork, 1);
  }
  if (token.forks.length === 0 || context.step(token.step).joinEach) {
    context.enqueue({ op: 'admit', token: token.id });
  } else token.state = 'waiting';
}

/** A token stands at its step. */
export function tellOf({ emit }: Context, { id, step, args, parent }: Token): void {
  emit?.('token.created', id, 'in_progress', { step, args }, { parent_id: parent ?? undefined });
  emit?.('token.enqueued', id, 'in_progress', { step }, { parent_id: parent ?? undefined });
}

/** Ends a token; a fork with one token left is closed. */
export function endToken(context: Context, token: Token, reason: string): void {
  context.state.tokens.delete(token.id);
  context.state.joinsDirty = true;
  context.emit?.('token.ended', token.id, 'success', { step: token.step, reason });
  for (const { fork } of token.forks) leaveFork(context, fork, 1);
}

function leaveFork(context: Context, id: string, count: number): void {
  const { state } = context;
  const fork = state.forks[id];
  if (!fork) return;
  fork.live -= count;
  if (fork.live > 1) return;
  delete state.forks[id];
  if (fork.live < 1) return;
  for (const token of state.tokens.values()) {
    if (!carries(token, id)) continue;
    token.forks = token.forks.filter((carried) => carried.fork !== id);
    return;
  }
}

/** Sibling tokens that wait at one step: each shares a fork with another of them. */
interface Gathering {
  readonly step: string;
  readonly tokens: Set<Token>;
  readonly forks: Set<string>;
}

/** What a search for siblings reads, gathered once for all joins of a batch. */
interface Joining {
  readonly context: Context;
  readonly gatherings: readonly Gathering[];
  /** The tokens of each fork; those that a merge has ended or taken out of it meanwhile are passed over. */
  readonly members: ReadonlyMap<string, readonly Token[]>;
}

/**
 * Releases every join that waits for no more tokens: its tokens merge, inputs deep-merged in arc order, and the step
 * runs once. Called when no other work is left, so that everything that arrived is seen.
 *
 * @throws EngineError `VALUE_TOO_LARGE` when the arguments of the branches are too large together
 */
export function resolveJoins(context: Context): void {
  context.state.joinsDirty = false;
  // Only tokens of a fork ever wait; most executions have none, so avoid listing all tokens.
  if (context.state.counters.fork === 0) return;
  const gatherings = gather(context);
  if (gatherings.length === 0) return;
  const joining = { context, gatherings, members: membersOf(context) };
  for (const gathering of gatherings) {
    const isAwaited = someSiblingOnTheWay(
      joining,
      gathering,
      (sibling) => !waitsFor(joining, sibling, gathering, new Set()),
    );
    if (!isAwaited) merge(context, gathering);
  }
}

/** Of one step, those whose last token arrived first come first. */
function gather(context: Context): Gathering[] {
  const steps = new Map<string, { at: Set<Gathering>; byFork: Map<string, Gathering> }>();
  for (const token of context.state.tokens.values()) {
    if (token.state !== 'waiting') continue;
    const { at, byFork } = steps.get(token.step) ?? { at: new Set(), byFork: new Map<string, Gathering>() };
    steps.set(token.step, { at, byFork });
    const related = new Set(token.forks.flatMap(({ fork }) => byFork.get(fork) ?? []));
    // The largest set absorbs the others: a thousand branches at one step cost a thousand operations, not a million.
    const [into, ...others] = [...related].sort((a, b) => b.tokens.size - a.tokens.size);
    const gathering = into ?? { step: token.step, tokens: new Set(), forks: new Set() };
    gathering.tokens.add(token);
    const forks = token.forks.map(({ fork }) => fork);
    for (const other of others) {
      at.delete(other);
      for (const one of other.tokens) gathering.tokens.add(one);
      forks.push(...other.forks);
    }
    for (const fork of forks) {
      gathering.forks.add(fork);
      byFork.set(fork, gathering);
    }
    at.delete(gathering);
    at.add(gathering);
  }
  return [...steps.values()].flatMap(({ at }) => [...at]);
}

function membersOf({ state }: Context): Joining['members'] {
  const members = new Map<string, Token[]>();
  for (const token of state.tokens.values()) {
    for (const { fork } of token.forks) {
      const others = members.get(fork);
      if (others) others.push(token);
      else members.set(fork, [token]);
    }
  }
  return members;
}

/** Whether a live sibling for which `test` holds can still arrive without passing this step or the forking step. */
function someSiblingOnTheWay(
  { context: { state, index }, members }: Joining,
  { step, tokens, forks }: Gathering,
  test: (sibling: Token) => boolean,
): boolean {
  for (const fork of forks) {
    const forking = state.forks[fork];
    if (!forking) continue;
    const before = index.reach.sources(step, forking.step);
    const isSibling = (token: Token): boolean =>
      before.has(token.step) && !tokens.has(token) && state.tokens.has(token.id) && carries(token, fork);
    if (before.size > 0 && members.get(fork)!.some((token) => isSibling(token) && test(token))) return true;
  }
  return false;
}

/** Whether this token waits, directly or through others, for the target. The target then does not wait for it. */
function waitsFor(joining: Joining, token: Token, target: Gathering, seen: Set<Gathering>): boolean {
  if (token.state !== 'waiting') return false;
  const own = joining.gatherings.find((gathering) => gathering.tokens.has(token));
  if (!own || seen.has(own)) return false;
  seen.add(own);
  return someSiblingOnTheWay(
    joining,
    own,
    (sibling) => target.tokens.has(sibling) || waitsFor(joining, sibling, target, seen),
  );
}

function merge(context: Context, gathering: Gathering): void {
  const { state } = context;
  const merging = [...gathering.tokens].sort(inArcOrder);
  const [survivor, ...others] = merging as [Token, ...Token[]];
  survivor.state = 'queued';
  if (others.length > 0) {
    const merge = merging.map(({ args }) => args).reduce((sum, args) => deepMerge(sum, args) as JsonObject);
    const { name, at } = context.step(gathering.step);
    survivor.args = measured(context, merge, `the merged arguments for step ${name}`, at);
    const merged = merging.map((token) => token.id);
    context.emit?.('token.merged', survivor.id, 'success', { step: gathering.step, merged });
    const shared = survivor.forks.filter(({ fork }) => merging.every((token) => carries(token, fork)));
    const inner = survivor.forks.filter((carried) => !shared.includes(carried));
    survivor.forks = shared;
    for (const token of others) state.tokens.delete(token.id);
    for (const { fork } of [...inner, ...others.flatMap((token) => token.forks)]) leaveFork(context, fork, 1);
    if (others.some((token) => token.anew)) survivor.anew = true;
    state.joinsDirty = true;
  }
  context.enqueue({ op: 'admit', token: survivor.id });
}

function carries(token: Token, fork: string): boolean {
  return token.forks.some((carried) => carried.fork === fork);
}

/** By the branch taken where they diverged; within one branch, the older first. */
function inArcOrder(a: Token, b: Token): number {
  for (const [depth, { fork, branch }] of a.forks.entries()) {
    const other = b.forks[depth];
    if (other?.fork !== fork) break;
    if (other.branch !== branch) return branch - other.branch;
  }
  return Number(a.id.slice(1)) - Number(b.id.slice(1));
}
