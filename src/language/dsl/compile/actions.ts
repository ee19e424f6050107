import { type Action, type Collect, compact, type Move, type Overrides, type Retry } from '../../plan';
import { withToolScope, type TemplatePlace } from '../check/place';
import { type ActionDoc, type CollectDoc, type OverridesDoc, type RetryKnobs } from '../document/document';
import { type Values } from './values';
import { compileWrites } from './writes';

type MoveDoc = Extract<ActionDoc, { do: 'call' | 'retry' | 'next' | 'fail' | 'skip' }>;

/**
 * The effect of a rule: its actions in order, and the first of its moves; a `next` carries along the arcs of the
 * others.
 */
export interface Does {
  readonly actions: Action[];
  readonly move?: Move;
  readonly endLoop?: true;
}

/** The actions of a rule of `case`, or of a policy of `retry`. */
export function compileActions(docs: readonly ActionDoc[], place: TemplatePlace, values: Values): Does {
  const moves = docs.filter(isMove);
  const move = moves[0] === undefined ? undefined : compileMove(moves[0], place, values);
  const arcs = moves.flatMap((one) => (one.do === 'next' ? one.arcs : []));
  return {
    actions: docs.flatMap((doc) =>
      isMove(doc) || doc.do === 'end_loop' ? [] : [compileAction(doc, place, values)],
    ),
    ...(docs.some((doc) => doc.do === 'end_loop') ? { endLoop: true as const } : {}),
    ...(move === undefined ? {} : { move: move.do === 'next' ? { ...move, arcs } : move }),
  };
}

function isMove(doc: ActionDoc): doc is MoveDoc {
  return ['call', 'retry', 'next', 'fail', 'skip'].includes(doc.do);
}

function compileMove(doc: MoveDoc, place: TemplatePlace, values: Values): Move {
  const at = values.at(doc.at);
  const messagePlace = { ...place, part: 'a message' };
  switch (doc.do) {
    case 'call': {
      const overrides = compileOverrides(doc.overrides, place, values);
      return { do: 'retry', endless: true, overrides, exhausted: 'fall_through', at };
    }
    case 'retry':
      return { do: 'retry', ...compileKnobs(doc, place, values), exhausted: 'fall_through', at };
    case 'next':
      return { do: 'next', arcs: doc.arcs, at };
    case 'fail':
      return { do: 'fail', ...values.given({ message: doc.value }, messagePlace), at };
    case 'skip':
      return { do: 'skip', ...values.given({ reason: doc.value }, messagePlace), at };
  }
}

function compileAction(
  action: Exclude<ActionDoc, MoveDoc | { do: 'end_loop' }>,
  place: TemplatePlace,
  values: Values,
): Action {
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
  }
}

function compileCollect(collect: CollectDoc, place: TemplatePlace, values: Values): Collect {
  return {
    from: values.value(collect.from, { ...place, part: 'what is collected' }),
    into: collect.into,
    mode: collect.mode,
    ...(collect.isResult ? { isResult: true as const } : {}),
    at: values.at(collect.at),
  };
}

/** The delays and the limit of a repetition, and the overrides of its next call. */
export function compileKnobs(
  knobs: RetryKnobs,
  place: TemplatePlace,
  values: Values,
): Omit<Retry, 'exhausted' | 'at'> {
  const { attempts, delay, multiplier, backoff, maxDelay, overrides } = knobs;
  return {
    ...values.given({ attempts, delay, multiplier }, place),
    ...compact({ backoff }),
    ...values.given({ maxDelay }, place),
    ...(overrides && { overrides: compileOverrides(overrides, place, values) }),
  };
}

function compileOverrides({ config, input }: OverridesDoc, place: TemplatePlace, values: Values): Overrides {
  return {
    ...(config.length > 0 && { config: values.map(config, withToolScope(place)) }),
    ...(input.length > 0 && { input: values.map(input, withToolScope(place)) }),
  };
}
