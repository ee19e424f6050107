import { compact, FRAME_DEFAULTS } from '../../plan';
import { oneOfText } from '../diagnostics/suggest';
import { KINDS, toolKind } from '../kinds';
import { CURSOR_FIELDS } from '../schema/cursor';
import {
  asMap,
  asText,
  entriesOf,
  entry,
  isNull,
  type MapEntry,
  type MapNode,
  presentValue,
} from '../yaml/node';
import { type CursorDoc, type TaskPlace } from './document';
import { readTask } from './task';

/** Statements that change rows and return none. */
const RETURNS_NOTHING = /^\s*(update|delete|insert|merge)\b/i;

/**
 * Parses `cursor` of a step's loop. Its claim is a task of the step beside the pipeline: a statement of a kind that runs
 * SQL.
 *
 * @param spec of the loop
 */
export function readCursor(
  cursor: MapEntry,
  spec: MapNode | undefined,
  place: TaskPlace,
): CursorDoc | undefined {
  const { report } = place;
  const map = asMap(cursor.value);
  if (map === undefined) return undefined;
  const claim = entry(map, 'claim');
  if (claim === undefined || presentValue(map, 'claim') === undefined) {
    const hint = 'write the statement that takes rows and returns them: `claim: "UPDATE … RETURNING …"`';
    report.add('NT2040', claim?.at ?? cursor.at, 'the cursor has no `claim`', hint);
    return undefined;
  }
  const kind = asText(presentValue(map, 'kind')) ?? 'postgres';
  const declared = toolKind(kind, place.extensions);
  if (declared !== undefined && declared.sql === undefined) {
    const kinds = Object.keys(KINDS).filter((each) => toolKind(each, place.extensions)?.sql !== undefined);
    const at = entry(map, 'kind')?.at ?? cursor.at;
    const hint = `claim with SQL: ${oneOfText(kinds)}; or fetch the items in an earlier step, and loop over them with \`in\``;
    report.add('NT2020', at, `tools of kind \`${kind}\` cannot claim rows`, hint);
    return undefined;
  }
  checkReturns(claim, kind, place);
  const tool: MapNode = { ...map, entries: [...kindOf(map, cursor), ...toolEntries(map, claim, kind)] };
  const task = readTask(tool, { ...place, step: map, name: `${place.name}_claim`, single: true });
  if (task === undefined) return undefined;
  place.asides.add({ ...task, stands: { kind: 'loop' } });
  const frame = asMap(presentValue(spec, 'frame'));
  const maxRows = presentValue(asMap(presentValue(map, 'options')), 'max_iterations');
  return {
    claim: task.name,
    process: asText(presentValue(frame, 'process')) === 'frame' ? 'frame' : 'row',
    frame: entriesOf(frame).filter(({ key, value }) => Object.hasOwn(FRAME_DEFAULTS, key) && !isNull(value)),
    ...compact({ maxRows }),
  };
}

/** The kind, also where it is not written. */
function kindOf(map: MapNode, { at }: MapEntry): MapEntry[] {
  const written = entry(map, 'kind');
  const value = { ...at, kind: 'scalar', value: 'postgres', offsetOf: () => at.start } as const;
  return [written ?? { key: 'kind', at, value }];
}

/** The cursor's keys as fields of its tool. */
function toolEntries(map: MapNode, claim: MapEntry, kind: string): MapEntry[] {
  const own = map.entries.filter(({ key }) => !CURSOR_FIELDS.includes(key));
  const size = entry(asMap(presentValue(map, 'options')), 'pool_size');
  const pool = size && {
    key: 'pool',
    at: size.at,
    value: { ...size.value, kind: 'map' as const, entries: [{ ...size, key: 'max' }] },
  };
  return [...own, { ...claim, key: 'command' }, ...(pool && kind === 'postgres' ? [pool] : [])];
}

/** Rows that are taken and not returned would never be worked on. */
function checkReturns({ value }: MapEntry, kind: string, { report }: TaskPlace): void {
  const text = asText(value);
  const last = text
    ?.replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, '')
    .split(';')
    .filter((one) => one.trim() !== '')
    .at(-1);
  if (last === undefined || !RETURNS_NOTHING.test(last) || /\breturning\b/i.test(last)) return;
  const message = 'the claim changes rows and returns none: nothing would be done with them';
  const hint =
    kind === 'snowflake'
      ? 'claim with a procedure that returns what it took: `CALL take(…)`'
      : 'end the statement with `RETURNING` and the columns that the iterations need';
  report.add('NT2040', value, message, hint);
}
