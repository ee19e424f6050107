import { type Reference } from '../../../template';
import { collectNames, type Names } from '../../check/names';
import { SILENT } from '../../diagnostics/diagnostic';
import { readDocument } from '../../document/read';
import { asText, child, type MapNode } from '../../yaml/node';
import { parseYaml } from '../../yaml/parse';
import { mapsOf, stepsOf } from '../walk';
import { entriesWithin } from '../within';

/** What the playbook itself says below each reserved root. */
export interface Known {
  readonly names: Names;
  readonly keychain: ReadonlySet<string>;
  /** By the name of the step: what its inputs and those of its tools are called. */
  readonly inputs: ReadonlyMap<string, ReadonlySet<string>>;
}

/** The keys that a playbook gives to reserved roots. */
export function keysOfRoots(text: string, root: MapNode): Known {
  // Reading a document corrects misspelt keys in its nodes, which are therefore others.
  const names = collectNames(readDocument(parseYaml(text, SILENT) ?? root, SILENT));
  const keychain = mapsOf(child(root, 'keychain')).flatMap((each) => asText(child(each, 'name')) ?? []);
  const inputs = stepsOf(root).map((step): [string, Set<string>] => {
    const name = asText(child(step, 'step')) ?? '';
    const given = entriesWithin(step, ['input', 'args', 'with']).flatMap(({ entry: { value } }) =>
      value.kind === 'map' ? value.entries.map(({ key }) => key) : [],
    );
    return [name, new Set([...given, ...(names.ofStep.get(name)?.inputs ?? [])])];
  });
  return { names, keychain: new Set(keychain), inputs: new Map(inputs) };
}

/** What the runtime itself gives below a root. */
const GIVEN: Readonly<Record<string, ReadonlySet<unknown>>> = {
  job: new Set(['uuid', 'id', 'execution_id', 'idempotency_key']),
  loop: new Set(['index', 'index0', 'first', 'last', 'length', 'done']),
  iter: new Set(['index', '_index', '_first', '_last', '_total', 'total', 'parent', 'item']),
  event: new Set(['name', 'type', 'step', 'task', 'attempt', 'payload', 'data', 'status']),
  token: new Set(['id', 'step', 'args', 'parent']),
};
/** Roots that are one value, with nothing below. */
const PLAIN: ReadonlySet<string> = new Set(['execution_id', 'loop_index', '_task', '_attempt']);

interface Where {
  readonly known: Known;
  /** The name of the step that the template stands in. */
  readonly step: string | undefined;
  /** In an admission rule, where the arriving token is at hand. */
  readonly admitted: boolean;
}

/**
 * What a reference means whose root is both reserved and the name of a step, task or iterator: the root where the
 * root has what is read, the name where it has not. Undefined where nobody can tell.
 */
export function meaningOfRoot({ root, path }: Reference, where: Where): 'root' | 'name' | undefined {
  const { names, keychain, inputs } = where.known;
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
