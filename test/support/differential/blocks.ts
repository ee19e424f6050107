/** Tasks and rules of the `current` vocabulary, as the abstract playbooks need them. */
import { type AbstractStep, type Act } from './abstract';
import { collected, type Text } from './text';

/** A step under translation: its name and its number of the playbook's steps. */
export interface Around {
  readonly step: AbstractStep;
  readonly name: string;
  readonly count: number;
}

/** A name of a rule's flag: set when the rule's `next` is taken. */
export const flag = (name: string, at: string): string => `ctx.f_${name}_${at}`;
export const isSet = (name: string, at: string): string => `(${flag(name, at)} | default(false))`;

export function rule(when: string | undefined, move: string, more: Text = {}): Text {
  const then = { do: move, ...more };
  return when === undefined ? { else: { then } } : { when: `{{ ${when} }}`, then };
}

/** A task that only decides. */
export function decide(name: string, rules: readonly Text[]): Text {
  return { name, kind: 'noop', spec: { policy: { rules } } };
}

export function jump(to: string, set?: Text): Text {
  return rule(undefined, 'jump', { to, ...(set ? { set } : {}) });
}

/** Gives its value; what the step, or the iteration, comes to. */
export function give(name: string, value: unknown): Text {
  return {
    name,
    kind: 'python',
    code: 'result = 1',
    input: { value },
    spec: { policy: { rules: [rule("output.status == 'ok'", 'break'), rule(undefined, 'fail')] } },
  };
}

export function store({ name }: Around, at: string, iterates: boolean, got?: string): Text {
  return {
    name: `${name}_k_${at}`,
    kind: 'python',
    code: 'result = 1',
    input: { at, n: iterates ? '{{ n }}' : 0, ...(got === undefined ? {} : { got: `{{ ${got} }}` }) },
  };
}

/** The rows gathered so far. */
export function rowsOf({ step, name }: Around): string {
  return rowsIn(sharesRows(step) ? 'iter.mine' : collected(step.collect!, name));
}

function rowsIn(place: string): string {
  return `(${place} | default([]))`;
}

/** Iterations share the place, and the result of each is its own. */
function sharesRows({ loop, collect }: Around['step']): boolean {
  return loop !== undefined && collect!.into === 'ctx';
}

/** Gathers the page's rows. */
export function gather(around: Around): Text {
  const { step, name } = around;
  const place = collected(step.collect!, name);
  return {
    [place]: `{{ ${rowsIn(place)} + ${name}_fetch.rows }}`,
    ...(sharesRows(step) ? { 'iter.mine': `{{ ${rowsIn('iter.mine')} + ${name}_fetch.rows }}` } : {}),
    'iter.gathered': step.collect!.isResult,
  };
}

/** What a rule writes and stores, as tasks of these names. */
export function actsOf(
  around: Around,
  act: Act,
  at: string,
  task: string,
  more: Text = {},
  got?: string,
): Text[] {
  const set = {
    ...(act.set ? { [`ctx.x_${around.name}_${at}`]: true } : {}),
    ...more,
    ...(act.result ? { 'iter.value': { was: at }, 'iter.replaced': true } : {}),
  };
  const iterates = around.step.loop !== undefined && ['picked', 'done', 'error', 'exit'].includes(at);
  return [
    { name: task, kind: 'noop', ...(Object.keys(set).length > 0 ? { set } : {}) },
    ...(act.sink
      ? [{ ...store(around, at, iterates, act.result ? 'iter.value' : got), name: `${task}_k_${at}` }]
      : []),
  ];
}
