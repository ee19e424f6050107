/** The matrix as the table of docs/secrets.md. */
import { KINDS } from './kinds';
import { type Cell, type Gap, SHARED_PLACES, usualCells } from './matrix';
import { ENDINGS } from './tool';

/** How an ending is written in a cell. */
const LETTERS = { success: 's', failure: 'f', timeout: 't', crash: 'c', retry: 'r' } as const;

/** A row a place, a column a kind; below them why a cell is not there. */
export function matrixPage(cells: readonly Cell[], gaps: readonly Gap[]): string {
  const kinds = Object.keys(KINDS);
  const notes: string[] = [];
  const noteOf = (why: string): number => {
    if (!notes.includes(why)) notes.push(why);
    return notes.indexOf(why) + 1;
  };
  const cell = (kind: string, place: string): string => {
    const known = ENDINGS.filter((ending) =>
      cells.some((one) => one.kind === kind && one.place === place && one.ending === ending),
    );
    const missing = gaps.filter((one) => one.kind === kind && one.place === place);
    const why = [...new Set(missing.map((one) => noteOf(one.why)))];
    return `${known.map((ending) => LETTERS[ending]).join('')}${why.map((note) => ` ⁽${note}⁾`).join('')}`.trim();
  };
  const own = Object.entries(KINDS).flatMap(([kind, spec]) =>
    Object.keys(spec.own).map((place) => `| ${kind} | ${place} | ${cell(kind, place)} |`),
  );
  return [
    `${cells.length} cells, by their endings: ${ENDINGS.map((ending) => `${LETTERS[ending]} ${ending}`).join(', ')}. CI runs a fixed selection of ${usualCells(cells).length}; \`CANARY=1/7\` to \`7/7\` run them all.`,
    '',
    `| place | ${kinds.join(' | ')} |`,
    `|---|${kinds.map(() => '---').join('|')}|`,
    ...Object.keys(SHARED_PLACES).map(
      (place) => `| ${place} | ${kinds.map((kind) => cell(kind, place)).join(' | ')} |`,
    ),
    '',
    '| kind | additional place | endings |',
    '|---|---|---|',
    ...own,
    '',
    ...notes.map((why, index) => `⁽${index + 1}⁾ ${why}.<br>`),
    '',
  ].join('\n');
}
