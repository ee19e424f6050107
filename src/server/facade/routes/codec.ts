/**
 * `/codec`: decrypts and decompresses payloads for the Temporal UI and CLI, in Temporal's codec server protocol.
 * The result is data of runs, which `read` covers anyway, and never the value of a credential, because no payload
 * contains one.
 */
import { z } from 'zod';
import { decodeForPeople, fromJson, payloadCodec, payloadToJson } from '../../../storage/codec';
import { route } from './declare';
import { keysOf } from './secrets';

const base64 = z.string().regex(/^[A-Za-z0-9+/]*={0,2}$/, 'expected base64');

const payloads = z.object({
  payloads: z.array(
    z.object({
      metadata: z.record(z.string(), base64).nullish(),
      data: base64.nullish(),
    }),
  ),
});

const common = {
  body: payloads,
  errors: [503],
} as const;

const answer = (description: string) => ({ 200: { description, body: payloads } });

export const codecRoutes = [
  route('POST /codec/decode', {
    ...common,
    scope: 'read',
    summary: 'Decrypt and decompress payloads as Temporal stores them',
    description:
      'For `temporal server start-dev --ui-codec-endpoint`, the settings of the UI, or `temporal --codec-endpoint`.',
    answers: answer('The same number in the same order; what cannot be decrypted is unchanged'),
    async handle({ body }, services) {
      return {
        payloads: (await decodeForPeople(body.payloads.map(fromJson), services.keys)).map(payloadToJson),
      };
    },
  }),
  route('POST /codec/encode', {
    ...common,
    scope: 'run',
    acts: false,
    summary: 'Encrypt payloads as workers read them, for signals sent by hand',
    answers: answer('The same number, in the same order'),
    async handle({ body }, services) {
      const codec = payloadCodec({ encrypt: true, keys: () => keysOf(services) });
      return { payloads: (await codec.encode(body.payloads.map(fromJson))).map(payloadToJson) };
    },
  }),
];
