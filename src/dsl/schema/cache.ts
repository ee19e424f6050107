import { type Field, type Shape } from './shape';

const CACHE_SHAPE: Shape = {
  title: '`cache`',
  others: 'error',
  fields: {
    key: {
      type: 'any',
      doc: 'What else must be equal, beside the inputs: a value, or a template for one.',
    },
    ttl: { type: 'duration', doc: 'How long a result may be taken; default `24h`.' },
    version: {
      type: 'any',
      doc: 'A change of it makes all earlier results unknown: after a change of what the tool reads.',
    },
  },
};

/** `cache` in the spec of an executor, a step, a loop or a task. */
export const CACHE: Field = {
  type: { either: ['boolean', { shape: () => CACHE_SHAPE }] },
  doc: 'Takes the result of an equal call of this playbook, `{key, ttl, version}`; `true` for the defaults, `false` not to inherit it.',
};
