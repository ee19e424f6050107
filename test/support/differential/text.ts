/** What both ways to write an abstract playbook have in common. */
import { type AbstractPlaybook, type AbstractStep } from './abstract';

/** A part of a playbook, as JSON. */
export type Text = Readonly<Record<string, unknown>>;

export const nameOf = (step: number, count: number): string => (step === count ? 'end' : `s${step}`);

export function playbook({ bestEffort }: AbstractPlaybook, steps: readonly Text[]): string {
  return JSON.stringify({
    apiVersion: 'noetl.io/v2',
    kind: 'Playbook',
    metadata: { name: 'drawn', path: 'test/drawn' },
    executor: { spec: { policy: { failure: { mode: bestEffort ? 'best_effort' : 'fail_fast' } } } },
    workload: { yes: true },
    workflow: [
      { step: 'start', tool: { kind: 'noop' }, next: { arcs: [{ step: 's0' }] } },
      ...steps,
      { step: 'end', tool: { kind: 'noop', args: { via: '{{ args.via | default(none) }}' } } },
    ],
  });
}

/** The guard that holds for the items that are picked. */
export function pickedItems({ loop, items }: AbstractStep): string {
  const numbers = items.flatMap(({ picked }, n) => (picked ? [n] : []));
  return loop ? `n in [${numbers.join(', ')}]` : `workload.yes == ${items[0]!.picked}`;
}

/** Where the rows of pages are gathered. */
export function collected({ into }: NonNullable<AbstractStep['collect']>, name: string): string {
  return into === 'iter' ? 'iter.rows' : `ctx.c_${name}`;
}
