import { ALL_TOOL_FIELDS } from '../../kinds';
import { asMap, asText, child, entry, type MapEntry, type MapNode, type ScalarNode } from '../../yaml/node';
import { type Rewrite, type RewriteSource } from '../rewrite';
import { columnOf, contentEnd, type Edit, isFlow, lineEnd, newline } from '../text';
import { loopsOf, mapsOf, writtenSteps, toolsOf, under } from '../walk';
import { entriesWithin } from '../within';

/** Replaces one word of a scalar, quoted or not. */
function word(source: RewriteSource, node: ScalarNode, from: string, to: string, what: string): Rewrite[] {
  const raw = source.text.slice(node.start, node.end);
  const inside = raw.indexOf(from);
  if (inside === -1) return [];
  const start = node.start + inside;
  return [{ what, at: node, edits: [{ start, end: start + from.length, text: to }] }];
}

/** `noetl.io/v10` is an alias of `noetl.io/v2`. */
export function apiVersion(source: RewriteSource): Rewrite[] {
  const node = child(source.root, 'apiVersion');
  if (node?.kind !== 'scalar' || node.value !== 'noetl.io/v10') return [];
  return word(source, node, 'noetl.io/v10', 'noetl.io/v2', '`noetl.io/v10` → `noetl.io/v2`');
}

/** `backoff: fixed` is called `none`. */
export function backoff(source: RewriteSource): Rewrite[] {
  const all = entriesWithin(source.root, ['backoff']).filter(({ owner }) => isRepetition(owner));
  return all.flatMap(({ entry: { value: node } }) => {
    return node?.kind === 'scalar' && node.value === 'fixed'
      ? word(source, node, 'fixed', 'none', '`backoff: fixed` → `none`')
      : [];
  });
}

/** Whether a mapping configures a repetition: `backoff` may also be a field of an extension. */
function isRepetition(map: MapNode): boolean {
  return entry(map, 'kind') === undefined;
}

/** The mode `async` is called `parallel`. */
export function asyncMode(source: RewriteSource): Rewrite[] {
  return loopsOf(source.root).flatMap((loop) => {
    return [loop, under(loop, 'spec'), under(loop, 'spec', 'policy')].flatMap((map) => {
      const node = child(map, 'mode');
      return node?.kind === 'scalar' && asText(node) === 'async'
        ? word(source, node, 'async', 'parallel', '`async` → `parallel`')
        : [];
    });
  });
}

/** Inputs of steps and tools are called `input`. */
export function inputs(source: RewriteSource): Rewrite[] {
  const maps = [...writtenSteps(source.root), ...toolsOf(source.root).map(({ tool }) => tool)];
  return maps.flatMap((map) => {
    const old = ['args', 'with'].flatMap((key) => {
      const field = entry(map, key);
      return field?.value.kind === 'map' ? [field] : [];
    });
    // Two spellings beside each other must be merged by hand: their order determines which takes precedence.
    if (old.length !== 1 || entry(map, 'input') !== undefined) return [];
    return [{ what: `\`${old[0]!.key}\` → \`input\``, at: old[0]!.at, edits: [rename(old[0]!, 'input')] }];
  });
}

/** `with` of targets and sinks is called `args`. */
export function argumentsOf({ root }: RewriteSource): Rewrite[] {
  const entries = entriesWithin(child(root, 'workflow'), ['next', 'sink']).concat(
    entriesWithin(child(root, 'workbook'), ['sink']),
  );
  const maps = entries.flatMap(({ entry: { value } }) => (value.kind === 'map' ? [value] : mapsOf(value)));
  return maps.flatMap((map) => {
    const old = entry(map, 'with');
    if (old?.value.kind !== 'map' || entry(map, 'args') !== undefined || entry(map, 'input') !== undefined)
      return [];
    return [{ what: '`with` → `args`', at: old.at, edits: [rename(old, 'args')] }];
  });
}

/** Inputs for the next call in `call`, `retry` and `next_call` are renamed to `input`. */
export function overrides({ root }: RewriteSource): Rewrite[] {
  return entriesWithin(child(root, 'workflow'), ['call', 'retry', 'next_call']).flatMap(
    ({ entry: { value } }) => {
      const old = ['args', 'with'].flatMap((key) => entry(asMap(value), key) ?? []);
      const [only] = old;
      if (old.length !== 1 || only?.value.kind !== 'map' || entry(asMap(value), 'input') !== undefined)
        return [];
      // A tool's field is an override, not an input.
      if (only.value.entries.some(({ key }) => ALL_TOOL_FIELDS.has(key))) return [];
      return [{ what: `\`${only.key}\` → \`input\``, at: only.at, edits: [rename(only, 'input')] }];
    },
  );
}

/** A call has ended when its step ends: a rule of a step with one tool that repeats the call uses `call.done`. */
export function repeatedCalls(source: RewriteSource): Rewrite[] {
  return writtenSteps(source.root).flatMap((step) => {
    const tool = child(step, 'tool');
    if (tool?.kind !== 'map' && mapsOf(tool).length !== 1) return [];
    return mapsOf(child(step, 'case')).flatMap((rule) => {
      const when = child(rule, 'when');
      const then = child(rule, 'then');
      const actions = then?.kind === 'map' ? then.entries : mapsOf(then).flatMap((each) => each.entries);
      if (when?.kind !== 'scalar' || !actions.some(({ key }) => key === 'retry' || key === 'call')) return [];
      const events = String(when.value).match(/(?:step|call|loop)\.\w+/g) ?? [];
      if (events.length !== 1 || events[0] !== 'step.exit' || /!=|\bnot\s+in\b/.test(String(when.value)))
        return [];
      return word(source, when, 'step.exit', 'call.done', '`step.exit` → `call.done`');
    });
  });
}

/** The secret of a task of kind `secrets` is renamed to `secret`; in a list, `name` remains the task's name. */
export function secretNames({ text, root }: RewriteSource): Rewrite[] {
  const single = new Set(writtenSteps(root).map((step) => child(step, 'tool')));
  return toolsOf(root).flatMap(({ tool }): Rewrite[] => {
    const name = entry(tool, 'name');
    if (asText(child(tool, 'kind')) !== 'secrets' || asText(name?.value) === undefined) return [];
    const fields = ['secret', 'secret_name', 'key'];
    if (fields.some((key) => entry(tool, key) ?? entry(under(tool, 'spec'), key)) || name === undefined)
      return [];
    const what = '`name` → `secret`';
    if (single.has(tool)) return [{ what, at: name.at, edits: [rename(name, 'secret')] }];
    const start = contentEnd(text, name);
    const value = `secret: ${text.slice(name.value.start, start)}`;
    if (isFlow(text, tool))
      return [{ what, at: name.at, edits: [{ start, end: start, text: `, ${value}` }] }];
    const line = lineEnd(text, start);
    const added = newline(text) + ' '.repeat(columnOf(text, name.at.start)) + value;
    return [{ what, at: name.at, edits: [{ start: line, end: line, text: added }] }];
  });
}

/** Replaces a key. */
export function rename(old: MapEntry, key: string): Edit {
  return { start: old.at.start, end: old.at.end, text: key };
}
