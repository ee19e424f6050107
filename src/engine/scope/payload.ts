/** How the `case` vocabulary reads a call (D10, D17): `result` and `page`, `error` as text. */
import { type Json, type JsonObject } from '../../plan';
import { View } from '../../template/runtime';
import { type TaskResult } from '../state';
import { own, payloadOf } from './views';

/** Kind of a result that an action put in the place of what the tool gave: its payload is the whole of it. */
const REPLACED = 'result';

/** The call's result with another payload; the envelope keeps what is known of the answer (status code, headers). */
export function withPayload(task: TaskResult | undefined, payload: Json): TaskResult {
  const outcome = { meta: {}, ...task?.outcome, status: 'ok', result: payload, error: null } as const;
  return { kind: REPLACED, outcome };
}

/** `result` and `page`: the payload, with `.data` and `.result` for the payload itself. */
export class PayloadView extends View {
  constructor(private readonly task: TaskResult) {
    super();
  }

  get(key: string | number): unknown {
    const payload = payloadOf(this.task);
    for (const container of [payload, this.task.outcome.result]) {
      const found = own(container, key);
      if (found !== undefined) return found;
    }
    return key === 'data' || key === 'result' ? payload : undefined;
  }

  plain(): unknown {
    return payloadOf(this.task);
  }
}

/** `error` in `retry`: its message wherever text or a value is asked for, its fields by name. */
export class ErrorText extends View {
  constructor(private readonly error: JsonObject) {
    super();
  }

  get(key: string | number): unknown {
    return own(this.error, key);
  }

  plain(): unknown {
    return this.error['message'] ?? this.error['code'] ?? 'error';
  }
}
