/** How an execution stood after an event, as its page in the console shows it. */
import { boundedValues, eventStream } from '../../../../history';
import { KeyframeWriter } from '../../../../history/keyframes';
import { type Moment } from '../../../../history/moment';
import { type HostReading } from '../../../reading/from-host';
import { noEvent } from './common';
import { VARIABLE_LIMIT } from './status';

export interface MomentAsked {
  /** Position of the event; undefined: the last one. */
  readonly at?: number;
}

/** @throws FacadeError 404 if there is no such event */
export async function momentAt(reading: HostReading, { at = Infinity }: MomentAsked): Promise<object> {
  const recorder = new KeyframeWriter();
  const derivation = reading.derivation({ recorder });
  for await (const _ of eventStream(reading.pages(), derivation)) if (derivation.lastSeq >= at) break;
  const last = derivation.lastSeq;
  const seq = at === Infinity ? last : at;
  const moment = seq > last ? undefined : await recorder.momentAt(seq);
  if (!moment) throw noEvent(reading.id, at, last);
  return momentDocument(reading.id, seq, moment);
}

export function momentDocument(id: string, seq: number, moment: Moment): object {
  const { result = null, error = null, ...rest } = moment;
  const variables = boundedValues(moment.variables, VARIABLE_LIMIT, `${id}/${seq}`);
  return { execution_id: id, seq, ...rest, variables, result, error };
}
