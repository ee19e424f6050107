import { type CodeEntry } from './entry';

/** NT4xxx expressions, NT5xxx deprecations, NT6xxx the graph of steps. */
export const USE_CODES = {
  NT4001: { severity: 'error', title: 'Template syntax', explanation: 'The template cannot be parsed.' },
  NT4002: {
    severity: 'error',
    title: 'Template too long or too deep',
    explanation: 'A template should be a line or a page, not a megabyte; pass longer texts as data.',
  },
  NT4003: {
    severity: 'error',
    title: 'Unsupported tag',
    explanation:
      'Tags that load other templates (`include`, `import`, `extends`) are not supported in a playbook.',
  },
  NT4005: {
    severity: 'warning',
    title: 'Data spliced into code',
    explanation:
      'A value inserted into SQL or code is parsed as SQL or code: a quote in the data breaks it, and an attacker can exploit that. Pass values as `params` (SQL) or `input` (Python).',
  },
  NT4006: {
    severity: 'info',
    title: 'Code left unchanged',
    explanation:
      'The code contains braces that look like a template but contain no known name, so it is not rendered.',
  },
  NT4007: {
    severity: 'warning',
    title: 'Condition without braces',
    explanation:
      'Write a condition as `{{ … }}`. This runtime reads it as if the braces were there; other engines treat it as text, and text is always true.',
  },
  NT4008: {
    severity: 'warning',
    title: 'Unknown event',
    explanation: 'No event has this name, so the comparison is never true.',
  },
  NT4009: {
    severity: 'warning',
    title: 'Event that does not occur here',
    explanation: 'The event exists, but never occurs in this step, so the comparison is never true.',
  },
  NT4010: {
    severity: 'warning',
    strict: true,
    title: 'Python code that does not parse',
    explanation:
      'The Python on this machine (`NOETL_PYTHON`, `python3`) cannot parse the code, so the task would fail when it is reached. Commands and the facade report this if they have a Python 3. It is a warning, because workers may have another version. Code that is a template is not checked.',
  },
  NT4101: {
    severity: 'error',
    title: 'Unknown function',
    explanation:
      'No function has this name. You can only call methods of values (`text.upper()`) and the functions of the language.',
  },
  NT4102: { severity: 'error', title: 'Unknown filter', explanation: 'No filter has this name.' },
  NT4103: { severity: 'error', title: 'Unknown test', explanation: 'No test (`is …`) has this name.' },
  NT4104: {
    severity: 'warning',
    title: 'Unknown method',
    explanation:
      'No value has a method with this name, or the method would modify the data, which templates cannot do.',
  },
  NT5001: {
    severity: 'warning',
    title: 'Task as a label',
    explanation: 'The form `- label: {kind: …}` was replaced by `- name: label` with the fields beside it.',
  },
  NT5002: {
    severity: 'warning',
    title: 'Name and path at the root',
    explanation: '`name` and `path` belong under `metadata`.',
  },
  NT5003: {
    severity: 'warning',
    title: 'Loop settings outside its spec',
    explanation: '`mode` and `max_in_flight` belong under `loop.spec`.',
  },
  NT5004: {
    severity: 'warning',
    title: 'Mode async',
    explanation: 'The mode `async` is now called `parallel`.',
  },
  NT5005: { severity: 'warning', title: 'with', explanation: 'Inputs are now called `input` (or `args`).' },
  NT5006: {
    severity: 'warning',
    title: 'else without then',
    explanation: 'The actions of an `else` belong under its `then`: `- else: {then: {do: …}}`.',
  },
  NT5007: {
    severity: 'warning',
    title: 'vars on a step',
    explanation: 'Write `vars` as `set` with `ctx.` names.',
  },
  NT5008: {
    severity: 'warning',
    title: 'Structural next',
    explanation:
      'Write a name or list under `next` as a router: `next: {arcs: [{step: …}]}`. A list runs all its steps: `spec: {mode: inclusive}`.',
  },
  NT5009: {
    severity: 'warning',
    title: 'Step under then',
    explanation: 'A rule of `case` routes with the action `next`: `then: [{next: [{step: …}]}]`.',
  },
  NT5010: {
    severity: 'warning',
    title: 'Writes as a list',
    explanation: '`set` is a mapping from targets to values; this is a list of entries `{name, value}`.',
  },
  NT5011: {
    severity: 'warning',
    title: 'Repetition at the end of the step',
    explanation:
      'A call is repeated when it has ended, by a rule on `call.done`. For a step with one task, a rule on `step.exit` is read as that.',
  },
  NT5012: {
    severity: 'warning',
    title: 'Inputs in the spec of a tool',
    explanation: '`spec` contains settings; put inputs into `input` beside it.',
  },
  NT5013: {
    severity: 'warning',
    title: 'Distributions in a list of libs',
    explanation: 'A list of `libs` names modules; to install packages, use `libs: {requirements: […]}`.',
  },
  NT5014: {
    severity: 'warning',
    title: 'Secret by name',
    explanation:
      'A task of kind `secrets` takes the name of the secret in `secret`; `name` is the name of the task.',
  },
  NT6001: {
    severity: 'warning',
    title: 'Unreachable step',
    explanation: 'No path leads from the entry step to this step.',
  },
  NT6002: {
    severity: 'warning',
    title: 'Arc that is never followed',
    explanation:
      'An exclusive router follows the first arc that matches, and an earlier arc always matches, or matches whenever this one does (`n > 0` before `n > 5`). The check compares conditions on one value and literals; other conditions are considered equal only if their text is identical.',
  },
  NT6003: { severity: 'warning', title: 'Arc that never matches', explanation: 'The guard is always false.' },
  NT6004: {
    severity: 'warning',
    title: 'Cycle without exit',
    explanation:
      'From here, the execution can never leave: every step leads only to steps of the same cycle, without a guard that could end it. It would fail as a runaway.',
  },
  NT6005: {
    severity: 'warning',
    title: 'Unreachable task',
    explanation:
      'No path through the pipeline leads to this task: the rules before it always jump, break or fail.',
  },
} as const satisfies Record<string, CodeEntry>;
