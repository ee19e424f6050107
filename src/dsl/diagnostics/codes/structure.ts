import { type CodeEntry } from './entry';

/** NT2xxx: valid YAML that the language does not allow. */
export const STRUCTURE_CODES = {
  NT2001: {
    severity: 'error',
    title: 'Unknown key',
    explanation:
      'The key is not allowed here, and nothing would read it. This is always an error for close misspellings of an allowed key, for unknown keys at the root, and for keywords of other products that are written differently here (`depends_on`, `retries`, `if`).',
  },
  NT2002: {
    severity: 'warning',
    title: 'Key without effect',
    explanation: 'Nothing reads this key. It may come from another engine, or belong elsewhere.',
  },
  NT2003: {
    severity: 'error',
    title: 'Wrong type',
    explanation: 'The value has a different type than the key accepts.',
  },
  NT2004: {
    severity: 'error',
    title: 'Value not allowed',
    explanation: 'The key accepts only certain keywords, and this is not one of them.',
  },
  NT2005: {
    severity: 'error',
    title: 'Missing key',
    explanation: 'A required key is missing or empty.',
  },
  NT2006: {
    severity: 'error',
    title: 'Two spellings of one thing',
    explanation:
      'Two keys from different generations of the language define the same thing. Keep one of them.',
  },
  NT2007: {
    severity: 'warning',
    title: 'Key in the wrong place',
    explanation:
      'The key is a field of the tool, but is beside `tool` instead of under it, where nothing reads it.',
  },
  NT2010: {
    severity: 'error',
    title: 'Wrong apiVersion',
    explanation: 'This runtime reads `noetl.io/v2` (and its alias `noetl.io/v10`).',
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
      'A playbook has no root `vars`. Declare inputs in `workload`; write variables of the execution with `set`.',
  },
  NT2013: {
    severity: 'error',
    title: 'Condition on a step',
    explanation:
      'A step has no `when`. Put a condition on the path to the step on an arc, as its guard; to gate the step itself, use its admission policy.',
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
    title: 'Type on a step',
    explanation: 'A step has no `type`; the kind of its tool is `tool.kind`.',
  },
  NT2018: {
    severity: 'error',
    title: 'Condition inside next',
    explanation: '`next` has no `when`, `then` or `else` of its own; write a guard on an arc.',
  },
  NT2020: {
    severity: 'error',
    title: 'Not supported by this version',
    explanation:
      'The construct is part of the language, but this version cannot run it. The hint shows a supported alternative.',
  },
  NT2021: {
    severity: 'error',
    title: 'Contradicting moves',
    explanation:
      'A rule of `case` has at most one move: it calls the tool again (`call`, `retry`), routes (`next`), fails or skips.',
  },
  NT2022: {
    severity: 'error',
    title: 'Action not possible for this event',
    explanation:
      'A call can be repeated only when it has ended (`call.done`, `call.error`): not before the step, not at its end, and not if the step calls no tool.',
  },
  NT2023: {
    severity: 'error',
    title: 'Field of one tool overridden for several',
    explanation:
      '`call` and `retry` of a step with a list of tools run the list again, so it is ambiguous which tool should receive the field. Use an input, which all tools can read.',
  },
  NT2024: {
    severity: 'error',
    title: 'Rules of a step on a tool',
    explanation: '`case` handles the events of a step; place it beside its `tool`.',
  },
  NT2025: {
    severity: 'warning',
    title: 'Repetition without a bound',
    explanation:
      'The condition does not depend on what the tool returned, so `call` repeats until the step fails as a runaway.',
  },
  NT2026: {
    severity: 'warning',
    title: 'Result of one iteration read at the end of the loop',
    explanation:
      'A `next` in a rule of a loop step fires after all iterations have run. Its arguments, and the rules that handle the end of the loop, are evaluated at that time: `response` and `result` are then those of the loop, `{results, count, stats}`, and have no fields of a single call. The field would silently be undefined.',
  },
  NT2030: {
    severity: 'error',
    title: 'Step without content',
    explanation:
      'A step needs a tool, or must lead somewhere (`next`). Only a step named `end` may be empty.',
  },
  NT2031: {
    severity: 'error',
    title: 'Control action outside a task',
    explanation: '`retry`, `jump`, `break`, `continue` and `fail` are allowed only in the rules of a task.',
  },
  NT2032: {
    severity: 'error',
    title: 'Step started by a task',
    explanation: 'Only arcs of a step start steps; a rule of a task controls its own pipeline.',
  },
  NT2033: {
    severity: 'error',
    title: 'Malformed rule',
    explanation: 'A rule has `when` and `then`, or is the `else`.',
  },
  NT2034: {
    severity: 'error',
    title: 'Jump without target',
    explanation: '`do: jump` requires `to`, the name of a task in the same step.',
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
      'The first rule that matches wins, and an earlier rule always matches, or matches whenever this one does: `status >= 400` before `status >= 500`, or the same condition twice. (A rule that repeats the call leaves the result of the repetition to the others.)',
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
      'If no rule matches, the pipeline continues, even after an error. These rules never test for an error, so a failing task would go unnoticed.',
  },
  NT2040: {
    severity: 'error',
    title: 'Incomplete loop',
    explanation: 'A loop requires `in`, the list, and `iterator`, the name of the current item.',
  },
  NT2041: {
    severity: 'error',
    title: 'Not possible in a local or distributed loop',
    explanation:
      'With `exec: local`, an iteration runs inside an activity, which can be repeated after a crash and receives no external events; with `exec: distributed`, it runs in a child workflow. Neither can route the step.',
  },
  NT2050: { severity: 'error', title: 'Unknown tool kind', explanation: 'No tool of this kind exists.' },
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
    explanation: 'An extension cannot redeclare a built-in kind: it would be ambiguous which one runs.',
  },
  NT2054: {
    severity: 'warning',
    title: 'Tool without a credential',
    explanation:
      'A tool of this kind finds its server through a credential, and there is no default: the task fails with `NO_CREDENTIAL`, after the steps before it have run.',
  },
  NT2055: {
    severity: 'warning',
    strict: true,
    title: 'Kind that no worker serves',
    explanation:
      'The official engine has this kind, but no worker of this release runs it: when a task of this kind is reached, it fails with `KIND_UNAVAILABLE`. Your own worker can run it, as an extension.',
  },
  NT2056: {
    severity: 'info',
    title: 'Wait without a limit',
    explanation:
      'Without `timeout`, a task that waits for an event waits until the event arrives or the execution is cancelled. With `timeout`, it fails at that time, and a rule or an arc can handle the failure.',
  },
  NT2057: {
    severity: 'warning',
    title: 'Override that nothing reads',
    explanation:
      '`call` and `retry` can change a field of the tool, or an input, for the next call. This name is not a field, and the text of the tool does not use it as an input.',
  },
  NT2058: {
    severity: 'error',
    title: 'Cache without a result',
    explanation:
      '`spec.cache` keeps results of tools for equal calls of later executions. A task that the workflow itself runs (`wait`, `playbook`, `noop`, …), a sink, and a task whose result is secret or belongs to its execution have none to keep.',
  },
  NT2059: {
    severity: 'error',
    title: 'Sandbox that cannot apply',
    explanation:
      '`spec.sandbox` isolates what authors write: `python`, `shell`, `script`, `duckdb`, and the DuckDB end of a `transfer`. Its levels are `strict`, `standard` and `none`. A script in a container has the isolation of the container.',
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
      'A playbook is called by its path: names separated by slashes, on one line of at most 200 characters. It is not a file system path: `..`, a leading slash and a scheme are not allowed. In Temporal, the path is the workflow type; names that begin with `noetl:` or `__` are reserved for workflows that are not playbooks.',
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
    explanation: 'An execution cannot have more than 10,000 steps. Use a loop or sub-playbooks.',
  },
  NT2096: {
    severity: 'error',
    title: 'Limit out of range',
    explanation: 'The numbers of this limit cannot be met together, or are outside of what is possible.',
  },
  NT2097: {
    severity: 'error',
    title: 'Limit in the wrong place',
    explanation:
      '`concurrency` and `debounce` decide whether an execution begins, so they belong to the executor. A `rate_limit` applies to tasks that run on workers, not to those that the engine runs itself.',
  },
  NT2090: {
    severity: 'info',
    title: 'Reserved key',
    explanation:
      'The specification reserves this key for a later version. It is accepted, but has no effect.',
  },
  NT2091: {
    severity: 'error',
    title: 'Target that cannot be notified',
    explanation:
      'A target under `on` is a playbook, a webhook with the credential that signs it, e-mail addresses, or the credential of a chat webhook: exactly one of them. Secrets are never part of a playbook, so `secret`, `smtp` and `chat` name credentials.',
  },
  NT2092: {
    severity: 'error',
    title: 'Deadline that cannot be watched',
    explanation:
      '`executor.spec.deadline` is a duration above zero, such as `90m` or `2h`. It is watched from outside the execution, where templates are not evaluated.',
  },
} as const satisfies Record<string, CodeEntry>;
