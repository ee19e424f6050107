import { labelled } from '../document/task';
import { type Located, type Report } from '../diagnostics/diagnostic';
import { checkShape } from '../schema/check';
import { asList, asMap, asText, child, type MapNode, type Node, present } from '../yaml/node';
import { router, scalar, type Turn } from './nodes';
import { type Construct, constructOf, ITEM } from './shape';

/** What a task of the flat list has to do with a construct. */
export interface Origin {
  readonly construct: Construct;
  readonly at: Located;
  /** The branch of `choose`, from 1; its `else` is the last. */
  readonly branch?: number;
  /** The construct made the task; the others are the author's. */
  readonly generated?: true;
  /** A way out that nothing may reach: then it is not needed. */
  readonly exit?: true;
}

export interface FlatTask {
  readonly name: string;
  readonly node: MapNode;
  readonly origin?: Origin;
  /** The list it was written in: jumps stay inside of it. */
  readonly block: string;
  /** Its end is the end of the pipeline, though other tasks stand below it. */
  readonly last?: true;
}

/** A list of tasks, and where its end leads. */
interface Place {
  /** The label in front of unnamed things in it; empty for the list of the step. */
  readonly prefix: string;
  /** The construct around it. */
  readonly origin?: Origin;
  /** The label behind its end; null where the pipeline ends. */
  readonly follow: string | null;
}

/**
 * Makes one list of tasks of nested constructs: routers evaluate the conditions, and every branch ends with a jump to
 * what stands behind the construct, so that nothing falls through into its neighbour.
 */
export function flatten(items: readonly Node[], report: Report): FlatTask[] {
  return new Flattener(report).list(items, { prefix: '', follow: null });
}

class Flattener {
  constructor(private readonly report: Report) {}

  list(items: readonly Node[], place: Place): FlatTask[] {
    const maps = items.flatMap((item) => (item.kind === 'map' ? [item] : []));
    const names = labelsOf(maps, place.prefix);
    return maps.flatMap((item, i) => {
      const follow = i + 1 < maps.length ? names[i + 1]! : place.follow;
      const construct = constructOf(item);
      if (construct === undefined) {
        const last = i + 1 === maps.length && place.follow === null && place.prefix !== '';
        return [this.task(item, names[i]!, place, last)];
      }
      checkShape(item, ITEM, this.report);
      const at = construct.entry.at;
      const label: Label = { name: names[i]!, at, block: place.prefix, follow };
      if (construct.construct === 'choose') return this.choose(construct.entry.value, label);
      const body = asMap(construct.entry.value);
      if (body === undefined) return broken(label, construct.construct);
      return construct.construct === 'while' ? this.while(body, label) : this.until(body, label);
    });
  }

  private task(item: MapNode, name: string, place: Place, last: boolean): FlatTask {
    const named = labelled(item) !== undefined || asText(present(item, 'name')) !== undefined;
    const at = item.entries[0]?.at ?? item;
    const entries = named ? item.entries : [{ key: 'name', at, value: scalar(at, name) }, ...item.entries];
    return {
      name,
      node: { ...item, entries },
      block: place.prefix,
      ...(place.origin === undefined ? {} : { origin: place.origin }),
      ...(last ? { last: true as const } : {}),
    };
  }

  private choose(branches: Node, label: Label): FlatTask[] {
    const { name, at, follow } = label;
    const origin: Origin = { construct: 'choose', at };
    const maps = (asList(branches)?.items ?? []).flatMap((item) => (item.kind === 'map' ? [item] : []));
    if (maps.length === 0) this.missing(at, '`choose` has no branches');
    const turns: Turn[] = [];
    const bodies: FlatTask[] = [];
    maps.forEach((branch, i) => {
      const when = present(branch, 'when');
      const tasks = asList(child(branch, when === undefined ? 'else' : 'then'));
      if (tasks === undefined) {
        this.missing(
          branch.entries[0]?.at ?? branch,
          'a branch of `choose` has `when` and `then`, or `else`',
        );
        return;
      }
      if (when !== undefined) this.condition(when, 'choose');
      const part = `${name}_${when === undefined ? 'else' : `when_${i + 1}`}`;
      const inner: Origin = { ...origin, branch: i + 1 };
      const body = this.list(tasks.items, { prefix: part, origin: inner, follow });
      const target = body[0]?.name;
      turns.push({
        ...(when === undefined ? {} : { when }),
        do: target === undefined ? leave(follow) : { jump: target },
      });
      bodies.push(...body);
      if (body.length === 0 || follow === null || i + 1 === maps.length) return;
      const exit = router(at, `${part}_end`, [{ do: { jump: follow } }]);
      bodies.push(made(`${part}_end`, exit, label, { ...inner, exit: true }));
    });
    if (turns.every((turn) => turn.when !== undefined)) turns.push({ do: leave(follow) });
    return [made(name, router(at, name, turns), label, origin), ...bodies];
  }

  private while(body: MapNode, label: Label): FlatTask[] {
    const { name, at, follow } = label;
    const origin: Origin = { construct: 'while', at };
    const max = present(body, 'max');
    // With `max` the label is where counting begins, and the turns come back to the check behind it.
    const check = max === undefined ? name : `${name}_check`;
    const { when, tasks } = this.turn(body, label, origin, check);
    if (when === undefined) return broken(label, origin.construct);
    const turns: Turn[] = [{ when, do: 'continue' }, { do: leave(follow) }];
    const back = router(at, `${name}_next`, [{ do: { jump: check } }]);
    return [
      ...(max === undefined
        ? []
        : [made(name, router(at, name, [], { [`${name}_turns`]: 0 }), label, origin)]),
      made(check, router(at, check, turns), label, origin),
      ...(max === undefined ? [] : [made(`${name}_count`, counter(at, name, max), label, origin)]),
      ...tasks,
      made(`${name}_next`, back, label, { ...origin, exit: true }),
    ];
  }

  private until(body: MapNode, label: Label): FlatTask[] {
    const { name, at, follow } = label;
    const origin: Origin = { construct: 'until', at };
    const max = present(body, 'max');
    const check = `${name}_check`;
    const { when, tasks } = this.turn(body, label, origin, check);
    if (when === undefined) return broken(label, origin.construct);
    const again = max === undefined ? tasks[0]!.name : `${name}_count`;
    const set = max === undefined ? undefined : { [`${name}_turns`]: 0 };
    return [
      made(name, router(at, name, [], set), label, origin),
      ...(max === undefined ? [] : [made(`${name}_count`, counter(at, name, max), label, origin)]),
      ...tasks,
      made(check, router(at, check, [{ when, do: leave(follow) }, { do: { jump: again } }]), label, origin),
    ];
  }

  /** The condition and the tasks of a repetition; no condition (and reported) where it lacks one of the two. */
  private turn(
    body: MapNode,
    label: Label,
    origin: Origin,
    follow: string,
  ): { when?: Node; tasks: readonly FlatTask[] } {
    const items = asList(child(body, 'do'))?.items ?? [];
    const tasks = this.list(items, { prefix: `${label.name}_do`, origin, follow });
    const when = present(body, 'when');
    if (when !== undefined) this.condition(when, origin.construct);
    if (items.length === 0 && child(body, 'do') !== undefined) this.missing(label.at, '`do` has no tasks');
    return when === undefined || tasks.length === 0 ? { tasks } : { when, tasks };
  }

  private missing(at: Located, message: string): void {
    this.report.add(
      'NT2005',
      at,
      message,
      'e.g. `choose: [{when: "{{ … }}", then: [{kind: …}]}, {else: [{kind: …}]}]`',
    );
  }

  /** `output` would be the outcome of the router, which is nothing. */
  private condition(when: Node, construct: Construct): void {
    const match = /(?<![.\w'"])(output|outcome|this|response|error)\b(?!\s*\()/.exec(withoutTexts(when));
    if (match === null) return;
    this.report.add(
      'NT3014',
      when,
      `\`${match[1]}\` has no value in the condition of \`${construct}\``,
      'use the task whose result you mean, or `_prev`, the result of the task before',
    );
  }
}

interface Label {
  readonly name: string;
  readonly at: Located;
  readonly block: string;
  readonly follow: string | null;
}

/** Stands for a construct that could not be read, so that its label is still there. */
function broken(label: Label, construct: Construct): FlatTask[] {
  return [made(label.name, router(label.at, label.name, []), label, { construct, at: label.at })];
}

/** A task of a construct. Only the first of them, which has its label, is for jumps of authors. */
function made(name: string, node: MapNode, label: Label, origin: Origin): FlatTask {
  const block = name === label.name ? label.block : `inside ${label.name}`;
  return { name, node, origin: { ...origin, generated: true }, block };
}

function leave(follow: string | null): Turn['do'] {
  return follow === null ? 'break' : { jump: follow };
}

/** Counts the turns, and fails the step at one too many. */
function counter(at: Located, name: string, max: Node): MapNode {
  const limit = max.kind === 'scalar' ? String(max.value).replace(/^\s*\{\{-?|-?\}\}\s*$/g, '') : '0';
  const turns = `${name}_turns`;
  return router(at, `${name}_count`, [
    { when: scalar(at, `{{ ${turns} >= ((${limit}) | int) }}`), do: 'fail' },
    { do: 'continue', set: { [turns]: `{{ ${turns} + 1 }}` } },
  ]);
}

function withoutTexts(node: Node): string {
  return node.kind === 'scalar' ? String(node.value).replace(/'[^']*'|"[^"]*"/g, "''") : '';
}

/** The names of tasks and constructs of one list; those of unnamed ones follow from where they stand. */
function labelsOf(items: readonly MapNode[], prefix: string): string[] {
  const counts: Record<string, number> = {};
  const before = prefix === '' ? '' : `${prefix}_`;
  return items.map((item, i) => {
    const construct = constructOf(item);
    const own = labelled(item)?.key ?? asText(present(item, 'name'));
    if (construct === undefined) return own ?? `${before}task_${i}`;
    counts[construct.construct] = (counts[construct.construct] ?? 0) + 1;
    return asText(present(item, 'name')) ?? `${before}${construct.construct}_${counts[construct.construct]}`;
  });
}
