import { type Located } from '../diagnostics/diagnostic';
import {
  type MapEntry,
  type ListNode,
  type MapNode,
  type YamlNode,
  type Scalar,
  type ScalarNode,
} from '../yaml/node';

/** Generated nodes; their position is that of the construct. */
export function scalar(at: Located, value: Scalar): ScalarNode {
  return { kind: 'scalar', value, offsetOf: () => at.start, start: at.start, end: at.end, path: at.path };
}

function map(at: Located, fields: Readonly<Record<string, YamlNode | undefined>>): MapNode {
  const entries = Object.entries(fields).flatMap(([key, value]): MapEntry[] =>
    value === undefined ? [] : [{ key, at, value }],
  );
  return { kind: 'map', entries, start: at.start, end: at.end, path: at.path };
}

export function listNode(at: Located, items: readonly YamlNode[]): ListNode {
  return { kind: 'list', items, start: at.start, end: at.end, path: at.path };
}

/** A router's action if its condition is true; without a target it continues, or ends the pipeline. */
export interface Turn {
  /** Absent: always. */
  readonly when?: YamlNode;
  readonly do: 'continue' | 'break' | 'fail' | { readonly jump: string };
  readonly set?: Readonly<Record<string, Scalar>>;
}

/** A `noop` whose rules control the pipeline: it runs inside the workflow. */
export function routerNode(at: Located, name: string, turns: readonly Turn[], set?: Turn['set']): MapNode {
  const rules = turns.map((turn) => {
    const target = typeof turn.do === 'object' ? turn.do.jump : undefined;
    const then = map(at, {
      do: scalar(at, target === undefined ? (turn.do as string) : 'jump'),
      to: target === undefined ? undefined : scalar(at, target),
      set: writes(at, turn.set),
    });
    return turn.when === undefined
      ? map(at, { else: map(at, { then }) })
      : map(at, { when: turn.when, then });
  });
  const policy =
    turns.length === 0 ? undefined : map(at, { policy: map(at, { rules: listNode(at, rules) }) });
  return map(at, { name: scalar(at, name), kind: scalar(at, 'noop'), spec: policy, set: writes(at, set) });
}

function writes(at: Located, set: Turn['set']): MapNode | undefined {
  if (set === undefined) return undefined;
  return map(at, Object.fromEntries(Object.entries(set).map(([key, value]) => [key, scalar(at, value)])));
}
