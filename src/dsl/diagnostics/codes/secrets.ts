import { type CodeEntry } from './entry';

/** NT31xx: secrets, which must never enter history (docs/secrets.md). */
export const SECRET_CODES = {
  NT3101: {
    severity: 'error',
    title: 'Secret where it would be recorded',
    explanation:
      'The workflow evaluates guards, variables, results, arcs and loop items, and history records them, so anyone who can read the history could read the value. Use the secret in a field or an input of a task instead: its worker inserts the value when the task runs.',
  },
  NT3102: {
    severity: 'error',
    title: 'Secret that cannot be named',
    explanation:
      'The compiler uses the names that templates read to decide which values stay out of the workflow. `keychain[x]`, or `keychain` as a whole, names none.',
  },
  NT3103: {
    severity: 'warning',
    title: 'Unknown field of a keychain entry',
    explanation: 'An entry of this kind has no such field; the check at the start of a run would fail.',
  },
  NT3104: {
    severity: 'warning',
    title: 'Unknown kind of keychain entry',
    explanation: 'The entry is treated as a stored credential of the same name.',
  },
  NT3105: {
    severity: 'info',
    title: 'Keychain entry that nothing reads',
    explanation:
      'Every declared entry is resolved at the start of a run, and the run fails if one is missing.',
  },
  NT3106: {
    severity: 'error',
    title: 'Keychain entries that depend on each other',
    explanation: 'To resolve one of them, it would have to be resolved already.',
  },
  NT3107: {
    severity: 'warning',
    title: 'Secret in the text of a command',
    explanation:
      'The value becomes part of the executed text: it appears in SQL logs, process lists and error messages of servers, and a quote in it breaks the statement.',
  },
  NT3108: {
    severity: 'error',
    title: 'Secret input with a value in the playbook',
    explanation:
      'A workload field that `metadata.workload` declares secret is stored encrypted when an execution starts. A default in the playbook would be in version control, in the catalog and in the history of every execution.',
  },
  NT3109: {
    severity: 'warning',
    title: 'Secret input of a sub-playbook in plain text',
    explanation:
      'The playbook with this path declares the input secret (`secret: true` in its `metadata.workload`). A value written here is in version control, in the catalog and in the history of every execution. The call is refused when it is made, with the code `SECRET_INPUT`; the version of the playbook at that time counts.',
  },
  NT3110: {
    severity: 'error',
    title: 'Secret of several values as text',
    explanation:
      'In text, and in fields that are text, a keychain entry stands for its value. This entry has more than one, and it is ambiguous which one is meant.',
  },
} as const satisfies Record<string, CodeEntry>;
