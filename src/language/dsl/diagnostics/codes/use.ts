import { type CodeEntry, error, info, warning } from './entry';

/** NT4xxx expressions, NT5xxx deprecations, NT6xxx the graph of steps. */
export const USE_CODES = {
  NT4001: error('Template syntax', 'The template cannot be parsed.'),
  NT4002: error(
    'Template too long or too deep',
    'A template should be a line or a page, not a megabyte; pass longer texts as data.',
  ),
  NT4003: error(
    'Unsupported tag',
    'Tags that load other templates (`include`, `import`, `extends`) are not supported in a playbook.',
  ),
  NT4005: warning(
    'Data spliced into code',
    'A value inserted into SQL, a command or code is parsed as such: a quote in the data breaks it, and an attacker can exploit that. Pass values as `params` (SQL), `env` (commands) or `input` (Python).',
  ),
  NT4006: info(
    'Code left unchanged',
    'The code contains braces that look like a template but contain no known name, so it is not rendered.',
  ),
  NT4007: warning(
    'Condition without braces',
    'Write a condition as `{{ … }}`. This runtime reads it as if the braces were there; other engines treat it as text, and text is always true.',
  ),
  NT4008: warning('Unknown event', 'No event has this name, so the comparison is never true.'),
  NT4009: warning(
    'Event that does not occur here',
    'The event exists, but never occurs in this step, so the comparison is never true.',
  ),
  NT4010: warning(
    'Python code that does not parse',
    'The Python on this machine (`NOETL_PYTHON`, `python3`) cannot parse the code, so the task would fail when it is reached. Commands and the facade report this if they have a Python 3. It is a warning, because workers may have another version. Code that is a template is not checked.',
    'strict',
  ),
  NT4011: error(
    'Condition that is a text',
    'A condition is one template. Text around it, or a second template, makes it a text, which is always true: join the parts inside of one pair of braces, with `and` and `or`.',
  ),
  NT4012: warning(
    'Catch-all that catches no failure',
    "An arc without a guard follows a success, not a failure. Behind an arc for `step.done` it is never taken; the arc of a failure has the guard `event.name == 'step.failed'` ([compensation](../compensation.md)).",
  ),
  NT4013: warning(
    'Status that does not exist',
    '`output.status`, `outcome.status` and `this.status` are `ok` or `error`, and so is `event.status` after a call or a step: a comparison with another text is never true. (`response.status` is what the service calls its status.)',
  ),
  NT4101: error(
    'Unknown function',
    'No function has this name. You can only call methods of values (`text.upper()`) and the functions of the language.',
  ),
  NT4102: error('Unknown filter', 'No filter has this name.'),
  NT4103: error('Unknown test', 'No test (`is …`) has this name.'),
  NT4104: warning(
    'Unknown method',
    'No value has a method with this name, or the method would modify the data, which templates cannot do.',
  ),
  NT4113: error(
    'Wrong pattern',
    "A literal pattern of `regex_search`, `regex_findall`, `regex_replace`, `regex_split`, or of the tests `match`, `search` and `regex`, is not a regular expression in Python's syntax, or uses what is not supported: back-references (`\\1`, `(?P=name)`), conditions, possessive quantifiers. The width of a look-behind must be fixed, as in Python. A computed pattern fails with this code when it is reached.",
  ),
  NT4114: error(
    'Too many items for a template',
    'The items of the loop depend on nothing, and listing them exceeds the limits of a template, so the step would fail whenever it is reached. The result of a task may have more items (16 MiB as JSON).',
  ),
  NT5001: warning(
    'Task as a label',
    'The form `- label: {kind: …}` was replaced by `- name: label` with the fields beside it.',
  ),
  NT5002: warning('Name and path at the root', '`name` and `path` belong under `metadata`.'),
  NT5003: warning('Loop settings outside its spec', '`mode` and `max_in_flight` belong under `loop.spec`.'),
  NT5004: warning('Mode async', 'The mode `async` is now called `parallel`.'),
  NT5005: warning('with', 'Inputs are now called `input` (or `args`).'),
  NT5006: warning(
    'Older form of else',
    'The actions of an `else` belong under its `then`: `- else: {then: {do: …}}`. Beside `when` and `then`, it is a rule of its own, behind this one.',
  ),
  NT5007: warning('vars on a step', 'Write `vars` as `set` with `ctx.` names.'),
  NT5008: warning(
    'Structural next',
    'Write a name or list under `next` as a router: `next: {arcs: [{step: …}]}`. A list runs all its steps: `spec: {mode: inclusive}`.',
  ),
  NT5009: warning(
    'Step under then',
    'A rule of `case` routes with the action `next`: `then: [{next: [{step: …}]}]`.',
  ),
  NT5010: warning(
    'Writes as a list',
    '`set` is a mapping from targets to values; this is a list of entries `{name, value}`.',
  ),
  NT5011: warning(
    'Repetition at the end of the step',
    'A call is repeated when it has ended, by a rule on `call.done`. For a step with one task, a rule on `step.exit` is read as that.',
  ),
  NT5012: warning(
    'Inputs in the spec of a tool',
    '`spec` contains settings; put inputs into `input` beside it.',
  ),
  NT5013: warning(
    'Distributions in a list of libs',
    'A list of `libs` names modules; to install packages, use `libs: {requirements: […]}`.',
  ),
  NT5014: warning(
    'Secret by name',
    'A task of kind `secrets` takes the name of the secret in `secret`; `name` is the name of the task.',
  ),
  NT5015: warning(
    'Number under backoff',
    '`backoff` says how the delay grows from one attempt to the next; seconds are written as `delay`.',
  ),
  NT6001: warning('Unreachable step', 'No path leads from the entry step to this step.'),
  NT6002: warning(
    'Arc that is never followed',
    'An exclusive router follows the first arc that matches, and an earlier arc always matches, or matches whenever this one does (`n > 0` before `n > 5`). The check compares conditions on one value and literals; other conditions are considered equal only if their text is identical.',
  ),
  NT6003: warning('Arc that never matches', 'The guard is always false.'),
  NT6004: warning(
    'Cycle without exit',
    'The execution can never leave this cycle: every step leads only to steps of the same cycle, without a guard that could end it. It would fail as a runaway.',
  ),
  NT6005: warning(
    'Unreachable task',
    'No path through the pipeline leads to this task: the rules before it always jump, break or fail.',
  ),
  NT6006: info(
    'Step named twice by one router',
    'Where branches meet, a step runs once for all of them. But a step that one firing (an inclusive router, or one list of `next`) names more than once runs once for each of these arcs. `join: each` says so where the step is defined; it applies to every token that arrives there. `upgrade` writes it where no other router leads to the step.',
  ),
} satisfies Record<string, CodeEntry>;
