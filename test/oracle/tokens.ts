/** Tokens, forks and joins (docs/design/tokens.md). */
import { Endless } from './clock';
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
  /** One firing has more than one arc to its step. */
  readonly isAlone: boolean;
}

/** Where a token goes from a step. */
export interface Target {
  readonly step: string;
  readonly args: Dict;
}

const MOST_TOKENS = 30;

export class Net {
  private readonly live: Token[] = [];
  private readonly successors: ReadonlyMap<string, ReadonlySet<string>>;

  /** @param begin starts a run of the step that the token has reached */
  constructor(
    private readonly steps: ReadonlyMap<string, Step>,
    private readonly begin: (token: Token) => void,
    private readonly around: { readonly hit: (rule: HitName) => void; readonly isHeld: () => boolean },
  ) {
    this.successors = new Map([...steps].map(([name, step]) => [name, new Set(targetsOf(step))]));
  }

  get isEmpty(): boolean {
    return this.live.length === 0;
  }

  /** A token of the execution's own begins. */
  enter(step: string): void {
    this.live.push({ step, args: {}, forks: [], isWaiting: true, isAlone: false });
    this.settle();
  }

  /** The token has left its step: it goes to the targets, or ends. */
  leave(token: Token, targets: readonly Target[]): void {
    this.live.splice(this.live.indexOf(token), 1);
    const fork: Fork = { step: token.step };
    const born = targets.map(({ step, args }, index): Token => {
      const forks = targets.length > 1 ? [...token.forks, { fork, index }] : token.forks;
      const isAlone = targets.filter((other) => other.step === step).length > 1;
      return { step, args, forks, isWaiting: true, isAlone };
    });
    this.live.push(...born);
    for (const each of born) this.goRound(each);
    this.settle();
  }

  /** A token that goes round leaves the fork of its cycle; what it leaves behind leaves those around it. */
  private goRound(token: Token): void {
    if (token.isAlone) this.around.hit('namedTwice');
    const depth = token.forks.findIndex(({ fork }) => fork.step === token.step);
    if (depth < 0) return;
    const around = token.forks.slice(0, depth);
    if (token.forks.length > 1) this.around.hit('rounds');
    const { fork } = token.forks[depth]!;
    token.forks = around;
    for (const other of this.live.filter(({ forks }) => forks.some((branch) => branch.fork === fork))) {
      other.forks = other.forks.filter((branch) => !around.some((outer) => outer.fork === branch.fork));
    }
  }

  /** Lets every token run that waits for nobody, in the order in which they came. */
  settle(): void {
    // A cycle that forks in every round.
    if (this.live.length > MOST_TOKENS) throw new Endless();
    while (!this.around.isHeld()) {
      this.closeForks();
      const free = this.live.find((token) => token.isWaiting && this.isFree(token));
      if (!free) return;
      const siblings = this.joinsEach(free) ? [free] : this.waitingWith(free);
      if (siblings.length > 1) this.merge(siblings);
      else {
        free.isWaiting = false;
        this.begin(free);
      }
    }
  }

  private joinsEach(token: Token): boolean {
    return token.isAlone || this.steps.get(token.step)!.joinsEach;
  }

  /** A fork of which one token is left is none. */
  private closeForks(): void {
    const carried = this.live.flatMap(({ forks }) => forks.map(({ fork }) => fork));
    const isOpen = ({ fork }: Branch): boolean => carried.filter((each) => each === fork).length > 1;
    for (const token of this.live) token.forks = token.forks.filter(isOpen);
  }

  /** Those that wait at the same step and share a fork with it, or with one of the others. */
  private waitingWith(token: Token): Token[] {
    const found = [token];
    for (const one of found) {
      const isNew = (other: Token): boolean =>
        !found.includes(other) &&
        other.isWaiting &&
        !other.isAlone &&
        other.step === token.step &&
        sharedFork(one, other) !== undefined;
      found.push(...this.live.filter(isNew));
    }
    return this.live.filter((one) => found.includes(one));
  }

  private merge(siblings: Token[]): void {
    const order = (a: Token, b: Token): number => {
      const depth = a.forks.findIndex(
        ({ fork, index }, i) => b.forks[i]?.fork !== fork || b.forks[i].index !== index,
      );
      const [one, other] = [a.forks[depth], b.forks[depth]];
      if (one?.fork === other?.fork && one && other) return one.index - other.index;
      return this.live.indexOf(a) - this.live.indexOf(b);
    };
    const inOrder = [...siblings].sort(order);
    const args = inOrder.reduce<Dict>((all, token) => dict(deepMerge(all, token.args)), {});
    const at = this.live.indexOf(siblings[0]!);
    const isShared = ({ fork }: Branch): boolean =>
      siblings.every(({ forks }) => forks.some((one) => one.fork === fork));
    this.live[at] = { ...inOrder[0]!, args, forks: inOrder[0]!.forks.filter(isShared) };
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
    const together = this.waitingWith(goal);
    return (
      awaited.some((other) => together.includes(other)) ||
      awaited.some((other) => this.waitsFor(other, goal, seen))
    );
  }

  /** Live siblings of those that wait together that can still reach their step, before another round begins. */
  private awaited(token: Token): Token[] {
    const together = this.waitingWith(token);
    return this.live.filter(
      (other) =>
        !together.includes(other) &&
        together.some((one) => {
          const fork = sharedFork(one, other);
          return fork !== undefined && this.canReach(other, token.step, fork.step);
        }),
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

/** The innermost fork that both carry. */
function sharedFork(a: Token, b: Token): Fork | undefined {
  return a.forks.findLast(({ fork }) => b.forks.some((branch) => branch.fork === fork))?.fork;
}

function targetsOf({ next, rules }: Step): string[] {
  const routers: Router[] = [next, ...rules.map(({ then }) => readRouter(then['next']))];
  return routers.flatMap(({ arcs }) => arcs.map(({ step }) => step));
}
