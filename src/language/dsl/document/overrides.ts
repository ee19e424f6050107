import { type Report, SILENT } from '../diagnostics/diagnostic';
import { closest, didYouMean, oneOfText, suggestionOf } from '../diagnostics/suggest';
import { byHand, inputsAs, word } from '../fixes/words';
import { ALL_TOOL_FIELDS, KINDS } from '../kinds';
import { givesInputs, inputsOf } from '../vocabulary/inputs';
import {
  asMap,
  type MapEntry,
  isNull,
  type MapNode,
  presentValue,
  type ScalarNode,
  scalarsIn,
} from '../yaml/node';
import { type OverridesDoc, type RetryKnobs, type TaskDoc, type TaskPlace } from './document';

type Called = Pick<TaskDoc, 'kind' | 'fields'>;

/** What overrides apply to. */
export interface Overridden {
  /** The tools that are called again. */
  readonly tools: readonly Called[];
  /** Names of their inputs: their own, those of the step, and those passed by arcs. */
  readonly inputs: ReadonlySet<string>;
}

/** The tools, with all inputs available in their step. */
export function overridden(
  tools: readonly Pick<TaskDoc, 'kind' | 'fields' | 'inputs'>[],
  { step, arriving }: Pick<TaskPlace, 'step' | 'arriving'>,
): Overridden {
  const own = [...tools.flatMap(({ inputs }) => inputs), ...inputsOf(step, SILENT)].map(({ key }) => key);
  return { tools, inputs: new Set([...own, ...arriving]) };
}

/** Options of a repetition in every spelling, by field. */
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

const KNOB_NAMES: ReadonlySet<string> = new Set(Object.keys(KNOBS));

/** Keys of `call` and `retry` that contain overrides; other keys are overrides themselves. */
const NESTS: ReadonlySet<string> = new Set(['next_call', 'call']);

/** Spellings of a field: an override replaces the one used in the tool. */
const SAME: readonly (readonly string[])[] = [
  ['url', 'endpoint'],
  ['json', 'payload', 'data', 'body'],
  ['command', 'query', 'commands', 'script', 'statement'],
  ['timeout', 'timeout_seconds'],
  ['auth', 'credential'],
  ['cmds', 'cmd', 'command'],
];

/**
 * Options and overrides of `retry`, in an action or a policy.
 *
 * @param besides keys of the mapping with a meaning of their own
 */
export function readKnobs(
  map: MapNode,
  over: Overridden,
  besides: ReadonlySet<string>,
  report: Report,
): RetryKnobs {
  const knobs: Partial<Record<keyof RetryKnobs, unknown>> = {};
  const others: MapEntry[] = [];
  for (const each of map.entries) {
    if (besides.has(each.key)) continue;
    const key = knobOf(each, over, report);
    if (key === undefined) others.push(each);
    else if (presentValue(map, each.key) === undefined) continue;
    else if (knobs[key] !== undefined) {
      report.add(
        'NT2006',
        each.at,
        `\`${each.key}\` is set twice here, in two spellings`,
        'keep one of the two',
      );
    } else if (key === 'backoff') knobs.backoff = backoffOf(each, report);
    else knobs[key] = each.value;
  }
  const overrides = readOverrides({ ...map, entries: others }, over, report);
  const hasAny = overrides.config.length + overrides.input.length > 0;
  return { ...(knobs as RetryKnobs), ...(hasAny ? { overrides } : {}) };
}

function knobOf(each: MapEntry, { tools }: Overridden, report: Report): keyof RetryKnobs | undefined {
  if (KNOB_NAMES.has(each.key)) return KNOBS[each.key as keyof typeof KNOBS];
  if (NESTS.has(each.key) || givesInputs(each) || tools.some((tool) => isField(each.key, tool)))
    return undefined;
  const suggestion = closest(each.key, KNOB_NAMES);
  if (suggestion === undefined) return undefined;
  const hint = suggestionOf(each.key, suggestion, [...KNOB_NAMES]);
  report.add('NT2001', each.at, `\`${each.key}\` is not a key of \`retry\``, hint);
  return KNOBS[suggestion as keyof typeof KNOBS];
}

function backoffOf({ value }: MapEntry, report: Report): RetryKnobs['backoff'] {
  const growth = value.kind === 'scalar' ? value.value : undefined;
  if (growth === 'fixed') report.older(value, word('fixed', 'none'));
  if (growth === 'none' || growth === 'fixed') return 'none';
  if (growth === 'linear' || growth === 'exponential') return growth;
  report.add('NT2004', value, '`backoff` is `none`, `fixed`, `linear` or `exponential`');
  return undefined;
}

/**
 * Changes for the next call: keys that are fields of a tool, and other keys as its inputs. `input`, `args` and
 * `with` contain inputs; but real playbooks also put tool fields under `args`, which are accepted unless an input
 * has the name.
 */
export function readOverrides(map: MapNode, over: Overridden, report: Report): OverridesDoc {
  const { tools, inputs } = over;
  const config: MapEntry[] = [];
  const input: MapEntry[] = [];
  const give = (each: MapEntry): void => {
    reportUnread(each, over, report);
    input.push(each);
  };
  const add = (each: MapEntry): void => {
    const tool = tools.find((one) => isField(each.key, one));
    if (tool !== undefined) config.push({ ...each, key: spellingOf(each.key, tool) });
    else give(each);
  };
  const read = (each: MapEntry): void => {
    const inner = asMap(each.value);
    if (inner !== undefined && NESTS.has(each.key)) inner.entries.forEach(read);
    else if (!givesInputs(each)) add(each);
    else {
      // A tool's field is an override, not an input.
      const isClear = !inner!.entries.some(({ key }) => ALL_TOOL_FIELDS.has(key));
      const change = isClear ? inputsAs('input', each.key) : byHand();
      if (each.key === 'with')
        report.add('NT5005', each.at, '`with` is an old spelling here', { hint: 'write `input`', ...change });
      else if (each.key === 'args') report.older(each.at, change);
      for (const one of inner!.entries) (each.key === 'input' || inputs.has(one.key) ? give : add)(one);
    }
  };
  map.entries.forEach(read);
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

function isField(key: string, { kind, fields }: Called): boolean {
  const declared = Object.hasOwn(KINDS, kind) ? KINDS[kind]! : undefined;
  return (
    (declared !== undefined && Object.hasOwn(declared.fields, key)) ||
    fields.some((field) => field.key === key)
  );
}

function spellingOf(key: string, { fields }: Called): string {
  const same = SAME.find((group) => group.includes(key) && fields.some((field) => group.includes(field.key)));
  const written =
    fields.find((field) => field.key === key) ?? fields.find((field) => same?.includes(field.key));
  return written?.key ?? key;
}

/** Kinds whose inputs have names known only to the called program, or are their result. */
const OPEN: ReadonlySet<string> = new Set(['playbook', 'noop', 'event_log', 'iterator', 'workbook']);

/** Words of other clients for what `retry` says otherwise, as official playbooks write them. */
const RETRY_WORDS: Readonly<Record<string, string>> = {
  retry_on_status:
    'write `retry_when: "{{ status_code in [429, 503] }}"`; without it, what is retryable is repeated',
  backoff_seconds: 'write `delay`',
};

/** Reports an override that is neither a field of the kind nor a used input. */
function reportUnread(each: MapEntry, { tools, inputs }: Overridden, report: Report): void {
  if (inputs.has(each.key) || tools.some((tool) => takesAny(tool) || mentions(tool.fields, each.key))) return;
  const kinds = oneOfText([...new Set(tools.map(({ kind }) => kind))]);
  if (tools.some((tool) => isField(each.key, tool))) {
    const message = `\`${each.key}\` is a field of ${kinds}, but is among the inputs, where nothing reads it`;
    report.add('NT2057', each.at, message, `write \`${each.key}\` outside of \`input\``);
    return;
  }
  const fields = tools.flatMap(({ kind }) => Object.keys(KINDS[kind]?.fields ?? {}));
  const hint =
    RETRY_WORDS[each.key] ??
    didYouMean(each.key, [...inputs, ...fields]) ??
    'use a field of the tool, or an input that it reads';
  report.add(
    'NT2057',
    each.at,
    `nothing reads \`${each.key}\`: it is not a field of ${kinds}, and no input`,
    hint,
  );
}

function takesAny({ kind, fields }: Called): boolean {
  return !KINDS[kind]?.closed || OPEN.has(kind) || fields.some(({ key }) => key === 'script');
}

/** Whether a text of the tool mentions the name. */
function mentions(entries: readonly MapEntry[], name: string): boolean {
  const word = new RegExp(`(?<!\\w)${name.replace(/\W/g, '\\$&')}(?!\\w)`);
  return entries
    .flatMap(({ value }) => scalarsIn(value))
    .some(({ value }) => typeof value === 'string' && word.test(value));
}

/** `retry: true`, or `retry: 5`: total number of executions. */
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
