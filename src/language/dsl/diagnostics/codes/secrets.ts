import { type CodeEntry, error, info, warning } from './entry';

/** NT31xx: secrets, which must never enter history (docs/secrets.md). */
export const SECRET_CODES = {
  NT3101: error(
    'Secret where it would be recorded',
    'The workflow evaluates guards, variables, results, arcs and loop items, and history records them, so anyone who can read the history could read the value. Use the secret in a field or an input of a task instead: its worker inserts the value when the task runs.',
  ),
  NT3102: error(
    'Secret that cannot be named',
    'The compiler uses the names that templates read to decide which values stay out of the workflow. `keychain[x]`, or `keychain` as a whole, names none.',
  ),
  NT3103: warning(
    'Unknown field of a keychain entry',
    'An entry of this kind has no such field; the check at the start of a run would fail.',
  ),
  NT3104: warning(
    'Unknown kind of keychain entry',
    'The entry is treated as a stored credential of the same name.',
  ),
  NT3105: info(
    'Keychain entry that nothing reads',
    'Every declared entry is resolved at the start of a run, and the run fails if one is missing.',
  ),
  NT3106: error(
    'Keychain entries that depend on each other',
    'Each of them would have to be resolved before the others.',
  ),
  NT3107: warning(
    'Secret in the text of a command',
    'The value becomes part of the executed text: it appears in SQL logs, process lists and error messages of servers, and a quote in it breaks the statement.',
  ),
  NT3108: error(
    'Secret input with a value in the playbook',
    'A workload field that `metadata.workload` declares secret is stored encrypted when an execution starts. A default in the playbook would be in version control, in the catalog and in the history of every execution.',
  ),
  NT3109: warning(
    'Secret input of a sub-playbook in plain text',
    'The playbook with this path declares the input secret (`secret: true` in its `metadata.workload`). A value written here is in version control, in the catalog and in the history of every execution. The call is refused when it is made, with the code `SECRET_INPUT`; the version of the playbook at that time counts.',
  ),
  NT3110: error(
    'Secret of several values as text',
    'In text, and in fields that are text, a keychain entry stands for its value. This entry has more than one, and it is ambiguous which one is meant.',
  ),
} satisfies Record<string, CodeEntry>;
