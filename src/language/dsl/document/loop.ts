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
import { type LoopDoc } from './document';
import { compact } from '../../plan';

/** `loop` of a step or task, with its options in old and new positions. */
export function readLoop(loop: MapEntry, report: Report): LoopDoc | undefined {
  return loop.value.kind === 'map' ? readLoopFields(loop.value, loop.at, report) : undefined;
}

/** A loop whose fields are in `map`. */
export function readLoopFields(map: MapNode, at: Located, report: Report): LoopDoc | undefined {
  const cursor = entry(map, 'cursor');
  if (cursor !== undefined) {
    report.add(
      'NT2020',
      cursor.at,
      '`cursor` loops are not supported by this version',
      'fetch the rows in an earlier step, and loop over them with `in`',
    );
    return undefined;
  }
  const list = entry(map, 'in');
  const iterator = entry(map, 'iterator');
  const incomplete = (key: string, given: MapEntry | undefined, hint: string): void => {
    const former = map.entries.find((each) => wordIn(LOOP_WORDS, each.key) === key);
    const called = former && `\`${former.key}\` is called \`${key}\``;
    report.add('NT2040', given?.at ?? former?.at ?? at, `the loop has no \`${key}\``, called ?? hint);
  };
  if (list === undefined || isNull(list.value))
    incomplete('in', list, 'write `in: "{{ workload.items }}"`, or a list');
  const name = asText(iterator?.value);
  if (name === undefined) {
    if (iterator === undefined || isNull(iterator.value))
      incomplete('iterator', iterator, 'name the current item, e.g. `iterator: item`');
    return undefined;
  }
  if (list === undefined || isNull(list.value)) return undefined;
  if (list.value.kind === 'scalar' && !String(list.value.value).includes('{{')) {
    report.add(
      'NT2003',
      list.value,
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
  return {
    at,
    in: list.value,
    iterator: name,
    iteratorAt: iterator!.value,
    mode: ['parallel', 'async'].includes(asText(mode) ?? '') ? 'parallel' : 'sequential',
    ...compact({ maxInFlight }),
    exec: exec === 'distributed' || exec === 'local' ? exec : 'inline',
    ...compact({ spec }),
  };
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
