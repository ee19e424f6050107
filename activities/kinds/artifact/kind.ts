/** The store of large results. */
import { type KindDeclaration } from '../../../src/kinds/declaration';

export const artifact: KindDeclaration = {
  doc: 'Puts a value into the store of large results, and fetches one by its reference.',
  closed: true,
  fields: {
    action: '`put` or `get`; `put` where there is `data`, unless written.',
    data: 'With `put`: the value to store, any data.',
    ref: 'With `get`: the reference, `{{ step._ref }}` or what `put` returned.',
    result_ref: 'The same as `ref`.',
    save_to: 'With `get`: the file of the worker into which it goes, of any size.',
    response_type: 'With `get`, of a body: `json`, `text` or `binary`; by its content type unless written.',
    timeout: 'Seconds for the whole.',
    timeout_seconds: 'The same as `timeout`.',
  },
  required: [],
  exclusive: [
    ['data', 'ref', 'result_ref'],
    ['timeout', 'timeout_seconds'],
  ],
  types: { action: { words: ['put', 'get'] } },
  timeout: 60,
};
