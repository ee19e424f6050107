/** The header `Idempotency-Key`. */
import { type Request } from 'express';
import { invalidField } from '../http/errors';

const HEADER = 'idempotency-key';

/**
 * The key of a request, if any.
 *
 * @throws FacadeError 422 if it is empty, longer than 255 characters, or not visible ASCII
 */
export function idempotencyKey(request: Pick<Request, 'get'>): string | undefined {
  const key = request.get(HEADER);
  if (key === undefined || /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw invalidField(
    `header.${HEADER}`,
    'IDEMPOTENCY_KEY',
    'the header Idempotency-Key must have 1 to 255 visible ASCII characters',
  );
}
