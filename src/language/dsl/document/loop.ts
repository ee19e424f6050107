import { type Located, type Report } from '../diagnostics/diagnostic';
import { word } from '../fixes/words';
import { LOOP_WORDS, wordIn } from '../schema/words';
import {
  asMap,
  asText,
  child,
  entry,
  type MapEntry,
  isNull,
  type MapNode,
  type YamlNode,
  presentValue,
} from '../yaml/node';
import { type CursorDoc, type LoopDoc } from './document';
import { compact } from '../../plan';

/** Parses `cursor` of a loop with this spec. */
type ReadsCursor = (cursor: MapEntry, spec: MapNode | undefined) => CursorDoc | undefined;

/** `loop` of a step or task, with its options in old and new positions. `cursors`: of a step, which may have one. */
export function readLoop(loop: MapEntry, report: Report, cursors?: ReadsCursor): LoopDoc | undefined {
  return loop.value.kind === 'map' ? readLoopFields(loop.value, loop.at, report, cursors) : undefined;
}

/** A loop whose fields are in `map`. */
export function readLoopFields(
  map: MapNode,
  at: Located,
  report: Report,
  cursors?: ReadsCursor,
): LoopDoc | undefined {
  const list = entry(map, 'in');
  const cursor = entry(map, 'cursor');
  const iterator = entry(map, 'iterator');
  const incomplete = (key: string, given: MapEntry | undefined, hint: string): void => {
    const former = map.entries.find((each) => wordIn(LOOP_WORDS, each.key) === key);
    const called = former && `\`${former.key}\` is called \`${key}\``;
    report.add('NT2040', given?.at ?? former?.at ?? at, `the loop has no \`${key}\``, called ?? hint);
  };
  const claims = isOverRows(map, cursor, report, cursors);
  if (!claims && (list === undefined || isNull(list.value)))
    incomplete('in', list, 'write `in: "{{ workload.items }}"`, or a list');
  const name = asText(iterator?.value);
  if (name === undefined) {
    if (iterator === undefined || isNull(iterator.value))
      incomplete('iterator', iterator, 'name the current item, e.g. `iterator: item`');
    return undefined;
  }
  const items = claims || list === undefined || isNull(list.value) ? undefined : list.value;
  if (!claims && items === undefined) return undefined;
  if (items?.kind === 'scalar' && !String(items.value).includes('{{')) {
    report.add(
      'NT2003',
      items,
      '`in` of a loop must be a list, or a template that returns one',
      'write `in: "{{ … }}"`',
    );
    return undefined;
  }
  const spec = asMap(child(map, 'spec'));
  const policy = asMap(child(spec, 'policy'));
  const mode = knob(map, spec, policy, 'mode', report);
  if (asText(mode) === 'async') {
    const hint = 'write `mode: parallel`';
    report.add('NT5004', mode!, 'the mode `async` is called `parallel`', {
      hint,
      ...word('async', 'parallel'),
    });
  }
  const maxInFlight = knob(map, spec, policy, 'max_in_flight', report);
  const exec = asText(knob(map, spec, policy, 'exec', report));
  const rows = claims && cursor ? cursors?.(cursor, spec) : undefined;
  return {
    at,
    ...compact({ cursor: rows, in: items }),
    iterator: name,
    iteratorAt: iterator!.value,
    mode: rows ? 'cursor' : ['parallel', 'async'].includes(asText(mode) ?? '') ? 'parallel' : 'sequential',
    ...compact({ maxInFlight }),
    exec: exec === 'distributed' || exec === 'local' ? exec : 'inline',
    ...compact({ spec }),
  };
}

/** Whether the loop is over claimed rows: `cursor` and `mode: cursor` belong together, and exclude `in`. */
function isOverRows(
  map: MapNode,
  cursor: MapEntry | undefined,
  report: Report,
  cursors?: ReadsCursor,
): boolean {
  const spec = asMap(child(map, 'spec'));
  const mode = [spec, asMap(child(spec, 'policy')), map]
    .map((each) => presentValue(each, 'mode'))
    .find(Boolean);
  const isMode = asText(mode) === 'cursor';
  if (cursor === undefined || isNull(cursor.value)) {
    if (!isMode) return false;
    const hint =
      'write `cursor: {kind: postgres, auth: NAME, claim: "UPDATE … RETURNING …"}`, or another mode';
    report.add('NT2040', mode ?? map, 'the loop has `mode: cursor` and no `cursor`', hint);
    return false;
  }
  if (cursors === undefined) {
    const hint = 'give the loop to the step: `loop: {cursor: …}` beside `tool`';
    report.add('NT2020', cursor.at, 'only the loop of a step can have a `cursor`', hint);
    return true;
  }
  const list = entry(map, 'in');
  if (list !== undefined)
    report.add('NT2006', list.at, '`in` and `cursor` of a loop exclude each other', 'keep one of the two');
  if (!isMode) {
    const hint = 'write `spec: {mode: cursor}`';
    report.add('NT2040', mode ?? cursor.at, 'a loop with a `cursor` has `mode: cursor`', hint);
  }
  return true;
}

function knob(
  loop: MapNode,
  spec: MapNode | undefined,
  policy: MapNode | undefined,
  key: string,
  report: Report,
): YamlNode | undefined {
  const places = [presentValue(spec, key), presentValue(policy, key), presentValue(loop, key)].filter(
    (each) => each !== undefined,
  );
  if (places.length > 1)
    report.add('NT2006', places[1]!, `\`${key}\` of the loop is set twice`, `keep \`loop.spec.${key}\``);
  return places[0];
}
