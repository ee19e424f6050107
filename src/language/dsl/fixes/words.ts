/** Words that are replaced where they stand. */
import { compact } from '../../plan';
import { type Edit, type FixSite, type Remedy } from '../diagnostics/diagnostic';
import { entry, type MapEntry } from '../yaml/node';
import { columnOf, contentEnd, isFlow, lineEnd, newline } from './text';

/** A change, without the words of a hint. */
export type Change = Pick<Remedy, 'what' | 'edits'>;

/** What only the author can change. */
export function byHand(hint?: string): Remedy {
  return { what: '', edits: () => undefined, ...compact({ hint }) };
}

/** What a sink is now. */
export const SINK_AS_TASK = byHand('add a task under `tool` that stores the result');

/** Replaces a key. */
export function rename(old: MapEntry, key: string): Edit {
  return { start: old.at.start, end: old.at.end, text: key };
}

/** The entry gets another key, unless its mapping has that too. */
export function keyAs(key: string): Change {
  const edits = ({ path: [here] }: FixSite): Edit[] | undefined =>
    here === undefined || entry(here.map, key) !== undefined ? undefined : [rename(here.entry, key)];
  return { what: `→ \`${key}\``, edits };
}

/** One word of what is at the place becomes another, quoted or not. */
export function word(from: string, to: string): Change {
  return { what: `\`${from}\` → \`${to}\``, edits: (site) => wordEdits(site, from, to) };
}

function wordEdits({ text, at }: FixSite, from: string, to: string): Edit[] | undefined {
  const inside = text.slice(at.start, at.end).indexOf(from);
  const start = at.start + inside;
  return inside === -1 ? undefined : [{ start, end: start + from.length, text: to }];
}

/** A name that is misspelt at the place, or below the root there (`workload.nmae`). */
export function misspelt(from: string, to: string, only: () => boolean): Change {
  const what = `\`${from}\` → \`${to}\``;
  const edits = ({ text, at, path: [here] }: FixSite): Edit[] | undefined => {
    if (!only() || !/^[\w./-]+$/.test(to)) return undefined;
    const isKey = here?.entry.at.start === at.start;
    if (isKey && entry(here.map, to) !== undefined) return undefined;
    const written = text.slice(at.start, isKey ? at.end : Math.max(at.end, lineEnd(text, at.start)));
    const read = /^(?:[^\s{}()|,]|\s*\.\s*)+/.exec(written)?.[0] ?? '';
    const name = new RegExp(`(?<![\\w-])${from.replace(/\W/g, '\\$&')}(?![\\w-])`);
    const inside = name.exec(text.slice(at.start, at.end))?.index ?? name.exec(read)?.index;
    if (inside === undefined) return undefined;
    const start = at.start + inside;
    return [{ start, end: start + from.length, text: to }];
  };
  return { what, edits };
}

/** Another entry behind that of the place. */
export function followedBy(written: string): Change {
  const edits = ({ text, path: [here] }: FixSite): Edit[] | undefined => {
    if (here === undefined) return undefined;
    const { entry: before, map } = here;
    const end = contentEnd(text, before);
    const start = isFlow(text, map) ? end : lineEnd(text, end);
    const gap = isFlow(text, map) ? ', ' : newline(text) + ' '.repeat(columnOf(text, before.at.start));
    return [{ start, end: start, text: gap + written }];
  };
  return { what: `\`${written}\``, edits };
}

/** A text in the quotes that need no escapes. */
export function quoted(text: string): string {
  return /["\\]/.test(text) ? `'${text.replaceAll("'", "''")}'` : `"${text}"`;
}

/** What stands at the place in one line becomes a text in quotes. */
export function inQuotes(of: (written: string) => string | undefined = (written) => written): Change {
  const edits = ({ text, at }: FixSite): Edit[] | undefined => {
    const written = text.slice(at.start, at.end).trimEnd();
    if (/\n|\s#/.test(written) || /^[|>]/.test(written)) return undefined;
    const inner = of(written);
    const end = at.start + written.length;
    return inner === undefined ? undefined : [{ start: at.start, end, text: quoted(inner) }];
  };
  return { what: 'quoted', edits };
}

const INPUTS: ReadonlySet<string> = new Set(['with', 'args', 'input']);

/** Inputs under their current key. Two spellings are merged by hand: their order determines which takes precedence. */
export function inputsAs(key: string, old = 'with'): Change {
  const edits = ({ path: [here] }: FixSite): Edit[] | undefined => {
    if (here?.entry.value.kind !== 'map') return undefined;
    const others = here.map.entries.filter(
      (each) =>
        each !== here.entry && INPUTS.has(each.key) && (each.key === key || each.value.kind === 'map'),
    );
    return others.length > 0 ? undefined : [rename(here.entry, key)];
  };
  return { what: `\`${old}\` → \`${key}\``, edits };
}

/** `name` of a task is the field that its kind needs; in a list it stays the task's name. */
export function nameAs(key: string, single: boolean): Change {
  const edits = ({ text, path: [here] }: FixSite): Edit[] | undefined => {
    if (here === undefined) return undefined;
    const { entry: name, map } = here;
    if (single) return [rename(name, key)];
    const start = contentEnd(text, name);
    const value = `${key}: ${text.slice(name.value.start, start)}`;
    if (isFlow(text, map)) return [{ start, end: start, text: `, ${value}` }];
    const line = lineEnd(text, start);
    const added = newline(text) + ' '.repeat(columnOf(text, name.at.start)) + value;
    return [{ start: line, end: line, text: added }];
  };
  return { what: `\`name\` → \`${key}\``, edits };
}
