/** Fields common to several kinds. */
import { type FieldType } from './declaration';

export const AUTH = {
  auth: 'Name of a credential, or a mapping that describes one.',
  credential: 'Alias of `auth`.',
};

/** The time limit of a task. */
export const TIMEOUT = {
  timeout: 'Seconds for the whole task.',
  timeout_seconds: 'Alias of `timeout`.',
};

/** Files of the worker, for a program. */
export const FILES =
  'References to have as files, `{name: reference}`, in the folder `$NOETL_FILES` while it runs.';

/** A file of the worker, or the store of large results. */
export const PLACE: FieldType = {
  either: [
    'text',
    {
      shape: () => ({
        title: 'a place to save to',
        others: 'error',
        fields: {
          store: {
            type: { values: ['results'] },
            doc: '`results`, the store of large results; the task answers with a reference.',
            required: true,
          },
        },
      }),
    },
  ],
};
