import {
  compact,
  type Action,
  type Collect,
  type Move,
  type Overrides,
  type Retry,
  type Rule,
} from '../../plan';
import { assignments, type Fields, optional, written } from './written';

/** Prints a sink by name. */
export type SinkPrinter = (name: string) => Fields;

/** The actions of a rule as a list, in execution order; consecutive sinks are combined. */
export function printThen(rule: Rule, sink: SinkPrinter, arc: (index: number) => Fields): Fields[] {
  return [
    ...printActions(rule.actions, sink),
    ...(rule.endLoop ? [{ end_loop: true }] : []),
    ...(rule.move === undefined ? [] : [printMove(rule.move, arc)]),
  ];
}

/** Actions as a list; consecutive sinks are combined. */
export function printActions(actions: readonly Action[], sink: SinkPrinter): Fields[] {
  const items: Fields[] = [];
  for (const action of actions) {
    const before = items.at(-1);
    if (action.do === 'sink' && Array.isArray(before?.sink)) before.sink.push(sink(action.task));
    else items.push(printAction(action, sink));
  }
  return items;
}

function printAction(action: Action, sink: SinkPrinter): Fields {
  switch (action.do) {
    case 'set':
      return assignments(action.set);
    case 'collect':
      return { collect: printCollect(action) };
    case 'sink':
      return { sink: [sink(action.task)] };
    case 'result':
      return { result: written(action.value) };
    case 'log':
      return { log: written(action.message) };
  }
}

function printMove(move: Move, arc: (index: number) => Fields): Fields {
  switch (move.do) {
    case 'retry':
      return move.endless
        ? { call: orTrue(printOverrides(move.overrides ?? {})) }
        : { retry: orTrue(printKnobs(move)) };
    case 'next':
      return { next: move.arcs.map(arc) };
    case 'fail':
      return { fail: orTrue(optional('message', move.message)) };
    case 'skip':
      return { skip: orTrue(optional('reason', move.reason)) };
    default:
      return { do: move.do, ...(move.do === 'jump' ? { to: move.to } : {}) };
  }
}

/** `call: true` if there are no fields. */
function orTrue(fields: Fields): Fields | true {
  return Object.keys(fields).length === 0 ? true : fields;
}

const MODES = { push: 'append', concat: 'extend', merge: 'merge', replace: 'replace' } as const;
const STRATEGIES = { push: 'collect', concat: 'append', merge: 'merge', replace: 'replace' } as const;

function printCollect({ from, into, mode, isResult }: Collect): Fields {
  const target = `${into.scope}.${into.path.join('.')}`;
  if (!isResult) return { from: written(from), into: target, mode: MODES[mode] };
  const source = 'template' in from ? from.template.source : '';
  const path = /^\{\{ response\.([^]*) \}\}$/.exec(source)?.[1];
  return { strategy: STRATEGIES[mode], ...compact({ path }), into: target };
}

/** The options of a repetition, and changes for its next call. */
export function printKnobs(knobs: Retry): Fields {
  return {
    ...optional('max_attempts', knobs.attempts),
    ...optional('initial_delay', knobs.delay),
    ...optional('backoff_multiplier', knobs.multiplier),
    ...compact({ backoff: knobs.backoff }),
    ...optional('max_delay', knobs.maxDelay),
    ...(knobs.overrides === undefined ? {} : printOverrides(knobs.overrides)),
  };
}

function printOverrides({ config, input }: Overrides): Fields {
  return { ...(config === undefined ? {} : (written(config) as Fields)), ...optional('input', input) };
}
