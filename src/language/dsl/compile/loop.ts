import { type CursorPlan, type LoopPlan } from '../../plan';
import { type TemplatePlace } from '../check/place';
import { type LoopDoc } from '../document/document';
import { type Values } from './values';

/** Compiles the loop of a step or task; `place` is where its list is evaluated. */
export function compileLoop(loop: LoopDoc, place: TemplatePlace, values: Values): LoopPlan {
  return {
    in: loop.in ? values.value(loop.in, place) : { const: [] },
    ...(loop.cursor && {
      cursor: {
        ...loop.cursor,
        frame: values.map(loop.cursor.frame, place),
        ...values.given({ maxRows: loop.cursor.maxRows }, place),
      } as CursorPlan,
    }),
    iterator: loop.iterator,
    mode: loop.mode,
    ...values.given({ maxInFlight: loop.maxInFlight }, place),
    exec: loop.exec === 'distributed' ? 'distributed' : 'inline',
    at: values.at(loop.at),
  };
}
