import { type Write } from '../document/document';
import { type Report } from '../diagnostics/diagnostic';
import { setMapping } from '../fixes/lists';
import { writesAs } from '../fixes/writes';
import { asMap, asText, child, entry, type MapEntry, type MapNode } from '../yaml/node';

/** Scopes in `set`; `vars` and `ctx` are the same. */
const SCOPES: Readonly<Record<string, 'ctx' | 'iter' | 'step'>> = {
  ctx: 'ctx',
  vars: 'ctx',
  iter: 'iter',
  step: 'step',
};

/** Roots that a bare key must not appear to write. */
const IMMUTABLE = new Set([
  'workload',
  'keychain',
  'event',
  'outcome',
  'output',
  'token',
  'execution_id',
  'job',
]);

/** The `current` spelling: `set: {ctx.a: …, iter.b: …, c: …}`. */
function currentWrites(map: MapNode, report: Report): Write[] {
  return setEntries(map, report).flatMap((each) => setEntry(each, report));
}

/** The entries of `set`, a mapping or (older) a list of `{name, value}`. */
export function setEntries(map: MapNode, report: Report): readonly MapEntry[] {
  const set = entry(map, 'set');
  if (set?.value.kind !== 'list') return asMap(set?.value)?.entries ?? [];
  const hint = 'write a mapping: `set: {name: value}`';
  report.add('NT5010', set.at, '`set` is a list', { hint, ...setMapping });
  return set.value.items.flatMap((item): MapEntry[] => {
    const name = child(asMap(item), 'name');
    const key = asText(name);
    const value = child(asMap(item), 'value');
    if (name === undefined || key === undefined) return [];
    if (value !== undefined) return [{ key, at: name, value }];
    report.add('NT2005', name, `nothing says what \`${key}\` is set to`, 'write `value` beside `name`');
    return [];
  });
}

/** The `canonical` spelling: `set_ctx: {a: …}`, `set_iter: {b: …}`. */
function canonicalWrites(map: MapNode, report: Report): Write[] {
  return [...scoped(map, 'set_ctx', 'ctx', report), ...scoped(map, 'set_iter', 'iter', report)];
}

/** The `case` spelling: `vars: {a: …}`, written after the step. */
function caseWrites(map: MapNode, report: Report): Write[] {
  return scoped(map, 'vars', 'ctx', report);
}

/** The writes of an action of `case` or `retry`: a bare name is a variable of the execution. */
export function contextWrites(map: MapNode, report: Report): Write[] {
  return writesOf(map, report).map((write) => (write.scope === 'local' ? { ...write, scope: 'ctx' } : write));
}

/**
 * All writes of a mapping, in every spelling; writing a target twice is an error that names both.
 *
 * @param inputs keys that are written as `set` too: the inputs of an arc
 */
export function writesOf(map: MapNode, report: Report, inputs: readonly string[] = []): Write[] {
  olderWrites(map, report, inputs);
  const writes = [...caseWrites(map, report), ...canonicalWrites(map, report), ...currentWrites(map, report)];
  const seen = new Set<string>();
  for (const write of writes) {
    const target = [write.scope, ...write.path].join('.');
    if (seen.has(target)) {
      report.add(
        'NT2006',
        write.at,
        `\`${target.replace(/^local\./, '')}\` is set twice here`,
        'keep one of the two',
      );
    }
    seen.add(target);
  }
  return writes;
}

function olderWrites(map: MapNode, report: Report, inputs: readonly string[]): void {
  const keys = [...inputs, 'vars', 'set_ctx', 'set_iter'];
  const older = map.entries.filter(({ key, value }) => keys.includes(key) && value.kind === 'map');
  const all = older.map(({ key }) => key);
  for (const { at, key } of older) report.older(at, writesAs(all, key));
  for (const { key, at, value } of map.entries)
    if (/^set_(ctx|iter)$/.test(key) && value.kind === 'list') report.older(at, setMapping);
}

function scoped(map: MapNode, key: string, scope: 'ctx' | 'iter', report: Report): Write[] {
  return (asMap(entry(map, key)?.value)?.entries ?? []).flatMap((each) => {
    const path = split(each, report);
    if (path === undefined) return [];
    const prefixed = path.length > 1 && SCOPES[path[0]!] === scope;
    return [{ scope, path: prefixed ? path.slice(1) : path, value: each.value, at: each.at }];
  });
}

function setEntry(each: MapEntry, report: Report): Write[] {
  const path = split(each, report);
  if (path === undefined) return [];
  const [first, ...rest] = path as [string, ...string[]];
  const scope = Object.hasOwn(SCOPES, first) ? SCOPES[first] : undefined;
  if (scope !== undefined && rest.length > 0) return [{ scope, path: rest, value: each.value, at: each.at }];
  if (scope !== undefined && each.value.kind === 'map') {
    return each.value.entries.flatMap((inner) => {
      const below = split(inner, report);
      return below === undefined ? [] : [{ scope, path: below, value: inner.value, at: inner.at }];
    });
  }
  if (scope !== undefined || IMMUTABLE.has(first)) {
    const message = `\`${each.key}\` cannot be written`;
    const hint =
      scope === undefined
        ? `write \`ctx.${rest.join('.') || first}\` instead`
        : `name the target: \`${first}.name\``;
    report.add('NT2061', each.at, message, hint);
    return [];
  }
  return [{ scope: 'local', path, value: each.value, at: each.at }];
}

function split(each: MapEntry, report: Report): string[] | undefined {
  const path = each.key.split('.');
  if (path.every((part) => part.trim() !== '') && !each.key.includes('{{')) return path;
  report.add(
    'NT2060',
    each.at,
    `\`${each.key}\` is not a name that can be written`,
    'names must be known when the playbook is compiled',
  );
  return undefined;
}
