import { type Report } from '../diagnostics/diagnostic';
import { closest } from '../diagnostics/suggest';
import { KINDS } from '../kinds';
import { asMap, type Entry, isNull, type MapNode, present, type ScalarNode } from '../yaml/node';
import { type OverridesDoc, type RetryKnobs, type TaskDoc } from './document';

/** What overrides are laid over: the tools of the step, by their kinds. */
export type Overridden = readonly Pick<TaskDoc, 'kind' | 'fields'>[];

/** The knobs of a repetition in every spelling, by the field they fill. */
const KNOBS = {
  max_attempts: 'attempts',
  attempts: 'attempts',
  initial_delay: 'delay',
  delay: 'delay',
  backoff_multiplier: 'multiplier',
  multiplier: 'multiplier',
  backoff: 'backoff',
  max_delay: 'maxDelay',
} as const;

export const KNOB_NAMES: ReadonlySet<string> = new Set(Object.keys(KNOBS));

/** Keys of `call` and `retry` under which overrides may stand; the others are overrides themselves. */
const NESTS: ReadonlySet<string> = new Set(['args', 'next_call', 'call', 'with']);

/** Spellings of one field: an override replaces the one that the tool is written with. */
const SAME: readonly (readonly string[])[] = [
  ['url', 'endpoint'],
  ['json', 'payload', 'data', 'body'],
  ['command', 'query', 'commands', 'script', 'statement'],
  ['timeout', 'timeout_seconds'],
  ['auth', 'credential'],
  ['cmds', 'cmd', 'command'],
];

/**
 * Knobs and overrides of `retry`, of an action or of a policy.
 *
 * @param besides keys of the mapping that have a meaning of their own
 */
export function readKnobs(
  map: MapNode,
  tools: Overridden,
  besides: ReadonlySet<string>,
  report: Report,
): RetryKnobs {
  const knobs: Partial<Record<keyof RetryKnobs, unknown>> = {};
  const others: Entry[] = [];
  for (const each of map.entries) {
    if (besides.has(each.key)) continue;
    const key = knobOf(each, tools, report);
    if (key === undefined) others.push(each);
    else if (present(map, each.key) === undefined) continue;
    else if (knobs[key] !== undefined) {
      report.add(
        'NT2006',
        each.at,
        `\`${each.key}\` is written twice here, in two spellings`,
        'keep one of the two',
      );
    } else if (key === 'backoff') knobs.backoff = backoffOf(each, report);
    else knobs[key] = each.value;
  }
  const overrides = readOverrides({ ...map, entries: others }, tools, report);
  const found = overrides.config.length + overrides.input.length > 0;
  return { ...(knobs as RetryKnobs), ...(found ? { overrides } : {}) };
}

function knobOf(each: Entry, tools: Overridden, report: Report): keyof RetryKnobs | undefined {
  if (KNOB_NAMES.has(each.key)) return KNOBS[each.key as keyof typeof KNOBS];
  if (NESTS.has(each.key) || tools.some((tool) => isField(each.key, tool))) return undefined;
  const meant = closest(each.key, KNOB_NAMES);
  if (meant === undefined) return undefined;
  report.add('NT2001', each.at, `\`${each.key}\` is no key of \`retry\``, `did you mean \`${meant}\`?`);
  return KNOBS[meant as keyof typeof KNOBS];
}

function backoffOf({ value }: Entry, report: Report): RetryKnobs['backoff'] {
  const word = value.kind === 'scalar' ? value.value : undefined;
  if (word === 'none' || word === 'fixed') return 'none';
  if (word === 'linear' || word === 'exponential') return word;
  report.add('NT2004', value, '`backoff` is `none`, `fixed`, `linear` or `exponential`');
  return undefined;
}

/** What the next call changes: keys that are fields of a tool, and, for the others, its inputs. */
export function readOverrides(map: MapNode, tools: Overridden, report: Report): OverridesDoc {
  const config: Entry[] = [];
  const input: Entry[] = [];
  const add = (each: Entry): void => {
    const tool = tools.find((one) => isField(each.key, one));
    if (tool !== undefined) config.push({ ...each, key: spellingOf(each.key, tool) });
    else {
      checkName(each, tools, report);
      input.push(each);
    }
  };
  for (const each of map.entries) {
    const inner = asMap(each.value);
    if (NESTS.has(each.key) && inner !== undefined) inner.entries.forEach(add);
    else if (each.key === 'input' && inner !== undefined) input.push(...inner.entries);
    else add(each);
  }
  if (tools.length > 1 && config.length > 0) {
    report.add(
      'NT2023',
      config[0]!.at,
      `\`${config[0]!.key}\` is a field of one tool, but the step runs ${tools.length} of them again`,
      'read it from an input (`input: {page: 1}` of the step), and override that',
    );
  }
  return { config, input };
}

function isField(key: string, { kind, fields }: Overridden[number]): boolean {
  const known = Object.hasOwn(KINDS, kind) ? KINDS[kind]! : undefined;
  return (
    (known !== undefined && Object.hasOwn(known.fields, key)) || fields.some((field) => field.key === key)
  );
}

function spellingOf(key: string, { fields }: Overridden[number]): string {
  const same = SAME.find((group) => group.includes(key) && fields.some((field) => group.includes(field.key)));
  const written =
    fields.find((field) => field.key === key) ?? fields.find((field) => same?.includes(field.key));
  return written?.key ?? key;
}

function checkName(each: Entry, tools: Overridden, report: Report): void {
  const fields = tools.flatMap(({ kind }) => Object.keys(KINDS[kind]?.fields ?? {}));
  const meant = closest(each.key, fields);
  if (meant === undefined) return;
  report.add(
    'NT2052',
    each.at,
    `\`${each.key}\` is no field of the tool, so it becomes an input`,
    `did you mean \`${meant}\`?`,
  );
}

/** `retry: true`, or `retry: 5`: executions in all. */
export function countOf(node: ScalarNode, what: string, report: Report): RetryKnobs | undefined {
  if (node.value === true || isNull(node)) return {};
  if (node.value === false) return undefined;
  if (typeof node.value === 'number' && Number.isInteger(node.value) && node.value > 0)
    return { attempts: node };
  report.add(
    'NT2003',
    node,
    `${what} is a mapping, or a number of attempts`,
    'e.g. `{max_attempts: 3, initial_delay: 1}`',
  );
  return undefined;
}
