import { type Field, type Shape, type Type } from './shape';
import { REMOVED, TARGET, WRITES } from './step-parts';
import { CONDITION_WORDS, THEN_WORDS } from './words';

const PREDICATE = (doc: string): Field => ({ type: 'condition', doc });

/** Knobs of a repetition. */
const KNOBS: Readonly<Record<string, Field>> = {
  max_attempts: { type: 'count', doc: 'Total number of executions, including the first; default 3.' },
  attempts: { type: 'count', doc: 'Alias of `max_attempts`.' },
  initial_delay: { type: 'duration', doc: 'Seconds before the second execution; 0 for a new page.' },
  delay: { type: 'duration', doc: 'Alias of `initial_delay`.' },
  backoff_multiplier: { type: 'amount', doc: 'Factor from one delay to the next; default 1.' },
  multiplier: { type: 'amount', doc: 'Alias of `backoff_multiplier`.' },
  backoff: {
    type: { values: ['none', 'fixed', 'linear', 'exponential'] },
    doc: 'Instead of a factor: how the delay grows.',
  },
  max_delay: { type: 'duration', doc: 'The maximum delay between two executions, in seconds.' },
};

/** Changes for the next call; other keys of `retry` and `call` are overrides as well. */
const OVERRIDES: Readonly<Record<string, Field>> = {
  params: { type: 'any', doc: 'Override of a field of the tool, e.g. the next page of an `http` call.' },
  next_call: { type: 'mapping', doc: 'Overrides, under this key or beside it.' },
  input: { type: 'mapping', doc: 'Overrides of inputs.' },
  args: { type: 'mapping', doc: 'Overrides of inputs; fields of the tool are recognized here as well.' },
};

const COLLECT: Shape = {
  title: '`collect`',
  others: 'warning',
  fields: {
    from: { type: 'any', doc: 'The value to collect: an expression, with or without braces.' },
    into: { type: 'name', doc: 'The variable to collect into: `pages` is `ctx.pages`.', required: true },
    mode: { type: 'any', doc: '`append` (one item), `extend` (the items of a list), `replace` or `merge`.' },
    strategy: {
      type: 'any',
      doc: 'The alternative form: `append` the items of a list, `collect`, `replace`, `merge`.',
    },
    path: { type: 'text', doc: 'The alternative form: the path of the value, below `response`.' },
  },
};

/** `sink` of a step, rule, policy or workbook task. */
export const SINK: Shape = {
  title: 'a sink',
  others: 'warning',
  elsewhere: (key) =>
    ['table', 'mode', 'key', 'auth', 'command', 'statement', 'url'].includes(key)
      ? 'it belongs under `tool`, indented'
      : undefined,
  fields: {
    tool: {
      type: 'mapping',
      doc: 'The tool that stores, of any kind.',
      required: true,
      example: 'tool: {kind: postgres, table: …}',
    },
    args: { type: 'mapping', doc: 'The values to store: columns, or the body.' },
    input: { type: 'mapping', doc: 'Alias of `args`.' },
    with: {
      type: 'mapping',
      doc: 'Former name of `args`.',
      deprecated: { code: 'NT5005', hint: 'write `args`' },
    },
    data: { type: 'any', doc: 'The data to store, as one value.' },
    when: PREDICATE('The sink is skipped unless this condition holds.'),
    name: { type: 'name', doc: 'The name of the sink in events; default `<step>_sink`.' },
    event: { type: 'any', doc: 'A remark.', placeholder: true },
    desc: { type: 'text', doc: 'A remark.' },
  },
};

const SINKS: Type = {
  either: [{ shape: () => ANY_SINK }, { list: { shape: () => ANY_SINK } }],
};

/** A sink, or the tool of one; distinguished when parsed. */
const ANY_SINK: Shape = {
  title: '`sink`',
  others: 'judged',
  fields: {
    tool: { ...SINK.fields.tool!, required: undefined },
    kind: { type: 'name', doc: 'The kind of tool, where the sink is its tool.' },
    args: SINK.fields.args!,
    data: SINK.fields.data!,
    when: SINK.fields.when!,
    name: SINK.fields.name!,
  },
};

export const SINK_FIELD: Field = { type: SINKS, doc: 'Stores what was returned.' };

/** Actions of a repetition before the next call. */
const BETWEEN: Readonly<Record<string, Field>> = {
  ...WRITES,
  collect: { type: { shape: () => COLLECT }, doc: 'Collects what each call returns.' },
  sink: SINK_FIELD,
  log: { type: 'any', doc: 'Adds a message to the event log.' },
};

/** `retry` as a mapping. */
export const RETRY: Shape = {
  title: '`retry`',
  others: 'judged',
  fields: {
    ...KNOBS,
    retry_when: PREDICATE('Continue while it holds.'),
    stop_when: PREDICATE('Continue until it holds.'),
    ...OVERRIDES,
    ...BETWEEN,
  },
};

/** `then` of a policy. */
export const RETRY_THEN: Shape = {
  title: '`then` of a policy',
  others: 'judged',
  fields: { ...KNOBS, ...OVERRIDES, ...BETWEEN },
};

const OTHERWISE: Shape = {
  title: '`else` of a policy',
  others: 'judged',
  fields: {
    then: { type: { either: [{ shape: () => RETRY_THEN }, 'text'] }, doc: 'The repetition.' },
    ...RETRY_THEN.fields,
  },
};

/** A policy of the list form. */
export const RETRY_POLICY: Shape = {
  title: 'a policy of `retry`',
  others: 'warning',
  words: CONDITION_WORDS,
  fields: {
    when: PREDICATE('The condition; the first policy that holds decides.'),
    then: { type: { either: [{ shape: () => RETRY_THEN }, 'text'] }, doc: 'The repetition.' },
    else: {
      type: { either: [{ shape: () => OTHERWISE }, 'text'] },
      doc: 'The last policy: what happens when no other holds.',
    },
    desc: { type: 'text', doc: 'A remark.' },
    name: { type: 'text', doc: 'A remark.' },
  },
};

export const RETRY_FIELD: Field = {
  type: { either: [{ shape: () => RETRY }, { list: { shape: () => RETRY_POLICY } }, 'text'] },
  doc: 'Repetition of the tool: a mapping, a list of policies, or a number of attempts.',
};

const RETRY_ACTION: Shape = {
  title: 'the action `retry`',
  others: 'judged',
  fields: { ...KNOBS, ...OVERRIDES },
};

const CALL_ACTION: Shape = { title: 'the action `call`', others: 'judged', fields: OVERRIDES };

const REASON: Shape = {
  title: 'a reason',
  others: 'warning',
  fields: {
    message: { type: 'text', doc: 'The error message.' },
    reason: { type: 'text', doc: 'Alias of `message`.' },
  },
};

const TARGETS: Type = {
  either: ['text', { list: { either: ['text', { shape: () => TARGET }] } }, { shape: () => NEXT_ACTION }],
};

const NEXT_ACTION: Shape = {
  ...TARGET,
  title: 'the action `next`',
  fields: {
    ...TARGET.fields,
    step: { type: 'name', doc: 'The step that follows.' },
    arcs: { type: { list: { shape: () => TARGET } }, doc: 'The steps that follow.' },
  },
};

const ACTIONS: Readonly<Record<string, Field>> = {
  ...BETWEEN,
  result: { type: 'any', doc: 'Replaces the result of the step: a value, or `{from: <expression>}`.' },
  call: {
    type: { either: [{ shape: () => CALL_ACTION }, 'text'] },
    doc: 'Calls the tool again, as a new page; keys are overrides.',
  },
  retry: {
    type: { either: [{ shape: () => RETRY_ACTION }, 'text'] },
    doc: 'Repeats the call; with overrides, as a new page.',
  },
  end_loop: { type: 'boolean', doc: 'Ends the loop with this iteration.' },
  next: { type: TARGETS, doc: 'The steps that follow: all of them run.' },
  fail: { type: { either: ['text', { shape: () => REASON }] }, doc: 'The step fails.' },
  skip: { type: { either: ['text', { shape: () => REASON }] }, doc: 'The step ends as skipped.' },
  do: {
    type: 'any',
    doc: 'Not allowed: the actions of `case` are keys.',
    rejected: {
      code: 'NT2031',
      message: '`do` belongs to the rules of a task',
      hint: 'in `case`, write the action as a key: `retry: {max_attempts: 3}`, `next: [{step: …}]`, `fail: "why"`',
    },
  },
};

/** `then: [- step: x]`, an older form of `next`. */
const STEP_OF_THEN: Readonly<Record<string, Field>> = {
  step: { type: 'name', doc: 'Former form of `next: [{step: …}]`.' },
  args: { type: 'mapping', doc: 'Beside `step`: inputs of that step.' },
  input: { type: 'mapping', doc: 'Alias of `args`.' },
  with: { type: 'mapping', doc: 'Alias of `args`.' },
};

const THEN: Shape = {
  title: '`then` of `case`',
  others: 'warning',
  words: THEN_WORDS,
  fields: { ...ACTIONS, ...STEP_OF_THEN },
};

const THENS: Type = { either: [{ shape: () => THEN }, { list: { shape: () => THEN } }] };

const ELSE: Shape = {
  title: '`else` of `case`',
  others: 'warning',
  fields: { then: { type: THENS, doc: 'The actions.' }, ...ACTIONS },
};

/** A rule of `case`. */
export const CASE_RULE: Shape = {
  title: 'a rule of `case`',
  others: 'warning',
  words: CONDITION_WORDS,
  fields: {
    when: { type: 'condition', doc: 'The condition, on the event and the response.' },
    then: { type: THENS, doc: 'The actions: a mapping, or a list of them.' },
    else: {
      type: { either: [{ shape: () => ELSE }, { list: { shape: () => THEN } }] },
      doc: 'The last rule: what happens when no other matched.',
    },
    desc: { type: 'text', doc: 'A remark.' },
    name: { type: 'text', doc: 'A remark.' },
    expr: REMOVED.expr!,
  },
};
