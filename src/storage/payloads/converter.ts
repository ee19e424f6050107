/**
 * The payload converter of clients, workers, workflows and readers of history: the SDK's own, plus the metadata for
 * external storage (inline.ts, reference.ts) and compression (compressible.ts). It also runs in the workflow sandbox.
 */
import {
  type ConverterHint,
  defaultPayloadConverter,
  type Payload,
  type PayloadConverter,
  type SerializationContext,
} from '@temporalio/common';
import { decode, encode } from '@temporalio/common/lib/encoding';
import { COMPRESSIBLE, isCompressible } from './compressible';
import {
  DEFAULT_INLINE_BYTES,
  fitsInlineBudget,
  inlineLimitOf,
  REFERENCE_FIRST_BYTES,
  STORE_FROM,
} from './inline';
import { WAS_ENCRYPTED } from './encrypted';
import { GRANT, GRANT_REQUEST, grantRequestOf, withGrant } from './grants';
import { hideFailureTexts } from './failure-converter';
import { FETCHED_FROM, type ReferenceOrigin, remember } from './reference';
import { payloadOnce } from './written-once';

export const payloadConverter: PayloadConverter = {
  toPayload: (value, context, hint) => payloadOnce(value, () => written(value, context, hint)),
  fromPayload<T>(payload: Payload, context?: SerializationContext, hint?: ConverterHint<T>): T {
    const value = defaultPayloadConverter.fromPayload(payload, context, hint);
    if (payload.metadata?.[WAS_ENCRYPTED]) hideFailureTexts();
    const grant = payload.metadata?.[GRANT];
    if (grant && typeof value === 'object' && value !== null) withGrant(value, decode(grant));
    const origin = payload.metadata?.[FETCHED_FROM];
    if (origin) remember(value, JSON.parse(decode(origin)) as ReferenceOrigin, payload.data?.length ?? 0);
    return value;
  },
};

function written(value: unknown, context?: SerializationContext, hint?: ConverterHint): Payload {
  const payload = defaultPayloadConverter.toPayload(value, context, hint);
  const request = grantRequestOf(value);
  const payloadAsking = request ? marked(payload, GRANT_REQUEST, JSON.stringify(request)) : payload;
  const packed = isCompressible(value) ? marked(payloadAsking, COMPRESSIBLE, '1') : payloadAsking;
  const from = inlineLimitOf(value);
  const size = payload.data?.length ?? 0;
  if (size < (from ?? DEFAULT_INLINE_BYTES) && !fitsInlineBudget(size))
    return marked(packed, STORE_FROM, String(REFERENCE_FIRST_BYTES));
  return from === undefined ? packed : marked(packed, STORE_FROM, String(from));
}

function marked(payload: Payload, key: string, value: string): Payload {
  return { ...payload, metadata: { ...payload.metadata, [key]: encode(value) } };
}
