import { type TemplateReference } from '../../template';
import { type SiteNames } from '../diagnostics/diagnostic';
import { asText, child, type MapNode, mapsIn } from '../yaml/node';
import { entriesWithin } from './within';

/** The playbook's own keys below each reserved root. */
export interface DeclaredNames {
  readonly names: SiteNames;
  readonly keychain: ReadonlySet<string>;
  /** By step name: inputs of the step and its tools. */
  readonly inputs: ReadonlyMap<string, ReadonlySet<string>>;
}

/** The keys that a playbook adds to reserved roots. */
export function keysOfRoots(names: SiteNames, root: MapNode): DeclaredNames {
  const keychain = mapsIn(child(root, 'keychain')).flatMap((each) => asText(child(each, 'name')) ?? []);
  const inputs = mapsIn(child(root, 'workflow')).map((step): [string, Set<string>] => {
    const name = asText(child(step, 'step')) ?? '';
    const given = entriesWithin(step, ['input', 'args', 'with']).flatMap(({ entry: { value } }) =>
      value.kind === 'map' ? value.entries.map(({ key }) => key) : [],
    );
    return [name, new Set([...given, ...(names.ofStep.get(name)?.inputs ?? [])])];
  });
  return { names, keychain: new Set(keychain), inputs: new Map(inputs) };
}

/** The runtime's keys below a root. */
const GIVEN: Readonly<Record<string, ReadonlySet<unknown>>> = {
  job: new Set(['uuid', 'id', 'execution_id', 'idempotency_key']),
  loop: new Set(['index', 'index0', 'first', 'last', 'length', 'done']),
  iter: new Set(['index', '_index', '_first', '_last', '_total', 'total', 'parent', 'item']),
  event: new Set(['name', 'type', 'step', 'task', 'attempt', 'payload', 'data', 'status']),
  token: new Set(['id', 'step', 'args', 'parent']),
};
/** Roots with a single value, without keys. */
const PLAIN: ReadonlySet<string> = new Set(['execution_id', 'loop_index', '_task', '_attempt']);

interface Where {
  readonly declared: DeclaredNames;
  /** The step that contains the template. */
  readonly step: string | undefined;
  /** In an admission rule, where the arriving token is available. */
  readonly admitted: boolean;
}

/**
 * The meaning of a reference whose root is both reserved and the name of a step, task or iterator: the root if it
 * has the key that is read, otherwise the name. Undefined if unknown.
 */
export function meaningOfRoot({ root, path }: TemplateReference, where: Where): 'root' | 'name' | undefined {
  const { names, keychain, inputs } = where.declared;
  const [key] = path;
  const iter = names.ofStep.get(where.step ?? '')?.iter;
  if (PLAIN.has(root)) return key === undefined ? 'root' : 'name';
  if (root === 'token' && !where.admitted) return 'name';
  if (typeof key !== 'string') return undefined;
  const has = (keys: ReadonlySet<unknown> | undefined): 'root' | 'name' =>
    keys?.has(key) === true || GIVEN[root]?.has(key) === true ? 'root' : 'name';
  switch (root) {
    case 'workload':
      return has(names.workload);
    case 'ctx':
    case 'vars':
      return has(names.ctx);
    case 'keychain':
      return has(keychain);
    case 'args':
    case 'input':
      return has(inputs.get(where.step ?? ''));
    case 'iter':
      return has(iter);
    default:
      return Object.hasOwn(GIVEN, root) ? has(undefined) : undefined;
  }
}
