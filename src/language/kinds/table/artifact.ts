/** The store of large results. */
import { type KindDeclaration } from '../declaration';
import { TIMEOUT } from '../fields';
import { type Datasets, type ToolFields, storedAt } from '../lineage';

/** What was written is named by the result. */
function used({ ref, result_ref, action }: ToolFields, result?: unknown): Partial<Datasets> {
  const reference = ref ?? result_ref;
  return action === 'put' || reference === undefined
    ? { outputs: storedAt(result) }
    : { inputs: storedAt(reference) };
}

export const artifactKind: KindDeclaration = {
  doc: 'Writes a value to the store of large results, or reads one by its reference.',
  closed: true,
  uncached: 'stores and reads values of its execution, which are deleted with it',
  fields: {
    action: '`put` or `get`; default `put` if there is `data`.',
    data: 'With `put`: the value to store, any data.',
    ref: 'With `get`: the reference, `{{ step._ref }}` or what `put` returned.',
    result_ref: 'Alias of `ref`.',
    save_to: 'With `get`: the file of the worker to write the value to, of any size.',
    response_type: 'With `get`, for a body: `json`, `text` or `binary`; default from its content type.',
    ...TIMEOUT,
  },
  required: [],
  exclusive: [
    ['data', 'ref', 'result_ref'],
    ['timeout', 'timeout_seconds'],
  ],
  types: { action: { words: ['put', 'get'] } },
  lineage: { uses: used },
  timeout: 60,
  delivery: { killed: 'at least once, with the same content in the same place' },
};
