/** What differs between the texts of two versions, line by line: the causes behind what their executions do. */
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { type VerifyFinding } from './cause';

export interface VersionChange {
  /** `workload.limit`, `fetch.next.arcs.store.when`. */
  readonly what: string;
  readonly step?: string;
  /** As written; absent: only the other version has it. */
  readonly was?: string;
  readonly is?: string;
  /** The line in the new version, or in the old one if it is gone. */
  readonly line: number;
}

/** Every value of the new version that is not as before; steps and tasks are compared by their names. */
export function changesBetween(old: string, now: string): VersionChange[] {
  const [before, after] = [old, now].map((text) => {
    const lineCounter = new LineCounter();
    return { root: parseDocument(text, { lineCounter, merge: true }).contents, lineCounter };
  }) as [Parsed, Parsed];
  const lineIn = ({ lineCounter }: Parsed, node: Node): number =>
    lineCounter.linePos(node.range?.[0] ?? 0).line;
  const changes: VersionChange[] = [];
  const walk = (was: Node | null, is: Node | null, path: readonly string[]): void => {
    const [parts, others] = [partsOf(was), partsOf(is)];
    if (parts && others && isMap(was) === isMap(is)) {
      for (const key of new Set([...others.keys(), ...parts.keys()]))
        walk(parts.get(key) ?? null, others.get(key) ?? null, [...path, key]);
      return;
    }
    const [from, to] = [written(was), written(is)];
    if (from === to) return;
    const step = path[0] === 'workflow' ? path[1] : undefined;
    changes.push({
      what: (step === undefined ? path : path.slice(1)).join('.'),
      ...(step !== undefined && { step }),
      ...(from !== undefined && { was: from }),
      ...(to !== undefined && { is: to }),
      line: is ? lineIn(after, is) : was ? lineIn(before, was) : 1,
    });
  };
  walk(before.root, after.root, []);
  return changes;
}

interface Parsed {
  readonly root: Node | null;
  readonly lineCounter: LineCounter;
}

/** The members of a mapping; the items of a list, by their names if they have names. */
function partsOf(node: Node | null): ReadonlyMap<string, Node | null> | undefined {
  if (isMap(node)) return new Map(node.items.map(({ key, value }) => [String(key), value as Node | null]));
  if (!isSeq(node)) return undefined;
  const items = node.items as Node[];
  const names = items.map((item) => (isMap(item) ? (item.get('step') ?? item.get('name')) : undefined));
  const isNamed = new Set(names).size === items.length && names.every((name) => typeof name === 'string');
  return new Map(items.map((item, i) => [isNamed ? String(names[i]) : String(i), item]));
}

function written(node: Node | null): string | undefined {
  if (!node) return undefined;
  return isScalar(node) ? JSON.stringify(node.value) : JSON.stringify(node.toJSON());
}

const MAX_SHOWN = 3;

/** Those that may be the cause: at its line, in its step, outside of all steps, in others. */
export function causesOf(
  { what, now_at: now, recorded_at: recorded }: VerifyFinding,
  changes: readonly VersionChange[],
): readonly VersionChange[] {
  const rank = ({ step, line }: VersionChange): number => {
    if (line === now?.line || line === recorded?.line) return 0;
    if (step === undefined) return 2;
    return what.includes(`${step}#`) ? 1 : 3;
  };
  return [...changes].sort((a, b) => rank(a) - rank(b)).slice(0, MAX_SHOWN);
}
