import { type CodeEntry } from './entry';

/** NT4xxx expressions, NT5xxx deprecations, NT6xxx the graph of steps. */
export const USE_CODES = {
  NT4001: { severity: 'error', title: 'Template syntax', explanation: 'The template cannot be read.' },
  NT4002: {
    severity: 'error',
    title: 'Template too long or too deep',
    explanation: 'A template is a line or a page, not a megabyte; longer texts are data.',
  },
  NT4003: {
    severity: 'error',
    title: 'Unsupported tag',
    explanation:
      'Tags that load other templates (`include`, `import`, `extends`) have no meaning in a playbook.',
  },
  NT4005: {
    severity: 'warning',
    title: 'Data spliced into code',
    explanation:
      'A value in the middle of SQL or code is read as SQL or code: a quote in the data breaks it, and an attacker can use that. Hand values over as `params` (SQL) or `input` (Python).',
  },
  NT4006: {
    severity: 'info',
    title: 'Code left as it is',
    explanation:
      'The code holds braces that look like a template but name nothing that is known, so it is not rendered.',
  },
  NT4007: {
    severity: 'warning',
    title: 'Condition without braces',
    explanation:
      'A condition is written as `{{ … }}`. Without braces it is read as if they were there, which other engines do not do: to them it is a text, and a text is always true.',
  },
  NT4008: {
    severity: 'warning',
    title: 'Unknown event',
    explanation: 'No event has this name, so the comparison is never true.',
  },
  NT4009: {
    severity: 'warning',
    title: 'Event that does not occur here',
    explanation: 'The event exists, but this step never has it, so the comparison is never true.',
  },
  NT4010: {
    severity: 'warning',
    strict: true,
    title: 'Python code that does not parse',
    explanation:
      'The Python of this machine (`NOETL_PYTHON`, `python3`) cannot read the code, so the task would fail when it is reached. Told by commands and by the facade where there is a Python 3; a warning, since workers may have another version. Code that is a template is not looked at.',
  },
  NT4101: {
    severity: 'error',
    title: 'Unknown function',
    explanation:
      'No function has this name. Methods of values (`text.upper()`) and the functions of the language are all that can be called.',
  },
  NT4102: { severity: 'error', title: 'Unknown filter', explanation: 'No filter has this name.' },
  NT4103: { severity: 'error', title: 'Unknown test', explanation: 'No test (`is …`) has this name.' },
  NT4104: {
    severity: 'warning',
    title: 'Unknown method',
    explanation:
      'No value has a method of this name, or the method would change the data, which templates cannot.',
  },
  NT5001: {
    severity: 'warning',
    title: 'Task as a label',
    explanation: 'The form `- label: {kind: …}` was replaced by `- name: label` with the fields beside it.',
  },
  NT5002: {
    severity: 'warning',
    title: 'Name and path at the root',
    explanation: '`name` and `path` belong to `metadata`.',
  },
  NT5003: {
    severity: 'warning',
    title: 'Knobs of a loop outside of its spec',
    explanation: '`mode` and `max_in_flight` belong to `loop.spec`.',
  },
  NT5004: { severity: 'warning', title: 'Mode async', explanation: 'The mode `async` is called `parallel`.' },
  NT5005: { severity: 'warning', title: 'with', explanation: 'Inputs are called `input` (or `args`).' },
  NT5006: {
    severity: 'warning',
    title: 'else without then',
    explanation: 'The actions of an `else` belong under its `then`: `- else: {then: {do: …}}`.',
  },
  NT5007: {
    severity: 'warning',
    title: 'vars at a step',
    explanation: '`vars` is written as `set` with `ctx.` names.',
  },
  NT5008: {
    severity: 'warning',
    title: 'Structural next',
    explanation:
      'A name or list under `next` is written as a router: `next: {arcs: [{step: …}]}`. A list runs all its steps: `spec: {mode: inclusive}`.',
  },
  NT5009: {
    severity: 'warning',
    title: 'Step under then',
    explanation: 'A rule of `case` moves on by the action `next`: `then: [{next: [{step: …}]}]`.',
  },
  NT5010: {
    severity: 'warning',
    title: 'Writes as a list',
    explanation:
      '`set` is a mapping from what is written to its value; the list had entries `{name, value}`.',
  },
  NT5011: {
    severity: 'warning',
    title: 'Repetition at the end of the step',
    explanation:
      'A call is repeated when it has ended: by a rule on `call.done`. Of a step with one task, one on `step.exit` is read as that.',
  },
  NT5012: {
    severity: 'warning',
    title: 'Inputs in the spec of a tool',
    explanation: '`spec` holds knobs; inputs are `input` beside it.',
  },
  NT5013: {
    severity: 'warning',
    title: 'Distributions in a list of libs',
    explanation: 'A list of `libs` names modules; what is to be installed is `libs: {requirements: […]}`.',
  },
  NT5014: {
    severity: 'warning',
    title: 'Secret by name',
    explanation: 'The secret that a task of kind `secrets` looks up is `secret`; `name` is that of the task.',
  },
  NT6001: {
    severity: 'warning',
    title: 'Unreachable step',
    explanation: 'No way leads from the entry step to this step.',
  },
  NT6002: {
    severity: 'warning',
    title: 'Arc that is never followed',
    explanation:
      'An exclusive router follows the first arc that matches, and an arc before this one matches always, or wherever this one does (`n > 0` before `n > 5`). What is compared is one value with literals; other conditions are the same only where they are written the same.',
  },
  NT6003: { severity: 'warning', title: 'Arc that never matches', explanation: 'The guard is always false.' },
  NT6004: {
    severity: 'warning',
    title: 'Cycle without exit',
    explanation:
      'Once here, the execution can never leave: every step only leads to steps of the same cycle, without a guard that could end it. It would end as a runaway.',
  },
  NT6005: {
    severity: 'warning',
    title: 'Unreachable task',
    explanation:
      'No way leads through the pipeline to this task: the rules before it always jump, break or fail.',
  },
} as const satisfies Record<string, CodeEntry>;
