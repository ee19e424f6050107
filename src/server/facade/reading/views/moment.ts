/** How an execution stands at an event, as its page in the console shows it. */
import { boundedValue, eventStream } from '../../../../history';
import { keptMoment, type Moment, Moving } from '../../../../history/moment';
import { type JsonObject } from '../../../../language/plan';
import { type HostReading } from '../../../reading/from-host';
import { noEvent } from './common';
import { VARIABLE_LIMIT } from './status';

export interface MomentAsked {
  /** Position of the event; undefined: the last one. */
  readonly at?: number;
}

/** @throws FacadeError 404 if there is no such event */
export async function momentAt(reading: HostReading, { at = Infinity }: MomentAsked): Promise<object> {
  const moving = new Moving();
  let now: { readonly ctx: JsonObject; readonly workload: JsonObject } | undefined;
  const derivation = reading.derivation({
    watcher: {
      event: (_event, { ctx, workload }, { seq }) => {
        if (seq === at) now = structuredClone({ ctx, workload });
      },
    },
  });
  let reached = 0;
  for await (const events of eventStream(reading.pages(), derivation)) {
    for (const event of events) {
      if (reached === at) break;
      moving.take(event, Date.parse(event.timestamp));
      reached = event.seq;
    }
    if (reached === at) break;
  }
  if (reached === 0 || (at !== Infinity && reached < at)) throw noEvent(reading.id, at, reached);
  const { ctx, workload } = now ?? derivation.state;
  moving.variables = ctx;
  return momentDocument(reading.id, reached, { ...moving.moment, workload });
}

export function momentDocument(id: string, seq: number, moment: Moment): object {
  const { workload, variables, result = null, error = null } = moment;
  const shown = Object.entries(variables).map(([name, value]) => [
    name,
    boundedValue(name, value as never, VARIABLE_LIMIT, `${id}/${seq}`),
  ]);
  const rest = { workload, variables: Object.fromEntries(shown) as object, result, error };
  return { execution_id: id, seq, ...keptMoment(moment), ...rest };
}
