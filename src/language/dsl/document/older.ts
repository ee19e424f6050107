/** Older spellings of single fields, converted to the current ones. */
import { type Located, type Report } from '../diagnostics/diagnostic';
import { didYouMean } from '../diagnostics/suggest';
import { stepAsNext } from '../fixes/lists';
import { keyAs, nameAs, word } from '../fixes/words';
import { KINDS, type ToolKind } from '../kinds';
import { type TaskPlace } from './document';
import { asMap, asText, entry, type MapEntry, type MapNode, type YamlNode, presentValue } from '../yaml/node';
import { eventsIn, ruleMomentOf } from './moments';
import { type Clause } from './rules';

const OF_TARGET: ReadonlySet<string> = new Set(['step', 'args', 'input', 'with']);

/** `then: [- step: x]` is `then: [- next: [{step: x}]]`: all steps named this way run. */
export function withNext(maps: readonly MapNode[], report: Report): readonly MapNode[] {
  const named = maps.filter((map) => entry(map, 'step') !== undefined);
  const [first] = named;
  if (first === undefined) return maps;
  const { at } = entry(first, 'step')!;
  for (const map of named) {
    const step = entry(map, 'step')!;
    const hint = 'write it as an action: `next: [{step: …}]`';
    report.add('NT5009', step.at, 'a step is directly under `then`', { hint, ...stepAsNext });
  }
  const targets = named.map((map) => ({
    ...map,
    entries: map.entries.filter(({ key }) => OF_TARGET.has(key)),
  }));
  const next: MapEntry = { key: 'next', at, value: { ...first, kind: 'list', items: targets } };
  return maps.map((map) => {
    if (!named.includes(map)) return map;
    const entries = map.entries.filter(({ key }) => !OF_TARGET.has(key));
    return { ...map, entries: map === first ? [...entries, next] : entries };
  });
}

/**
 * A call has ended when its step ends. A rule on `step.exit` that repeats the call of a step with one task reacts
 * to the end of that call.
 */
export function atTheCall(clause: Clause, tasks: number, report: Report): Clause {
  const { when } = clause;
  const again = mapsOf(clause.then).flatMap(
    (map) => map.entries.find(({ key }) => key === 'retry' || key === 'call') ?? [],
  )[0];
  if (tasks !== 1 || again === undefined || typeof when?.value !== 'string') return clause;
  if (ruleMomentOf(when, [], false) !== 'exit' || eventsIn(when).some((name) => name !== 'step.exit'))
    return clause;
  report.add('NT5011', when, `\`${again.key}\` reacts to \`step.exit\`, when the call has ended`, {
    hint: "write `event.name == 'call.done'`",
    ...word('step.exit', 'call.done'),
  });
  // Of the same length, so that positions in the text stay valid.
  return {
    ...clause,
    when: { ...when, value: when.value.replaceAll(/(['"])step\.exit\1/g, '$1call.done$1') },
  };
}

function mapsOf(then: YamlNode | undefined): readonly MapNode[] {
  const items = then?.kind === 'list' ? then.items : [then];
  return items.flatMap((item) => (item?.kind === 'map' ? [item] : []));
}

/** Uses `name` of a task as the field required by its kind (`secret`), if that is missing. */
export function withNamed(
  tool: MapNode,
  { named, required }: ToolKind,
  single: boolean,
  report: Report,
): MapNode {
  const group = named === undefined ? undefined : required.find((keys) => keys.includes(named));
  const name = entry(tool, 'name');
  if (named === undefined || group === undefined || name === undefined || asText(name.value) === undefined)
    return tool;
  const spec = asMap(presentValue(tool, 'spec'));
  if (group.some((key) => (presentValue(tool, key) ?? presentValue(spec, key)) !== undefined)) return tool;
  report.add('NT5014', name.at, `\`name\` stands for \`${named}\``, {
    hint: `write \`${named}\``,
    ...nameAs(named, single),
  });
  const kept = tool.entries.filter((each) => !single || each !== name);
  return { ...tool, entries: [...kept, { ...name, key: named }] };
}

/** A list of `libs` contains modules; a name that cannot be a module is a distribution. */
export function reportDistributions(libs: YamlNode | undefined, report: Report): void {
  for (const item of libs?.kind === 'list' ? libs.items : []) {
    const name = asText(item);
    if (name === undefined || name.includes('{{') || /^\w+(\.\w+)*(\s+as\s+\w+)?$/.test(name.trim()))
      continue;
    report.add(
      'NT5013',
      item,
      `\`${name}\` is a distribution, not a module`,
      `write \`libs: {requirements: [${name}]}\``,
    );
  }
}

/** `iterator: {items, item}` of a tool of another kind, which no official engine reads any more, is its `loop`. */
export function readIteratorAsLoop(tool: MapNode, report: Report): MapNode {
  const older = entry(tool, 'iterator');
  if (older?.value.kind !== 'map' || entry(tool, 'loop') !== undefined) return tool;
  report.add('NT2001', older.at, '`iterator` is not a key of a tool', {
    hint: 'did you mean `loop`?',
    ...keyAs('loop'),
  });
  return {
    ...tool,
    entries: tool.entries.map((each) => (each === older ? { ...each, key: 'loop' } : each)),
  };
}

/** What to write for kinds of the official engines that are not here. */
const OFFICIAL_KINDS: Readonly<Record<string, string>> = {
  rhai: 'write the code in Python: `kind: python`',
  task_sequence: 'write its tasks as a list under `tool`: they run in order',
  wasm: 'run it with `kind: container`, or on a worker of your own (docs/extensions.md)',
};

/** A kind that neither this release nor an extension has. */
export function reportUnknownKind(name: string, at: Located, { extensions, report }: TaskPlace): void {
  const hint =
    (Object.hasOwn(OFFICIAL_KINDS, name) ? OFFICIAL_KINDS[name] : undefined) ??
    didYouMean(name, [...Object.keys(KINDS), ...extensions.keys()]) ??
    'docs/reference/tools.md lists the kinds; declare your own in `executor.spec.extensions`';
  report.add('NT2050', at, `there is no tool of kind \`${name}\``, hint);
}
