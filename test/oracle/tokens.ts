/** Tokens, forks and joins (docs/design/tokens.md). */
import { type Dict, dict, readRouter, type Router, type Step } from './document';
import { type HitName } from './hits';
import { deepMerge } from './values';

interface Fork {
  readonly step: string;
}

interface Branch {
  readonly fork: Fork;
  /** Position of the arc in its router. */
  readonly index: number;
}

export interface Token {
  readonly step: string;
  readonly args: Dict;
  /** The outermost fork first. */
  forks: readonly Branch[];
  isWaiting: boolean;
}

/** Where a token goes from a step. */
export interface Target {
  readonly step: string;
  readonly args: Dict;
}

export class Net {
  private readonly live: Token[] = [];
  private readonly successors: ReadonlyMap<string, ReadonlySet<string>>;

  /** @param begin starts a run of the step that the token has reached */
  constructor(
    private readonly steps: ReadonlyMap<string, Step>,
    private readonly begin: (token: Token) => void,
    private readonly hit: (rule: HitName) => void,
  ) {
    this.successors = new Map([...steps].map(([name, step]) => [name, new Set(targetsOf(step))]));
  }

  /** A token of the execution's own begins. */
  enter(step: string): void {
    this.place({ step, args: {}, forks: [], isWaiting: true });
    this.settle();
  }

  /** The token has left its step: it goes to the targets, or ends. */
  leave(token: Token, targets: readonly Target[]): void {
    this.live.splice(this.live.indexOf(token), 1);
    const fork: Fork = { step: token.step };
    targets.forEach(({ step, args }, index) => {
      const forks = targets.length > 1 ? [...token.forks, { fork, index }] : token.forks;
      this.place({ step, args, forks, isWaiting: true });
    });
    this.settle();
  }

  /** A token that goes round leaves every fork around its cycle. */
  private place(token: Token): void {
    const goesRound = token.forks.some(({ fork }) => fork.step === token.step);
    if (goesRound && token.forks.length > 1) this.hit('rounds');
    if (this.steps.get(token.step)!.isNamedTwice) this.hit('namedTwice');
    this.live.push(goesRound ? { ...token, forks: [] } : token);
  }

  /** Lets every token run that waits for nobody, in the order in which they came. */
  private settle(): void {
    for (;;) {
      this.closeForks();
      const free = this.live.find((token) => token.isWaiting && this.isFree(token));
      if (!free) return;
      const siblings = this.joinsEach(free) ? [free] : this.waitingWith(free);
      if (siblings.length > 1) this.merge(siblings);
      else {
        if (this.outer(free)) this.hit('innermostFork');
        free.isWaiting = false;
        this.begin(free);
      }
    }
  }

  /** Whether somebody of an outer fork alone could still be met. */
  private outer(token: Token): boolean {
    const shared = ({ fork }: Branch): boolean =>
      this.live.some(
        (other) =>
          other !== token &&
          other.forks.some((branch) => branch.fork === fork) &&
          (other.step === token.step || this.canReach(other, token.step, fork.step)),
      );
    return token.forks.slice(0, -1).some(shared);
  }

  private joinsEach(token: Token): boolean {
    return this.steps.get(token.step)!.joinsEach;
  }

  /** A fork of which one branch is left is none. */
  private closeForks(): void {
    const branches = new Map<Fork, Set<number>>();
    for (const { fork, index } of this.live.flatMap(({ forks }) => forks)) {
      branches.set(fork, (branches.get(fork) ?? new Set()).add(index));
    }
    for (const token of this.live)
      token.forks = token.forks.filter(({ fork }) => branches.get(fork)!.size > 1);
  }

  private waitingWith(token: Token): Token[] {
    const fork = token.forks.at(-1)?.fork;
    if (!fork) return [token];
    const isSibling = (other: Token): boolean =>
      other.isWaiting && other.step === token.step && other.forks.at(-1)?.fork === fork;
    return this.live.filter(isSibling);
  }

  private merge(siblings: Token[]): void {
    const position = (token: Token): number => token.forks.at(-1)!.index;
    const inOrder = [...siblings].sort((a, b) => position(a) - position(b));
    const args = inOrder.reduce<Dict>((all, token) => dict(deepMerge(all, token.args)), {});
    const at = this.live.indexOf(siblings[0]!);
    this.live[at] = { ...inOrder[0]!, args };
    for (const gone of siblings.slice(1)) this.live.splice(this.live.indexOf(gone), 1);
  }

  /** Whether nobody is left for whom the token has to wait, but those that wait for it. */
  private isFree(token: Token): boolean {
    if (this.joinsEach(token)) return true;
    return this.awaited(token).every((other) => this.waitsFor(other, token, new Set()));
  }

  private waitsFor(from: Token, goal: Token, seen: Set<Token>): boolean {
    if (seen.has(from) || !from.isWaiting || this.joinsEach(from)) return false;
    seen.add(from);
    const awaited = this.awaited(from);
    return awaited.includes(goal) || awaited.some((other) => this.waitsFor(other, goal, seen));
  }

  /** Live siblings of the innermost fork that can still reach the token's step. */
  private awaited(token: Token): Token[] {
    const fork = token.forks.at(-1)?.fork;
    if (!fork) return [];
    const isSibling = (other: Token): boolean =>
      other !== token && other.forks.some((branch) => branch.fork === fork);
    const isWithIt = (other: Token): boolean =>
      other.isWaiting && other.step === token.step && other.forks.at(-1)!.fork === fork;
    return this.live.filter(
      (other) => isSibling(other) && !isWithIt(other) && this.canReach(other, token.step, fork.step),
    );
  }

  private canReach({ step, isWaiting }: Token, goal: string, forking: string): boolean {
    if (step === goal) return isWaiting;
    const seen = new Set([step]);
    const open = [step];
    for (let from = open.pop(); from !== undefined; from = open.pop()) {
      for (const to of this.successors.get(from) ?? []) {
        if (to === goal) return true;
        if (seen.has(to) || to === forking) continue;
        seen.add(to);
        open.push(to);
      }
    }
    return false;
  }
}

function targetsOf({ next, rules }: Step): string[] {
  const routers: Router[] = [next, ...rules.map(({ then }) => readRouter(then['next']))];
  return routers.flatMap(({ arcs }) => arcs.map(({ step }) => step));
}
