import { type Report } from '../diagnostics/diagnostic';
import { checkSchemaShape } from '../schema/check';
import { SINK } from '../schema/case';
import { TOOL } from '../schema/tool';
import { inputsOf } from '../vocabulary/inputs';
import {
  asMap,
  asText,
  child,
  entry,
  type MapEntry,
  type MapNode,
  type YamlNode,
  presentValue,
  without,
} from '../yaml/node';
import { type TaskDoc, type TaskPlace } from './document';
import { readTask } from './task';
import { compact } from '../../plan';

/** Keys of a sink besides its tool; if the sink is the tool itself, they are among its fields. */
const OF_SINK: ReadonlySet<string> = new Set(['when', 'event', 'tool']);

/** Parses a sink; undefined (with a diagnostic) without a tool. */
export function readSink(item: YamlNode, sink: MapEntry, place: TaskPlace): TaskDoc | undefined {
  const { report } = place;
  const map = sinkMap(item, report);
  const beside = asMap(child(map, 'tool'));
  if (map === undefined || (beside === undefined && entry(map, 'kind') === undefined)) {
    // The sink's shape reports a tool of the wrong type.
    if (entry(map, 'tool') === undefined) {
      report.add(
        'NT2005',
        map === undefined ? item : sink.at,
        'a sink needs a tool',
        'write `sink: {tool: {kind: postgres, table: …}, args: {…}}`',
      );
    }
    return undefined;
  }
  const tool = checkSchemaShape(beside ?? without(map, OF_SINK), TOOL, report);
  const name = asText(beside === undefined ? undefined : presentValue(map, 'name'));
  const inputs = beside === undefined ? [] : inputsOf(map, report);
  const own = { ...place, name: name ?? place.name, single: true, step: map, retry: undefined, inputs };
  const task = readTask(beside === undefined ? tool : withData(map, tool), own);
  const when = presentValue(map, 'when');
  return (
    task && {
      ...task,
      ...compact({ name }),
      ...(when?.kind === 'scalar' ? { when } : {}),
      ...compact({ stands: place.stands }),
    }
  );
}

/** The shape is that of a sink with a tool; one that is its tool has the tool's. */
function sinkMap(item: YamlNode, report: Report): MapNode | undefined {
  const map = asMap(item);
  return map && entry(map, 'tool') ? checkSchemaShape(map, SINK, report) : map;
}

/** Moves `data` beside the tool into the tool. */
function withData(sink: MapNode, tool: MapNode): MapNode {
  const data = entry(sink, 'data');
  if (data === undefined || entry(tool, 'data') !== undefined) return tool;
  return { ...tool, entries: [...tool.entries, data] };
}
