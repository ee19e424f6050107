import { type Report } from '../diagnostics/diagnostic';
import { KINDS, type ToolKind } from '../kinds';
import { asList, asMap, asText, child, type MapNode, type Node } from '../yaml/node';
import { type Extensions } from './document';

/** `executor.spec.extensions`: a list of kinds, or a mapping from kind to `{fields, required}`. */
export function readExtensions(executorSpec: MapNode | undefined, report: Report): Extensions {
  const found = new Map<string, ToolKind>();
  const node = child(executorSpec, 'extensions');
  const add = (name: string, at: Node | MapNode['entries'][number]['at'], about?: MapNode): void => {
    if (Object.hasOwn(KINDS, name)) {
      report.add('NT2053', at, `\`${name}\` is a kind of this runtime`, 'give the extension another name');
    } else found.set(name, kindOf(about));
  };
  for (const item of asList(node)?.items ?? []) {
    const name = asText(item);
    if (name !== undefined) add(name, item);
  }
  for (const each of asMap(node)?.entries ?? []) add(each.key, each.at, asMap(each.value));
  return found;
}

/** What the playbook says of the kind: the fields it takes, and those that it needs. */
function kindOf(about: MapNode | undefined): ToolKind {
  const names = (key: string): string[] => {
    const node = child(about, key);
    const texts = asList(node)?.items.flatMap((item) => asText(item) ?? []);
    return texts ?? asMap(node)?.entries.map((each) => each.key) ?? [];
  };
  const required = names('required');
  const fields = [...new Set([...names('fields'), ...required])];
  return {
    doc: 'An extension.',
    fields: Object.fromEntries(fields.map((field) => [field, ''])),
    required: required.map((field) => [field]),
    ...(names('fields').length > 0 ? { closed: true as const } : {}),
  };
}
