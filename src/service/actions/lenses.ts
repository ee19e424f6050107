/** What can be done with a playbook, a step or a rehearsal, above its line. */
import { type PlaybookFacts } from '../names/facts';
import { scalarText, type TextRange, valueAt } from '../text/node';

export interface Lens extends TextRange {
  readonly title: string;
  /** A command of the editor's extension: `noetl.run`, `noetl.rehearse`, `noetl.graph`; absent for a remark. */
  readonly command?: string;
  readonly argument?: string;
}

/** What is known of runs: by step, in a few words. */
export interface KnownRuns {
  /** `3 runs, last failed 2 h ago`. */
  readonly lastRuns?: string;
  /** How often the last run came to a step; absent are those that it did not come to. */
  readonly taken?: ReadonlyMap<string, number>;
}

export function lensesOf({ text, root, steps }: PlaybookFacts, { lastRuns, taken }: KnownRuns): Lens[] {
  const rehearsals = valueAt(root, 'rehearsals')?.items ?? [];
  if (rehearsals.length > 0)
    return rehearsals.map((item) => ({
      ...{
        title: 'Rehearse',
        command: 'noetl.rehearse',
        argument: scalarText(text, valueAt(item, 'name')) ?? '',
      },
      ...{ start: item.start, end: item.start },
    }));
  const [first] = root.entries;
  if (steps.length === 0 || first === undefined) return [];
  const at = { start: first.start, end: first.end };
  const commands = [
    ['Run', 'noetl.run'],
    ['Rehearse', 'noetl.rehearse'],
    ['Graph', 'noetl.graph'],
  ] as const;
  return [
    ...commands.map(([title, command]) => ({ ...at, title, command })),
    ...(lastRuns === undefined ? [] : [{ ...at, title: lastRuns, command: 'noetl.runs' }]),
    ...(taken ? steps : []).map(({ name, start, end }) => {
      const times = taken?.get(name) ?? 0;
      const often = times === 0 ? 'not reached' : times === 1 ? 'reached once' : `reached ${times} times`;
      return { start, end, title: `${often} in the last run` };
    }),
  ];
}
