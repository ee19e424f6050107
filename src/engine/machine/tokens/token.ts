/** Tokens, forks and joins. */
import { deepMerge, isMapping, type JsonObject } from '../../../language/plan';
import { equals } from '../../../language/template/runtime';
import { type Context, measured, noteOnce, ofRun } from '../batch';
import { type BoundaryEvent, ownValue, type StepRun, stepRunId, type Token } from '../state';

export interface NextToken {
  readonly step: string;
  readonly args: JsonObject;
}

/** Creates the entry token. */
export function enterAt(context: Context, step: string): void {
  create(context, { step, args: {} }, [], null);
}

function isNamedAgain(next: readonly NextToken[], target: NextToken): boolean {
  return next.some((other) => other !== target && other.step === target.step);
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
    // Two arcs of one firing to one step: whoever writes that wants both.
    if (fork !== undefined && isNamedAgain(next, target)) created.alone = true;
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

/** A token stands before its step: it proceeds, or waits for its siblings. */
export function arrive(context: Context, token: Token): void {
  const { state } = context;
  state.joinsDirty = true;
  const round = token.forks.findIndex(({ fork }) => state.forks[fork]!.step === token.step);
  if (round >= 0) beginRound(context, token, round);
  if (token.forks.length === 0 || token.alone || context.step(token.step).joinEach) {
    context.enqueue({ op: 'admit', token: token.id });
  } else token.state = 'waiting';
}

/**
 * The token has come back to the step that made its fork number `depth`: it leaves that fork and those inside it, and
 * continues the cycle in the forks around it. What it leaves behind leaves those: it merges with others of its round,
 * and never with a later one.
 */
function beginRound(context: Context, token: Token, depth: number): void {
  const around = token.forks.slice(0, depth);
  const left = token.forks.slice(depth);
  const isBehind = (other: Token): boolean => other !== token && carries(other, left[0]!.fork);
  const behind = depth > 0 ? [...context.state.tokens.values()].filter(isBehind) : [];
  token.forks = around;
  for (const { fork } of left) leaveFork(context, fork, 1);
  for (const other of behind) other.forks = other.forks.filter((carried) => !carries(token, carried.fork));
  for (const { fork } of around) leaveFork(context, fork, behind.length);
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
  /** Its forks, each with the fork inside it that all its tokens carry; null when they differ or carry none. */
  readonly forks: Map<string, string | null>;
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

/** Of those that wait for each other, the one whose first token came first does not wait: they are in that order. */
function gather(context: Context): Gathering[] {
  const steps = new Map<string, { at: Set<Gathering>; byFork: Map<string, Gathering> }>();
  const positions = new Map<Token, number>();
  for (const token of context.state.tokens.values()) {
    if (token.state !== 'waiting') continue;
    positions.set(token, positions.size);
    const { at, byFork } = steps.get(token.step) ?? { at: new Set(), byFork: new Map<string, Gathering>() };
    steps.set(token.step, { at, byFork });
    const related = new Set(token.forks.flatMap(({ fork }) => byFork.get(fork) ?? []));
    // The largest set absorbs the others: a thousand branches at one step cost a thousand operations, not a million.
    const [into, ...others] = [...related].sort((a, b) => b.tokens.size - a.tokens.size);
    const gathering = into ?? {
      step: token.step,
      tokens: new Set(),
      forks: new Map<string, string | null>(),
    };
    gathering.tokens.add(token);
    const forks = token.forks.map(({ fork }, depth) => [fork, token.forks[depth + 1]?.fork ?? null] as const);
    for (const other of others) {
      at.delete(other);
      for (const one of other.tokens) gathering.tokens.add(one);
      for (const fork of other.forks) forks.push(fork);
    }
    for (const [fork, inner] of forks) {
      const common = gathering.forks.get(fork);
      gathering.forks.set(fork, common === undefined || common === inner ? inner : null);
      byFork.set(fork, gathering);
    }
    at.add(gathering);
  }
  const all = [...steps.values()].flatMap(({ at }) => [...at]);
  const first = new Map(
    all.map((one) => [
      one,
      [...one.tokens].reduce((least, token) => Math.min(least, positions.get(token)!), Infinity),
    ]),
  );
  return all.sort((a, b) => first.get(a)! - first.get(b)!);
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

/**
 * Whether a live sibling for which `test` holds can still arrive without passing this step or the forking step: that of
 * the innermost fork it shares with one of the tokens, since behind that step another round begins.
 */
function someSiblingOnTheWay(
  { context: { state, index }, members }: Joining,
  { step, tokens, forks }: Gathering,
  test: (sibling: Token) => boolean,
): boolean {
  for (const [fork, inner] of forks) {
    const forking = state.forks[fork];
    if (!forking) continue;
    const before = index.reach.sources(step, forking.step);
    const isSibling = (token: Token): boolean =>
      before.has(token.step) &&
      !tokens.has(token) &&
      state.tokens.has(token.id) &&
      carries(token, fork) &&
      (inner === null || !carries(token, inner));
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
    survivor.args = mergedArgs(context, merging);
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

function mergedArgs(context: Context, tokens: readonly Token[]): JsonObject {
  const lost = new Set<string>();
  const args = tokens
    .map((token) => token.args)
    .reduce((sum, next) => {
      for (const path of overwritten(sum, next)) lost.add(path);
      return deepMerge(sum, next) as JsonObject;
    });
  const { name, at } = context.step(tokens[0]!.step);
  if (lost.size > 0) {
    const runs = context.state.runCounts.get(name) ?? 0;
    const message = `branches merged before step ${name}, and the last one's value counts for ${[...lost].slice(0, 10).join(', ')}`;
    noteOnce(context, 'ARGS_OVERWRITTEN', message, at, {
      run: { step: name, id: stepRunId(name, runs + 1) },
      index: null,
    });
  }
  return measured(context, args, `the merged arguments for step ${name}`, at);
}

/** Paths at which merging replaces a value by another one. */
function overwritten(base: JsonObject, over: JsonObject, around = ''): string[] {
  return Object.keys(over).flatMap((key) => {
    const [before, after] = [ownValue(base, key), over[key]!];
    if (before === undefined || before === null) return [];
    if (isMapping(before) && isMapping(after)) {
      return overwritten(before as JsonObject, after as JsonObject, `${around}${key}.`);
    }
    return equals(before, after) ? [] : [around + key];
  });
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
