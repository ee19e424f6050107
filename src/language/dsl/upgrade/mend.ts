import { compile, type Compiled, type CompileOptions } from '../compile';
import { type Fix } from '../diagnostics/diagnostic';
import { applyEdits } from '../fixes/text';
import { meaningOf } from './same';

/** A text in which fixes were made. */
export interface Mended {
  readonly text: string;
  /** The number of fixes. */
  readonly fixes: number;
  /** What the text compiles to. */
  readonly compiled: Compiled;
}

/** Which fixes: of diagnostics; of all older spellings; also those that give the plan another form. */
export type FixScope = 'diagnostics' | 'spellings' | 'all';

/** Fixes that overlap wait for the next pass; nothing nests them deeper. */
const MAX_PASSES = 10;

/**
 * Makes the fixes of a text in passes until none is left. None adds an error, and the plan of a text that compiles
 * keeps its meaning: a fix that would change it is omitted. The result is a fixed point.
 */
export function mended(text: string, options: CompileOptions = {}, scope: FixScope = 'diagnostics'): Mended {
  const look: Look = (written) => compile(written, { ...options, fixes: true });
  const spelled = respelled({ text, fixes: 0, compiled: look(text) }, scope, look);
  if (scope !== 'all') return spelled;
  const reshaping = (now: Mended): Fix[] =>
    allowed(
      now,
      fixesOf(now.compiled, scope).filter((fix) => fix.reshapes),
      look,
      keepsCompiling,
    );
  const reshaped = passes(spelled, reshaping, look);
  return reshaped === spelled ? spelled : respelled(reshaped, scope, look);
}

type Look = (text: string) => Compiled;
type Offered = (now: Mended) => readonly Fix[];

/** All spellings at once, or, if that would change the plan, one by one. */
function respelled(start: Mended, scope: FixScope, look: Look): Mended {
  const offered = ({ compiled }: Mended): Fix[] => fixesOf(compiled, scope).filter((fix) => !fix.reshapes);
  const all = passes(start, offered, look);
  if (all === start || keepsMeaning(start.compiled, all.compiled)) return all;
  return passes(start, (now) => allowed(now, offered(now), look, keepsMeaning), look);
}

function fixesOf({ diagnostics, older = [] }: Compiled, scope: FixScope): Fix[] {
  return (scope === 'diagnostics' ? diagnostics : [...diagnostics, ...older]).flatMap(({ fix }) => fix ?? []);
}

function allowed(
  { text, compiled }: Mended,
  fixes: readonly Fix[],
  look: Look,
  keeps: (before: Compiled, after: Compiled) => boolean,
): Fix[] {
  return fixes.filter(({ edits }) => keeps(compiled, look(applyEdits(text, edits))));
}

function passes(start: Mended, offered: Offered, look: Look): Mended {
  let now = start;
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const chosen = compatible(now.text, offered(now));
    if (chosen.length === 0) break;
    const text = applyEdits(
      now.text,
      chosen.flatMap(({ edits }) => edits),
    );
    now = { text, fixes: now.fixes + chosen.length, compiled: look(text) };
  }
  return now;
}

/** The fixes that do not overlap, in order. */
export function compatible(text: string, fixes: readonly Fix[]): Fix[] {
  const taken: Region[] = [];
  return fixes.filter((fix) => {
    const own = regionsOf(text, fix);
    if (own.some((one) => taken.some((other) => one.start <= other.end && other.start <= one.end)))
      return false;
    taken.push(...own);
    return true;
  });
}

interface Region {
  readonly start: number;
  readonly end: number;
}

/** Words may be replaced between those of another fix; between lines that are moved nothing else may be. */
function regionsOf(text: string, { edits }: Fix): readonly Region[] {
  const areWords = edits.every(
    (edit) => edit.start < edit.end && !(edit.text + text.slice(edit.start, edit.end)).includes('\n'),
  );
  if (areWords) return edits;
  return [
    {
      start: Math.min(...edits.map(({ start }) => start)),
      end: Math.max(...edits.map(({ end }) => end)),
    },
  ];
}

/** Whether both texts have the same meaning, as far as this can be determined. */
function keepsMeaning(before: Compiled, after: Compiled): boolean {
  if (before.plan === undefined) return keepsCompiling(before, after);
  return after.plan !== undefined && meaningOf(before.plan) === meaningOf(after.plan);
}

/** Whether the new text has no more errors than the old one. */
function keepsCompiling(before: Compiled, after: Compiled): boolean {
  return errors(after) <= errors(before);
}

/** Excludes errors about unsupported constructs: they disappear with the construct, and hide nothing new. */
function errors({ diagnostics }: Compiled): number {
  return diagnostics.filter(({ severity, code }) => severity === 'error' && code !== 'NT2020').length;
}
