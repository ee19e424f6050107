/**
 * Secret values from outside: outputs of tasks with `spec.sensitive`, secret fields of the workload. They are
 * stored encrypted beside the large results of their execution, and deleted with these; history contains a handle
 * and the location of the ciphertext.
 */
import { randomBytes } from 'node:crypto';
import { type KeyRing } from '../keyring';
import { type ReferenceOrigin, type ResultStore } from '../payloads';
import { type Json, type SecretReference, workflowId } from '../../language/plan';
import { EnvironmentError } from '../../language/errors';

/** The provider of a secret reference: only the engine's own table has one, playbooks cannot write it. */
export const SEALED = 'sealed';

export interface SealedValues {
  /**
   * Stores an encrypted value.
   *
   * @param executionId its owner, which determines its retention
   * @throws EnvironmentError `SEALED_STORE`, KeyRingError; ApplicationFailure of the store
   */
  seal(value: Json, executionId: string, signal: AbortSignal): Promise<SecretReference>;
  /** @throws EnvironmentError `SEALED_STORE`, `SEALED_GONE`, KeyRingError; ApplicationFailure of the store */
  open(ref: SecretReference, signal: AbortSignal): Promise<Json>;
  /** Checks that values can be sealed here. @throws as `seal` */
  check(): void;
}

/**
 * @param keys called when the first value is sealed or opened: a process without sealed values needs no key
 * @param results storage of ciphertexts; undefined: this process has no store
 */
export function sealedValues(keys: () => KeyRing, results: ResultStore | undefined): SealedValues {
  let ring: KeyRing | undefined;
  const opened = (): { ring: KeyRing; store: ResultStore } => {
    if (!results) throw withoutStore();
    return { ring: (ring ??= keys()), store: results };
  };
  return {
    check: () => void opened(),
    async seal(value, executionId, signal) {
      const { ring, store } = opened();
      const id = randomBytes(16).toString('hex');
      const data = ring.seal(JSON.stringify(value), placeOf(executionId, id));
      const payload = { metadata: { encoding: Buffer.from('binary/plain') }, data };
      const { store: name, key, checksum } = await store.put(workflowId(executionId), payload, signal);
      return { provider: SEALED, secret: id, execution_id: executionId, store: name, key, checksum };
    },
    async open(ref, signal) {
      const { ring, store } = opened();
      const { execution_id, store: name, key, checksum } = ref as unknown as Record<string, string>;
      const origin: ReferenceOrigin = { store: name!, key: key!, checksum: checksum! };
      const payload = await store.get(origin, signal);
      if (!payload?.data) {
        const message = `the secret value ${ref.secret} is kept in ${name}, which is not one of this worker's stores (${store.shown})`;
        throw new EnvironmentError('SEALED_GONE', message, [
          'Start the worker with the same storage as the others.',
        ]);
      }
      const plain = ring.open(payload.data, placeOf(execution_id!, ref.secret));
      return JSON.parse(plain.toString('utf8'));
    },
  };
}

/** The place to which a ciphertext is bound: one of another value cannot be opened in its place. */
function placeOf(executionId: string, id: string): string {
  return `sealed/${executionId}/${id}`;
}

function withoutStore(): EnvironmentError {
  return new EnvironmentError('SEALED_STORE', 'no store for secret values is configured', [
    'Set --storage or NOETL_STORAGE to a location that all workers share (docs/large-results.md).',
  ]);
}
