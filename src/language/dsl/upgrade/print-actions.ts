import {
  compact,
  type Action,
  type Collect,
  type Move,
  type Overrides,
  type Retry,
  type RulePlan,
} from '../../plan';
import { assignments, type WrittenFields, optionalField, writtenValue } from './written';

/** Prints a sink by name. */
export type SinkPrinter = (name: string) => WrittenFields;

/** The actions of a rule as a list, in execution order; consecutive sinks are combined. */
export function printThen(
  rule: RulePlan,
  sink: SinkPrinter,
  arc: (index: number) => WrittenFields,
): WrittenFields[] {
  return [
    ...printActions(rule.actions, sink),
    ...(rule.endLoop ? [{ end_loop: true }] : []),
    ...(rule.move === undefined ? [] : [printMove(rule.move, arc)]),
  ];
}

/** Actions as a list; consecutive sinks are combined. */
export function printActions(actions: readonly Action[], sink: SinkPrinter): WrittenFields[] {
  const items: WrittenFields[] = [];
  for (const action of actions) {
    const before = items.at(-1);
    if (action.do === 'sink' && Array.isArray(before?.sink)) before.sink.push(sink(action.task));
    else items.push(printAction(action, sink));
  }
  return items;
}

function printAction(action: Action, sink: SinkPrinter): WrittenFields {
  switch (action.do) {
    case 'set':
      return assignments(action.set);
    case 'collect':
      return { collect: printCollect(action) };
    case 'sink':
      return { sink: [sink(action.task)] };
    case 'result':
      return { result: writtenValue(action.value) };
    case 'log':
      return { log: writtenValue(action.message) };
  }
}

function printMove(move: Move, arc: (index: number) => WrittenFields): WrittenFields {
  switch (move.do) {
    case 'retry':
      return move.endless
        ? { call: orTrue(printOverrides(move.overrides ?? {})) }
        : { retry: orTrue(printKnobs(move)) };
    case 'next':
      return { next: move.arcs.map(arc) };
    case 'fail':
      return { fail: orTrue(optionalField('message', move.message)) };
    case 'skip':
      return { skip: orTrue(optionalField('reason', move.reason)) };
    default:
      return { do: move.do, ...(move.do === 'jump' ? { to: move.to } : {}) };
  }
}

/** `call: true` if there are no fields. */
function orTrue(fields: WrittenFields): WrittenFields | true {
  return Object.keys(fields).length === 0 ? true : fields;
}

const MODES = { push: 'append', concat: 'extend', merge: 'merge', replace: 'replace' } as const;
const STRATEGIES = { push: 'collect', concat: 'append', merge: 'merge', replace: 'replace' } as const;

function printCollect({ from, into, mode, isResult }: Collect): WrittenFields {
  const target = `${into.scope}.${into.path.join('.')}`;
  if (!isResult) return { from: writtenValue(from), into: target, mode: MODES[mode] };
  const source = 'template' in from ? from.template.source : '';
  const path = /^\{\{ response\.([^]*) \}\}$/.exec(source)?.[1];
  return { strategy: STRATEGIES[mode], ...compact({ path }), into: target };
}

/** The options of a repetition, and changes for its next call. */
export function printKnobs(knobs: Retry): WrittenFields {
  return {
    ...optionalField('max_attempts', knobs.attempts),
    ...optionalField('initial_delay', knobs.delay),
    ...optionalField('backoff_multiplier', knobs.multiplier),
    ...compact({ backoff: knobs.backoff }),
    ...optionalField('max_delay', knobs.maxDelay),
    ...(knobs.overrides === undefined ? {} : printOverrides(knobs.overrides)),
  };
}

function printOverrides({ config, input }: Overrides): WrittenFields {
  return {
    ...(config === undefined ? {} : (writtenValue(config) as WrittenFields)),
    ...optionalField('input', input),
  };
}
