import { type CodeEntry, error, info, warning } from './entry';

/** NT2xxx: valid YAML that the language does not allow. */
export const STRUCTURE_CODES = {
  NT2001: error(
    'Unknown key',
    'The key is not allowed here, and nothing would read it. This is always an error for close misspellings of an allowed key, for unknown keys at the root, and for keywords of other products that are written differently here (`depends_on`, `retries`, `if`).',
  ),
  NT2002: warning(
    'Key without effect',
    'Nothing reads this key. It may come from another engine, or belong elsewhere.',
  ),
  NT2003: error('Wrong type', 'The value has a different type than the key accepts.'),
  NT2004: error('Value not allowed', 'The key accepts only certain keywords, and this is not one of them.'),
  NT2005: error('Missing key', 'A required key is missing or empty.'),
  NT2006: error(
    'Two spellings of one thing',
    'Two keys from different generations of the language define the same thing. Keep one of them.',
  ),
  NT2007: warning(
    'Key in the wrong place',
    'The key is a field of the tool, but is beside `tool` instead of under it, where nothing reads it.',
  ),
  NT2010: error('Wrong apiVersion', 'This runtime reads `noetl.io/v2` (and its alias `noetl.io/v10`).'),
  NT2011: error('Wrong kind of document', 'The kind of a playbook is `Playbook` or `Agent`.'),
  NT2012: error(
    'Root vars',
    'A playbook has no root `vars`. Declare inputs in `workload`; write variables of the execution with `set`.',
  ),
  NT2013: error(
    'Condition on a step',
    'A step has no `when`. Put a condition on the path to the step on an arc, as its guard; to gate the step itself, use its admission policy.',
  ),
  NT2014: error('eval', '`eval` was replaced by the rules of the task: `spec.policy.rules`.'),
  NT2015: error('expr', '`expr` was replaced by `when`, the only keyword for conditions.'),
  NT2016: error('pipe', '`pipe` was replaced by a list under `tool`.'),
  NT2017: error('Type on a step', 'A step has no `type`; the kind of its tool is `tool.kind`.'),
  NT2018: error(
    'Condition inside next',
    '`next` has no `when`, `then` or `else` of its own; write a guard on an arc.',
  ),
  NT2020: error(
    'Not supported by this version',
    'The construct is part of the language, but this version cannot run it. The hint shows a supported alternative.',
  ),
  NT2021: error(
    'Contradicting moves',
    'A rule of `case` has at most one move: it calls the tool again (`call`, `retry`), routes (`next`), fails or skips.',
  ),
  NT2022: error(
    'Action not possible for this event',
    'A call can be repeated only when it has ended (`call.done`, `call.error`): not before the step, not at its end, and not if the step calls no tool.',
  ),
  NT2023: error(
    'Field of one tool overridden for several',
    '`call` and `retry` of a step with a list of tools run the list again, so it is ambiguous which tool should receive the field. Use an input, which all tools can read.',
  ),
  NT2024: error(
    'Rules of a step on a tool',
    '`case` handles the events of a step; place it beside its `tool`.',
  ),
  NT2025: warning(
    'Repetition without a bound',
    'The condition does not depend on what the tool returned, so `call` repeats until the step fails as a runaway.',
  ),
  NT2026: warning(
    'Result of one iteration read at the end of the loop',
    'A `next` in a rule of a loop step fires after all iterations have run. Its arguments, and the rules that handle the end of the loop, are evaluated at that time: `response` and `result` are then those of the loop, `{results, count, stats}`, and have no fields of a single call. The field would silently be undefined.',
  ),
  NT2030: error(
    'Step without content',
    'A step needs a tool, or must lead somewhere (`next`). Only a step named `end` may be empty.',
  ),
  NT2031: error(
    'Control action outside a task',
    '`retry`, `jump`, `break`, `continue` and `fail` are allowed only in the rules of a task.',
  ),
  NT2032: error(
    'Step started by a task',
    'Only arcs of a step start steps; a rule of a task controls its own pipeline.',
  ),
  NT2033: error('Malformed rule', 'A rule has `when` and `then`, or is an `else`.'),
  NT2034: error('Jump without target', '`do: jump` requires `to`, the name of a task in the same step.'),
  NT2035: warning(
    'Field of another action',
    '`attempts`, `backoff`, `delay` and `max_delay` belong to `do: retry`, and `to` belongs to `do: jump`. Here they have no effect.',
  ),
  NT2036: warning(
    'Rule that is never reached',
    'The first rule that matches wins, and an earlier rule always matches, or matches whenever this one does: `status >= 400` before `status >= 500`, or the same condition twice. (A rule that repeats the call leaves the result of the repetition to the others.)',
  ),
  NT2037: error('Policy without rules', 'The policy of a task is a mapping with a list `rules`.'),
  NT2038: warning(
    'Rules that swallow errors',
    'If no rule matches, the pipeline continues, even after an error. These rules never test for an error, so a failing task would go unnoticed.',
  ),
  NT2040: error(
    'Incomplete loop',
    'A loop requires `in`, the list, or `cursor` with `mode: cursor`, which claims rows by its statement; and `iterator`, the name of the current item.',
  ),
  NT2041: error(
    'Not possible in a local or distributed loop',
    'With `exec: local`, an iteration runs inside an activity, which can be repeated after a crash and receives no external events; with `exec: distributed`, it runs in a child workflow. Neither can route the step.',
  ),
  NT2050: error('Unknown tool kind', 'No tool of this kind exists.'),
  NT2051: error('Missing field of a tool', 'The tool cannot run without this field.'),
  NT2052: warning('Unknown field of a tool', 'The tool does not read this field.'),
  NT2053: error(
    'Extension with the name of a kind',
    'An extension cannot redeclare a built-in kind: it would be ambiguous which one runs.',
  ),
  NT2054: warning(
    'Tool without a credential',
    'A tool of this kind finds its server through a credential, and there is no default: the task fails with `NO_CREDENTIAL`, after the steps before it have run.',
  ),
  NT2055: warning(
    'Kind that no worker serves',
    'The official engine has this kind, but no worker of this release runs it: when a task of this kind is reached, it fails with `KIND_UNAVAILABLE`. Your own worker can run it, as an extension.',
    'strict',
  ),
  NT2056: info(
    'Wait without a limit',
    'Without `timeout`, a task that waits for an event waits until the event arrives or the execution is cancelled. With `timeout`, it fails at that time, and a rule or an arc can handle the failure.',
  ),
  NT2057: warning(
    'Override that nothing reads',
    '`call` and `retry` can change a field of the tool, or an input, for the next call. This name is not a field, and nothing in the tool reads an input with this name.',
  ),
  NT2058: error(
    'Cache without a result',
    '`spec.cache` keeps results of tools for equal calls of later executions. It is not possible for tasks that the workflow itself runs (`wait`, `playbook`, `noop`, …), for sinks, and for tasks whose result is secret or belongs to its execution.',
  ),
  NT2059: error(
    'Sandbox that cannot apply',
    '`spec.sandbox` isolates what authors write: `python`, `shell`, `script`, `container`, `duckdb`, the DuckDB end of a `transfer`, and servers of `mcp` that are processes. Its levels are `strict`, `standard` and `none`.',
  ),
  NT2060: error('Malformed name', 'Names are non-empty texts without templates.'),
  NT2061: error(
    'Target that cannot be written',
    'Writes go to `ctx.x`, `iter.x`, `step.x` or a bare name. The workload and the results of steps are immutable.',
  ),
  NT2062: error(
    'Malformed path',
    'A playbook is called by its path: names separated by slashes, on one line of at most 200 characters. It is not a file system path: `..`, a leading slash and a scheme are not allowed. In Temporal, the path is the workflow type; names that begin with `noetl:` or `__` are reserved for workflows that are not playbooks.',
  ),
  NT2063: error(
    'Malformed label',
    'A label is a short name and a short value, neither with spaces: executions are found by it, and it is stored in plain text. An execution has at most 16 of them, of 1,500 bytes together.',
  ),
  NT2070: warning(
    'Secret in plain text',
    'A literal secret in a playbook ends up in version control, in the catalog and in the history of every execution. Refer to a credential by name, or to `keychain`.',
  ),
  NT2080: error(
    'Too many steps',
    'An execution cannot have more than 10,000 steps. Use a loop or sub-playbooks.',
  ),
  NT2096: error(
    'Limit out of range',
    'The numbers of this limit contradict each other, or are out of range.',
  ),
  NT2097: error(
    'Limit in the wrong place',
    '`concurrency` and `debounce` decide whether an execution begins, so they belong to the executor. A `rate_limit` applies to tasks that run on workers, not to those that the engine runs itself.',
  ),
  NT2090: info(
    'Key without effect',
    'The key is accepted, but has no effect: the specification reserves it for a later version, or an official engine has it for something that is done otherwise here.',
  ),
  NT2091: error(
    'Target that cannot be notified',
    'A target under `on` is exactly one of: a playbook, a webhook (its URL, or a name), e-mail addresses or a chat (by name). Names are those of targets that the installation lists; there, `secret`, `smtp` and `chat` name credentials.',
  ),
  NT2098: error(
    'Secret of the installation in a target',
    'A playbook or a schedule cannot use a secret of the installation for a receiver of its own: a signature would be valid for the real receiver too, and e-mail would go to anybody in the name of the installation. The operator lists targets with their secrets, and authors name them.',
  ),
  NT2092: error(
    'Deadline that cannot be watched',
    '`executor.spec.deadline` is a duration above zero, such as `90m` or `2h`. It is watched from outside the execution, where templates are not evaluated.',
  ),
} satisfies Record<string, CodeEntry>;
