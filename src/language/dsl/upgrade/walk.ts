import { labelled } from '../document/task';
import { constructOf } from '../sugar';
import {
  asList,
  asMap,
  asText,
  child,
  entry,
  type MapEntry,
  type MapNode,
  type YamlNode,
} from '../yaml/node';

/** The mappings among the items of a list. */
export function mapsOf(node: YamlNode | undefined): MapNode[] {
  return (asList(node)?.items ?? []).flatMap((item) => (item.kind === 'map' ? [item] : []));
}

/** The steps of the playbook. */
export function writtenSteps(root: MapNode): MapNode[] {
  return mapsOf(child(root, 'workflow'));
}

/** The label of a tool (`- fetch: {kind: http}`), and the tool itself. */
interface ToolAt {
  readonly tool: MapNode;
  readonly item: MapNode;
  readonly label?: MapEntry;
}

/** Every tool of the playbook: of its steps, and of the workbook. */
export function toolsOf(root: MapNode): ToolAt[] {
  const tools = writtenSteps(root).flatMap((step) => toolsUnder(child(step, 'tool')));
  return [...tools, ...workbookTools(child(root, 'workbook'))];
}

/** Keys of an iterator's body. */
const BODIES = ['tool', 'task', 'tasks', 'steps', 'pipeline'];

/** The loops of steps and tools, and iterators that contain their loop's fields themselves. */
export function loopsOf(root: MapNode): MapNode[] {
  const tools = toolsOf(root).map(({ tool }) => tool);
  const iterators = tools.filter((tool) => isIterator(tool) && entry(tool, 'loop') === undefined);
  return [
    ...[...writtenSteps(root), ...tools].flatMap((owner) => asMap(child(owner, 'loop')) ?? []),
    ...iterators,
  ];
}

function isIterator(tool: MapNode): boolean {
  return asText(child(tool, 'kind')) === 'iterator';
}

/** The tools under one `tool` key, and those in the bodies of iterators. */
function toolsUnder(node: YamlNode | undefined): ToolAt[] {
  const items = node?.kind === 'map' ? [node] : mapsOf(node);
  return items.flatMap((item) => {
    const sugar = constructOf(item);
    if (sugar !== undefined) return listsIn(sugar.entry.value).flatMap(toolsUnder);
    const label = labelled(item);
    const inner = asMap(label?.value);
    const own =
      inner === undefined || label === undefined ? { tool: item, item } : { tool: inner, item, label };
    const body = isIterator(own.tool) ? BODIES : [];
    return [own, ...body.flatMap((key) => toolsUnder(child(own.tool, key)))];
  });
}

/** The lists of tasks in a construct. */
function listsIn(body: YamlNode): YamlNode[] {
  const maps = body.kind === 'map' ? [body] : mapsOf(body);
  return maps.flatMap((map) => ['then', 'else', 'do'].flatMap((key) => asList(child(map, key)) ?? []));
}

function workbookTools(workbook: YamlNode | undefined): ToolAt[] {
  const inner = asMap(workbook) && child(asMap(workbook), 'tasks');
  const tasks = inner === undefined || inner.kind === 'scalar' ? workbook : inner;
  const bodies =
    tasks?.kind === 'map' ? tasks.entries.flatMap((each) => asMap(each.value) ?? []) : mapsOf(tasks);
  return bodies.map((body) => {
    const tool = asMap(child(body, 'tool')) ?? body;
    return { tool, item: tool };
  });
}

/** The rules of a tool's policy, and those of the admission of a step. */
export function writtenRules(root: MapNode): MapNode[] {
  const policies = [
    ...toolsOf(root).map(({ tool }) => under(tool, 'spec', 'policy')),
    ...writtenSteps(root).flatMap((step) => [
      under(step, 'spec', 'policy', 'admit'),
      under(step, 'spec', 'admit'),
    ]),
  ];
  return policies.flatMap((policy) => mapsOf(child(policy, 'rules')));
}

/** The mappings of actions of the rules: `then`, `else.then`, `else` itself, and the items of lists of them. */
export function writtenActions(root: MapNode): MapNode[] {
  return writtenRules(root).flatMap((rule) => {
    const otherwise = child(rule, 'else');
    const inner =
      asMap(otherwise) && entry(asMap(otherwise), 'then') ? child(asMap(otherwise), 'then') : otherwise;
    return [child(rule, 'then'), inner].flatMap((node) => (node?.kind === 'map' ? [node] : mapsOf(node)));
  });
}

/** The arcs of all routers. */
export function arcsOf(root: MapNode): MapNode[] {
  return writtenSteps(root).flatMap((step) => mapsOf(child(asMap(child(step, 'next')), 'arcs')));
}

/** The mapping at a path of keys. */
export function under(map: MapNode | undefined, ...keys: readonly string[]): MapNode | undefined {
  return keys.reduce<MapNode | undefined>((node, key) => asMap(child(node, key)), map);
}
