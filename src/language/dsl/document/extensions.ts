import { compact, secondsOf } from '../../plan';
import { type Report } from '../diagnostics/diagnostic';
import { isServed, KINDS, type ToolKind, type ToolKinds } from '../kinds';
import { checkSchemaShape } from '../schema/check';
import { EXTENSION } from '../schema/playbook';
import { asList, asMap, asText, child, entriesOf, itemsOf, type MapNode, type YamlNode } from '../yaml/node';

/**
 * Parses `executor.spec.extensions`: a list of kinds, or a mapping from kind to its fields (docs/extensions.md). A
 * module's declaration of a kind is more complete, so it takes precedence.
 *
 * @param modules kinds of extension modules
 */
export function readExtensions(
  executorSpec: MapNode | undefined,
  modules: ToolKinds,
  report: Report,
): ToolKinds {
  const kinds = new Map<string, ToolKind>(modules);
  const node = child(executorSpec, 'extensions');
  const add = (name: string, at: YamlNode | MapNode['entries'][number]['at'], about?: MapNode): void => {
    if (Object.hasOwn(KINDS, name) && isServed(name)) {
      report.add('NT2053', at, `\`${name}\` is a built-in kind`, 'rename the extension');
      return;
    }
    const declaration = about && checkSchemaShape(about, EXTENSION, report);
    if (!modules.has(name)) kinds.set(name, kindOf(declaration));
  };
  for (const item of itemsOf(node)) {
    const name = asText(item);
    if (name !== undefined) add(name, item);
  }
  for (const each of entriesOf(node)) add(each.key, each.at, asMap(each.value));
  return kinds;
}

/** The playbook's declaration of a kind: its fields, the required ones, and its times in seconds. */
function kindOf(about: MapNode | undefined): ToolKind {
  const names = (key: string): string[] => {
    const node = child(about, key);
    const texts = asList(node)?.items.flatMap((item) => asText(item) ?? []);
    return texts ?? asMap(node)?.entries.map((each) => each.key) ?? [];
  };
  const required = names('required');
  const fields = [...new Set([...names('fields'), ...required])];
  const timeout = seconds(about, 'timeout');
  const heartbeat = seconds(about, 'heartbeat');
  return {
    doc: 'An extension.',
    fields: Object.fromEntries(fields.map((field) => [field, ''])),
    required: required.map((field) => [field]),
    ...(names('fields').length > 0 ? { closed: true as const } : {}),
    ...(timeout ? { spec: { timeout: { total: timeout } } } : {}),
    ...compact({ heartbeat }),
  };
}

function seconds(about: MapNode | undefined, key: string): number | undefined {
  const node = child(about, key);
  return node?.kind === 'scalar' ? secondsOf(node.value) : undefined;
}
