import { type Report } from '../diagnostics/diagnostic';
import { specInputs } from '../fixes/spec-inputs';
import { inputsAs } from '../fixes/words';
import { asMap, entry, type MapEntry, type MapNode } from '../yaml/node';

/** Spellings of inputs, oldest first: later ones take precedence. */
const SPELLINGS = ['with', 'args', 'input'] as const;

const NAMES: ReadonlySet<string> = new Set(SPELLINGS);

/** Whether the entry contains inputs: `args` of a container may be a list. */
export function givesInputs({ key, value }: MapEntry): boolean {
  return NAMES.has(key) && value.kind === 'map';
}

/** The inputs of a tool, beside it or (older) in its spec. */
export function toolInputs(tool: MapNode, report: Report, also: readonly string[] = []): MapEntry[] {
  const own = inputsOf(tool, report, also);
  olderInputs(tool, report);
  const spec = asMap(entry(tool, 'spec')?.value);
  const given = spec?.entries.filter(givesInputs) ?? [];
  if (spec === undefined || given.length === 0) return own;
  for (const { key, at } of given)
    report.add('NT5012', at, `\`${key}\` is in the spec of the tool`, {
      hint: 'write `input` beside `spec`',
      ...specInputs,
    });
  const moved = inputsOf(spec, report).filter((each) => {
    const twice = own.find(({ key }) => key === each.key);
    if (twice !== undefined)
      report.add('NT2006', each.at, `the input \`${each.key}\` is set twice`, 'keep the one beside `spec`');
    return twice === undefined;
  });
  return [...moved, ...own];
}

/** Names the inputs of a step or tool that have an older key. */
export function olderInputs(map: MapNode, report: Report): void {
  const hint = 'join it with the entries of `input`';
  for (const each of map.entries)
    if (each.key !== 'input' && givesInputs(each))
      report.older(each.at, { hint, ...inputsAs('input', each.key) });
}

/** The inputs of a step, tool or arc in every spelling (`input`, `args`, `with`, and what `also` adds). */
export function inputsOf(map: MapNode, report: Report, also: readonly string[] = []): MapEntry[] {
  const inputs = new Map<string, MapEntry>();
  for (const key of [...SPELLINGS, ...also]) {
    for (const each of asMap(entry(map, key)?.value)?.entries ?? []) {
      if (inputs.has(each.key)) {
        const other = SPELLINGS.filter((spelling) =>
          asMap(entry(map, spelling)?.value)?.entries.some((e) => e.key === each.key),
        );
        report.add(
          'NT2006',
          each.at,
          `the input \`${each.key}\` is set twice, by ${other.map((o) => `\`${o}\``).join(' and ')}`,
          'keep one of the two',
        );
      }
      inputs.set(each.key, each);
    }
  }
  return [...inputs.values()];
}
