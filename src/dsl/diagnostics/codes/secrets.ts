import { type CodeEntry } from './entry';

/** NT31xx: secrets, which never enter history (docs/secrets.md). */
export const SECRET_CODES = {
  NT3101: {
    severity: 'error',
    title: 'Secret where it would be kept',
    explanation:
      'Guards, variables, results, arcs and the items of loops are evaluated and kept by the workflow, and so would be the value: everybody who may read the history could read it. A field or an input of a task is left to its worker, which puts the value in when the task runs.',
  },
  NT3102: {
    severity: 'error',
    title: 'Secret that cannot be named',
    explanation:
      'The compiler decides which values stay out of the workflow by the names that templates read. `keychain[x]`, or `keychain` as a whole, names none.',
  },
  NT3103: {
    severity: 'warning',
    title: 'Unknown field of a keychain entry',
    explanation: 'An entry of this kind has no such field; the check at the start of a run would fail.',
  },
  NT3104: {
    severity: 'warning',
    title: 'Unknown kind of keychain entry',
    explanation: 'The entry is taken for a stored credential of its name.',
  },
  NT3105: {
    severity: 'info',
    title: 'Keychain entry that nothing reads',
    explanation:
      'Every declared entry is resolved at the start of a run, and a run fails when one is missing.',
  },
  NT3106: {
    severity: 'error',
    title: 'Keychain entries that need each other',
    explanation: 'To resolve one of them, it would have to be resolved already.',
  },
  NT3107: {
    severity: 'warning',
    title: 'Secret in the text of a command',
    explanation:
      'The value becomes part of the text that is run: SQL logs, process lists and error messages of servers show it, and a quote in it breaks the statement.',
  },
  NT3108: {
    severity: 'error',
    title: 'Secret input with a value in the playbook',
    explanation:
      'A field of the workload that `metadata.workload` calls secret is stored encrypted when an execution is started. A default in the playbook would be in version control, in the catalog and in the history of every execution.',
  },
  NT3109: {
    severity: 'warning',
    title: 'Secret input of a sub-playbook given in the open',
    explanation:
      'The playbook of this path calls the input secret (`secret: true` in its `metadata.workload`). A value that is written here is in version control, in the catalog and in the history of every execution. The call is refused when it is made, with the code `SECRET_INPUT`; the playbook that is there by then counts.',
  },
  NT3110: {
    severity: 'error',
    title: 'Secret of several values as text',
    explanation:
      'In text, and in fields that are text, an entry of the keychain is its value. This one has more than one, and which is meant only its author knows.',
  },
} as const satisfies Record<string, CodeEntry>;
