/** Which steps run at the same time, in branches of one fork. */

/** A step that began, and the branches of forks that it is in. */
export type Admitted = readonly [
  step: string,
  forks: readonly { readonly fork: string; readonly branch: number }[],
];

/** Steps that ran in each branch of the forks that are still open: fork → branch → steps. */
type Branches = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

export class Concurrency<Node extends object> {
  /** Pairs of steps that ran in different branches of one fork, and where: `a\nb`. */
  readonly pairs = new Map<string, Node>();
  private readonly branches = new WeakMap<Node, Branches>();

  /** Adds the steps that began to the branches of their forks. */
  reached(node: Node, from: Node | undefined, admitted: readonly Admitted[]): void {
    const before = (from && this.branches.get(from)) ?? {};
    const after = Object.fromEntries(Object.entries(before).map(([fork, of]) => [fork, { ...of }]));
    for (const [step, forks] of admitted)
      for (const { fork, branch } of forks) {
        const all = (after[fork] ??= {});
        all[branch] = [...new Set([...(all[branch] ?? []), step])];
        for (const [other, steps] of Object.entries(all))
          for (const one of other === String(branch) ? [] : steps) {
            const pair = [step, one].sort().join('\n');
            if (!this.pairs.has(pair)) this.pairs.set(pair, node);
          }
      }
    if (!this.branches.has(node)) this.branches.set(node, after);
  }
}
