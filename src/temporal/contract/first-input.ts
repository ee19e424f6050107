/** First input of an execution's machine; shared by the driver and src/history, which must agree on it. */
import { type Input } from '../../engine/machine';
import { type PlaybookInput } from './definitions';

export function firstInput({ state, payload, secrets, call, rerun }: PlaybookInput): Input {
  if (rerun) return { type: 'rerun', ...rerun, payload: { ...payload }, ...(secrets && { secrets }) };
  if (state) return { type: 'continued' };
  return {
    type: 'started',
    payload: { ...payload },
    ...(call && { caller: call.caller }),
    ...(secrets && { secrets }),
  };
}
