/** Where steps of abstract playbooks lead, in the `current` vocabulary. */
import { actsOf, type Around, decide, flag, isSet, rule } from './blocks';
import { endMove } from './end-move';
import { nameOf, type Text } from './text';

const any = (guards: readonly string[]): string =>
  guards.length === 0 ? 'false' : `(${guards.join(' or ')})`;
const unless = (guards: readonly string[]): string => (guards.length === 0 ? 'true' : `not ${any(guards)}`);

/** Rules with a `next`, in their order, by the moment they choose at. */
const OF_THE_CALL = ['picked', 'done', 'error', 'otherwise'] as const;
const OF_THE_END = ['exit', 'over', 'otherwise'] as const;

function targetsOf(
  { step }: Around,
  names: readonly (keyof Around['step'])[],
  at: 'call' | 'end',
): [string, number][] {
  return names.flatMap((name): [string, number][] => {
    const act = step[name] as { next?: number; at?: string } | undefined;
    if (act?.next === undefined || (act.at !== undefined && act.at !== at)) return [];
    return [[name, act.next]];
  });
}

function arc(around: Around, to: number, at: string | null, when: string): Text {
  const { name, count } = around;
  const args = at === null ? {} : { args: { via: `${name} ${at}` } };
  return { step: nameOf(to, count), when: `{{ ${when} }}`, ...args };
}

/** The arcs of the step itself; of a loop, all lead to its boundary. */
export function arcsOf(around: Around): Text[] {
  const { step, name } = around;
  const failed = failedStep(around).length > 0;
  const exited = step.loop ? '' : ` and not ${isSet(name, 'exited')}`;
  const toFailed = failed
    ? [{ step: `${name}__failed`, when: `{{ event.name == 'step.failed'${exited} }}` }]
    : [];
  if (step.loop) return [{ step: `${name}__end`, when: "{{ event.name == 'step.done' }}" }, ...toFailed];
  const entered: [string, number][] =
    step.enter?.holds && step.enter.next !== undefined ? [['enter', step.enter.next]] : [];
  const calls = targetsOf(around, OF_THE_CALL, 'call');
  const ends = targetsOf(around, OF_THE_END, 'end');
  const chosen = [...entered, ...calls, ...ends];
  return [
    arc(around, step.structural, null, unless(chosen.map(([at]) => isSet(name, at)))),
    ...united(around, chosen),
    ...toFailed,
  ];
}

/** The arcs of choices, each target once: of the first that names it. */
function united(around: Around, chosen: readonly [string, number][], flagOf = (at: string) => at): Text[] {
  const { name } = around;
  return chosen.map(([at, to], index) => {
    const before = chosen.slice(0, index).filter(([, other]) => other === to);
    const earlier = before.map(([one]) => isSet(name, flagOf(one)));
    return arc(around, to, at, `${isSet(name, flagOf(at))} and ${unless(earlier)}`);
  });
}

/** The boundary of a loop: its rules, and the choices of its iterations. */
export function boundaryStep(around: Around): Text[] {
  const { step, name } = around;
  const { loop, exit, over, otherwise, inclusive } = step;
  if (!loop) return [];
  const tasks: Text[] = [];
  // A rule that stores has only its move left, and nothing if it held in an iteration.
  const isAsked = exit !== undefined && (!exit.sink || exit.next !== undefined);
  const moves = exit && { next: exit.next };
  const end = otherwise?.at === 'end' ? otherwise : undefined;
  const later = [
    ...(over ? [['over', over] as const] : []),
    ...(end && (!over || false) ? [['otherwise', end] as const] : []),
  ];
  const block = (
    task: string,
    found: readonly (readonly ['exit' | 'over' | 'otherwise', Around['step']['exit'] & object])[],
  ): Text[] => [
    ...found.flatMap(([at, one]) =>
      at === 'exit' && one.sink ? [] : actsOf(around, one, at, `${name}_${task}_${at}`),
    ),
    ...endMove(`${name}_${task}`, name, found),
    decide(`${name}_${task}_break`, [rule(undefined, 'break')]),
  ];
  const held = exit?.sink ? isSet(name, 'held') : 'false';
  tasks.push(
    decide(`${name}_at_end`, [
      ...(isAsked ? [rule(`not ${held}`, 'jump', { to: `${name}_first` })] : []),
      rule(undefined, 'jump', { to: `${name}_later` }),
    ]),
  );
  tasks.push({ name: `${name}_first`, kind: 'noop' });
  if (isAsked) {
    const found = [['exit', { ...exit, ...moves }] as const];
    tasks.push(...block('asked', inclusive && over ? [...found, ['over', over]] : found));
  }
  tasks.push({ name: `${name}_later`, kind: 'noop' }, ...block('behind', later));
  const chosen = [...targetsOf(around, OF_THE_CALL, 'call'), ...targetsOf(around, OF_THE_END, 'end')];
  const arcs = united(around, chosen);
  const structural = arc(around, step.structural, null, unless(chosen.map(([at]) => isSet(name, at))));
  return [
    { step: `${name}__end`, tool: tasks, next: { spec: { mode: 'inclusive' }, arcs: [structural, ...arcs] } },
  ];
}

/** What follows a failure, if something does. */
export function failedStep(around: Around): Text[] {
  const { step, name } = around;
  const { error, otherwise, failed } = step;
  const handlers: [string, number][] = [
    ...(error?.next !== undefined && !error.result ? [['error', error.next] as [string, number]] : []),
    ...(otherwise?.next !== undefined && otherwise.at === 'call'
      ? [['otherwise', otherwise.next] as [string, number]]
      : []),
  ];
  const end = otherwise?.at === 'end' ? otherwise : undefined;
  const act = failed ?? end;
  const at = failed ? 'failed' : 'otherwise';
  if (handlers.length === 0 && !act) return [];
  const handled = handlers.map(([one]) => isSet(name, `${one}_handled`));
  const chooses = act?.next === undefined ? {} : { set: { [flag(name, `${at}_late`)]: true } };
  const last = rule(undefined, act?.next === undefined ? 'fail' : 'continue', chooses);
  return [
    {
      step: `${name}__failed`,
      tool: [
        ...(act ? actsOf(around, act, at, `${name}_${at}_acts`) : []),
        decide(`${name}_${at}_move`, [...(act?.fail ? [] : [rule(any(handled), 'continue', chooses)]), last]),
      ],
      next: {
        spec: { mode: 'inclusive' },
        arcs: [
          ...united(
            around,
            [...handlers, ...(act?.next === undefined ? [] : [[at, act.next] as [string, number]])],
            (one) =>
              one === at && act?.next !== undefined && !handlers.some(([by]) => by === one)
                ? `${one}_late`
                : `${one}_handled`,
          ),
        ],
      },
    },
  ];
}
