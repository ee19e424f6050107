import { type LoopPlan } from '../../plan';
import { type Place } from '../check/place';
import { type StepDoc } from '../document/document';
import { type Values } from './values';

export function compileLoop(step: StepDoc, values: Values): LoopPlan | undefined {
  const { loop } = step;
  if (loop === undefined) return undefined;
  const place: Place = { kind: 'loop', step };
  return {
    in: values.value(loop.in, place),
    iterator: loop.iterator,
    mode: loop.mode,
    ...(loop.maxInFlight === undefined ? {} : { maxInFlight: values.value(loop.maxInFlight, place) }),
    exec: loop.exec,
    at: values.at(loop.at),
  };
}
