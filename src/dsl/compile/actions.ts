import { type Action, type Collect, type Overrides, type RetrySpec, type Value } from '../../plan';
import { carrying, type Place } from '../check/place';
import { type ActionDoc, type CollectDoc, type OverridesDoc, type RetryKnobs } from '../document/document';
import { type Node } from '../yaml/node';
import { type Values } from './values';
import { compileWrites } from './writes';

/** The actions of a rule of `case`, or of a policy of `retry`. */
export function compileActions(actions: readonly ActionDoc[], place: Place, values: Values): Action[] {
  return actions.map((action) => compileAction(action, place, values));
}

function compileAction(action: ActionDoc, place: Place, values: Values): Action {
  const at = values.at(action.at);
  switch (action.do) {
    case 'set':
      return { do: 'set', set: compileWrites(action.writes, place, values), at };
    case 'collect':
      return { do: 'collect', ...compileCollect(action, place, values) };
    case 'sink':
      return { do: 'sink', task: action.task, at };
    case 'result':
      return { do: 'result', value: values.value(action.value, { ...place, part: 'a result' }), at };
    case 'log':
      return {
        do: 'log',
        message: values.value(action.value, { ...place, part: 'a message of the log' }),
        at,
      };
    case 'call':
      return { do: 'call', overrides: compileOverrides(action.overrides, place, values), at };
    case 'retry':
      return { do: 'retry', at, ...compileKnobs(action, place, values) };
    case 'next':
      return { do: 'next', arcs: action.arcs, at };
    case 'fail':
      return {
        do: 'fail',
        ...optional('message', action.value, { ...place, part: 'a message' }, values),
        at,
      };
    case 'skip':
      return { do: 'skip', ...optional('reason', action.value, { ...place, part: 'a message' }, values), at };
  }
}

function compileCollect(collect: CollectDoc, place: Place, values: Values): Collect {
  return {
    from: values.value(collect.from, { ...place, part: 'what is collected' }),
    into: collect.into,
    mode: collect.mode,
    ...(collect.isResult ? { isResult: true as const } : {}),
    at: values.at(collect.at),
  };
}

/** How a repetition waits and ends, and what its next call changes. */
export function compileKnobs(knobs: RetryKnobs, place: Place, values: Values): RetrySpec {
  return {
    ...optional('attempts', knobs.attempts, place, values),
    ...optional('delay', knobs.delay, place, values),
    ...optional('multiplier', knobs.multiplier, place, values),
    ...(knobs.backoff === undefined ? {} : { backoff: knobs.backoff }),
    ...optional('maxDelay', knobs.maxDelay, place, values),
    ...(knobs.overrides === undefined ? {} : { overrides: compileOverrides(knobs.overrides, place, values) }),
  };
}

function compileOverrides({ config, input }: OverridesDoc, place: Place, values: Values): Overrides {
  return {
    ...(config.length === 0 ? {} : { config: values.map(config, carrying(place)) }),
    ...(input.length === 0 ? {} : { input: values.map(input, carrying(place)) }),
  };
}

function optional<K extends string>(
  key: K,
  node: Node | undefined,
  place: Place,
  values: Values,
): Partial<Record<K, Value>> {
  return node === undefined ? {} : ({ [key]: values.value(node, place) } as Partial<Record<K, Value>>);
}
