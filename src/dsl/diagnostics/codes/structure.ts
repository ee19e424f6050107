import { type CodeEntry } from './entry';

/** NT2xxx: the document is YAML, but not what the language allows. */
export const STRUCTURE_CODES = {
  NT2001: {
    severity: 'error',
    title: 'Unknown key',
    explanation:
      'The key does not belong here. A close misspelling of an allowed key is always an error, and so are every unknown key of the root, and what other products call something that is written otherwise here (`depends_on`, `retries`, `if`): nothing would read it.',
  },
  NT2002: {
    severity: 'warning',
    title: 'Key without effect',
    explanation: 'Nothing reads this key. It may come from another engine, or belong elsewhere.',
  },
  NT2003: {
    severity: 'error',
    title: 'Wrong type',
    explanation: 'The value is of another type than the key takes.',
  },
  NT2004: {
    severity: 'error',
    title: 'Value not allowed',
    explanation: 'The key takes one of a few words, and this is none of them.',
  },
  NT2005: {
    severity: 'error',
    title: 'Missing key',
    explanation: 'A key without which the mapping has no meaning is absent or empty.',
  },
  NT2006: {
    severity: 'error',
    title: 'Two spellings of one thing',
    explanation: 'Two keys of different generations of the language claim the same thing. Keep one of them.',
  },
  NT2007: {
    severity: 'warning',
    title: 'Key in the wrong place',
    explanation:
      'The key is a field of the tool, but stands beside `tool` instead of under it, where nothing reads it.',
  },
  NT2010: {
    severity: 'error',
    title: 'Wrong apiVersion',
    explanation: 'This runtime reads `noetl.io/v2` (and `noetl.io/v10`, another name for it).',
  },
  NT2011: {
    severity: 'error',
    title: 'Wrong kind of document',
    explanation: 'The kind of a playbook is `Playbook`.',
  },
  NT2012: {
    severity: 'error',
    title: 'Root vars',
    explanation:
      'A playbook has no root `vars`: inputs are `workload`, variables of the execution are written with `set`.',
  },
  NT2013: {
    severity: 'error',
    title: 'Condition at a step',
    explanation:
      'A step has no `when`. A condition on the way is the guard of an arc; a gate of the step is its admission policy.',
  },
  NT2014: {
    severity: 'error',
    title: 'eval',
    explanation: '`eval` was replaced by the rules of the task: `spec.policy.rules`.',
  },
  NT2015: {
    severity: 'error',
    title: 'expr',
    explanation: '`expr` was replaced by `when`, the only keyword for conditions.',
  },
  NT2016: { severity: 'error', title: 'pipe', explanation: '`pipe` was replaced by a list under `tool`.' },
  NT2017: {
    severity: 'error',
    title: 'Type at a step',
    explanation: 'A step has no `type`: the kind of its tool is `tool.kind`.',
  },
  NT2018: {
    severity: 'error',
    title: 'Condition inside of next',
    explanation: '`next` takes no `when`, `then` or `else` of its own: a guard is written at an arc.',
  },
  NT2020: {
    severity: 'error',
    title: 'Not supported by this version',
    explanation:
      'The construct belongs to the language, but this version cannot run it. The hint names a spelling that it can.',
  },
  NT2021: {
    severity: 'error',
    title: 'Moves that contradict each other',
    explanation:
      'A rule of `case` moves the step once: it calls the tool again (`call`, `retry`), routes (`next`), fails or skips.',
  },
  NT2022: {
    severity: 'error',
    title: 'Action that its event cannot do',
    explanation:
      'A call can be repeated when it has ended (`call.done`, `call.error`): not before the step, not at its end, and not where no tool is called.',
  },
  NT2023: {
    severity: 'error',
    title: 'Field of one tool overridden for several',
    explanation:
      '`call` and `retry` of a step with a list of tools run the list again. Which tool takes the field could only be guessed; an input is seen by all.',
  },
  NT2024: {
    severity: 'error',
    title: 'Rules of a step at a tool',
    explanation: '`case` answers the events of a step, and stands beside its `tool`.',
  },
  NT2025: {
    severity: 'warning',
    title: 'Repetition without a bound',
    explanation:
      'The condition does not look at what the tool returned, so `call` repeats until the step ends as a runaway.',
  },
  NT2026: {
    severity: 'warning',
    title: 'Answer of one iteration, read at the end of the loop',
    explanation:
      'A `next` in a rule of a loop step fires when all iterations have run, and so do its arguments, and the rules that answer the end of the loop: `response` and `result` are then those of the loop, `{results, count, stats}`, and have no fields of a single answer. The same field would silently be undefined.',
  },
  NT2030: {
    severity: 'error',
    title: 'Step without content',
    explanation: 'A step has a tool, or leads somewhere (`next`). Only a step named `end` may be bare.',
  },
  NT2031: {
    severity: 'error',
    title: 'Control action outside of a task',
    explanation: '`retry`, `jump`, `break`, `continue` and `fail` are allowed in the rules of a task only.',
  },
  NT2032: {
    severity: 'error',
    title: 'Step started by a task',
    explanation: 'Only arcs of a step start steps; a rule of a task steers its own pipeline.',
  },
  NT2033: {
    severity: 'error',
    title: 'Malformed rule',
    explanation: 'A rule has `when` and `then`, or it is the `else`.',
  },
  NT2034: {
    severity: 'error',
    title: 'Jump without target',
    explanation: '`do: jump` needs `to`, the name of a task of the same step.',
  },
  NT2035: {
    severity: 'warning',
    title: 'Field of another action',
    explanation:
      '`attempts`, `backoff`, `delay` and `max_delay` belong to `do: retry`, and `to` belongs to `do: jump`. Here they have no effect.',
  },
  NT2036: {
    severity: 'warning',
    title: 'Rule that is never reached',
    explanation:
      'The first rule that matches wins, and one before this matches always, or wherever this one does: `status >= 400` before `status >= 500`, or the same condition twice. (A rule that repeats the call leaves the others what comes after.)',
  },
  NT2037: {
    severity: 'error',
    title: 'Policy without rules',
    explanation: 'The policy of a task is a mapping with a list `rules`.',
  },
  NT2038: {
    severity: 'warning',
    title: 'Rules that swallow errors',
    explanation:
      'When no rule matches, the pipeline continues, even after an error. These rules never look at an error, so a failing task would go unnoticed.',
  },
  NT2040: {
    severity: 'error',
    title: 'Incomplete loop',
    explanation: 'A loop needs `in`, the list, and `iterator`, the name of the current item.',
  },
  NT2041: {
    severity: 'error',
    title: 'Not possible in a local or distributed loop',
    explanation:
      'With `exec: local` an iteration runs inside of one activity, which can be repeated after a crash and hears of nothing from outside; with `exec: distributed`, in a child workflow. Neither routes the step.',
  },
  NT2050: { severity: 'error', title: 'Unknown kind of tool', explanation: 'No tool of this kind exists.' },
  NT2051: {
    severity: 'error',
    title: 'Missing field of a tool',
    explanation: 'The tool cannot run without this field.',
  },
  NT2052: {
    severity: 'warning',
    title: 'Unknown field of a tool',
    explanation: 'The tool does not read this field.',
  },
  NT2053: {
    severity: 'error',
    title: 'Extension with the name of a kind',
    explanation: 'A kind that this runtime has cannot be declared again: nobody could say which one runs.',
  },
  NT2054: {
    severity: 'warning',
    title: 'Tool without a credential',
    explanation:
      'A tool of this kind finds its server by a credential, and no default stands in: the task fails with `NO_CREDENTIAL`, after the steps before it have run.',
  },
  NT2055: {
    severity: 'warning',
    strict: true,
    title: 'Kind that nobody serves',
    explanation:
      'The official engine has this kind, and no worker of this release runs it: a task of the kind fails with `KIND_UNAVAILABLE` when it is reached. A worker of your own can run it, as an extension.',
  },
  NT2056: {
    severity: 'info',
    title: 'Wait without a limit',
    explanation:
      'A task that waits for an event without `timeout` waits until the event comes or the execution is cancelled. With `timeout` it fails then, and a rule or arc can answer that.',
  },
  NT2057: {
    severity: 'warning',
    title: 'Override that nothing reads',
    explanation:
      'What `call` and `retry` change for the next call is a field of its tool, or an input: the name is neither, and the text of the tool does not speak of it.',
  },
  NT2060: {
    severity: 'error',
    title: 'Malformed name',
    explanation: 'Names are texts without templates, and not empty.',
  },
  NT2061: {
    severity: 'error',
    title: 'Target that cannot be written',
    explanation:
      'Writes go to `ctx.x`, `iter.x`, `step.x` or a bare name. The workload and the results of steps are immutable.',
  },
  NT2062: {
    severity: 'error',
    title: 'Malformed path',
    explanation:
      'A playbook is called by its path: names with slashes between them, one line of at most 200 characters. It is no place in a file system: there is no `..`, no root and no scheme. In Temporal it is the type of its workflows: what begins with `noetl:` or `__` is kept for workflows that are no playbooks.',
  },
  NT2070: {
    severity: 'warning',
    title: 'Secret in plain text',
    explanation:
      'A literal secret in a playbook ends up in version control, in the catalog and in the history of every execution. Refer to a credential by name, or to `keychain`.',
  },
  NT2080: {
    severity: 'error',
    title: 'Too many steps',
    explanation: 'More than 10,000 steps do not fit into one execution. Use a loop or sub-playbooks.',
  },
  NT2090: {
    severity: 'info',
    title: 'Reserved key',
    explanation:
      'The key is reserved by the specification for a later version. It is read, and has no effect.',
  },
} as const satisfies Record<string, CodeEntry>;
