import { type Template } from '../template/ir';

export interface Reference {
  readonly root: string;
  readonly path: readonly (string | number)[];
  readonly offset: number;
  readonly kind: 'name' | 'filter' | 'test' | 'call';
  readonly dynamic: boolean;
  readonly guarded: boolean;
}
export const filterNames: readonly string[] = [
  'tojson',
  'default',
  'd',
  'int',
  'float',
  'length',
  'replace',
  'lower',
  'upper',
  'join',
  'first',
  'last',
  'round',
  'list',
  'map',
  'selectattr',
  'fromjson',
  'string',
  'abs',
  'sum',
  'trim',
  'sort',
  'unique',
  'reject',
  'rejectattr',
  'select',
  'min',
  'max',
  'to_datetime',
];
export const testNames: readonly string[] = [
  'defined',
  'none',
  'string',
  'number',
  'mapping',
  'iterable',
  'undefined',
  'sequence',
  'equalto',
  'in',
];
export const globalNames: readonly string[] = ['now', 'range', 'dict', 'uuid', 'namespace', 'random'];
export function references(template: Template): Reference[] {
  const out: Reference[] = [];
  const walk = (node: unknown, guarded: boolean): void => {
    if (Array.isArray(node)) {
      for (const each of node) walk(each, guarded);
      return;
    }
    if (typeof node !== 'object' || node === null) return;
    const n = node as Record<string, unknown> & { op?: string };
    if (n.op === 'name' && typeof n.n === 'string' && 'p' in n) {
      out.push({ root: n.n, path: [], offset: n.p as number, kind: 'name', dynamic: false, guarded });
      return;
    }
    if (n.op === 'get') {
      const path: (string | number)[] = [];
      let at: Record<string, unknown> = n;
      while (at.op === 'get') {
        path.unshift(at.k as string);
        at = at.o as Record<string, unknown>;
      }
      if (at.op === 'name') {
        out.push({
          root: at.n as string,
          path,
          offset: at.p as number,
          kind: 'name',
          dynamic: false,
          guarded,
        });
        return;
      }
    }
    if (n.op === 'filter') {
      out.push({
        root: n.n as string,
        path: [],
        offset: n.p as number,
        kind: 'filter',
        dynamic: false,
        guarded,
      });
      walk(n.o, guarded || n.n === 'default' || n.n === 'd');
      walk(n.a, guarded);
      return;
    }
    if (n.op === 'test') {
      out.push({
        root: n.n as string,
        path: [],
        offset: n.p as number,
        kind: 'test',
        dynamic: false,
        guarded,
      });
      walk(n.o, guarded || n.n === 'defined' || n.n === 'undefined');
      walk(n.a, guarded);
      return;
    }
    if (n.op === 'call' && (n.f as { op: string }).op === 'name') {
      const f = n.f as { n: string; p: number };
      out.push({ root: f.n, path: [], offset: f.p, kind: 'call', dynamic: false, guarded });
      walk(n.a, guarded);
      return;
    }
    for (const value of Object.values(n)) walk(value, guarded);
  };
  walk(template.kind === 'expression' ? template.expr : template.body, false);
  const bound = new Set<string>();
  const bind = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const n = node as Record<string, unknown>;
    if (n.op === 'name' && !('p' in n)) bound.add(n.n as string);
    for (const value of Object.values(n)) bind(value);
  };
  bind(template);
  return out.filter((each) => !bound.has(each.root));
}
