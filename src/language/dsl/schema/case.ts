import { type SchemaField, type SchemaShape, shape, type Type, unlisted } from './shape';
import { REMOVED, TARGET, WRITES } from './step-parts';
import { CONDITION_WORDS, THEN_WORDS } from './words';
import * as field from './fields';

/** Knobs of a repetition. */
const KNOBS: Readonly<Record<string, SchemaField>> = {
  max_attempts: field.count('Total number of executions, including the first; default 3.'),
  attempts: field.count('Alias of `max_attempts`.'),
  initial_delay: field.durationField('Seconds before the second execution; 0 for a new page.'),
  delay: field.durationField('Alias of `initial_delay`.'),
  backoff_multiplier: field.amount('Factor from one delay to the next; default 1.'),
  multiplier: field.amount('Alias of `backoff_multiplier`.'),
  backoff: field.keyword(
    ['none', 'fixed', 'linear', 'exponential'],
    'Instead of a factor: how the delay grows.',
    { numberAs: 'delay' },
  ),
  max_delay: field.durationField('The maximum delay between two executions, in seconds.'),
};

/** Changes for the next call; other keys of `retry` and `call` are overrides as well. */
const OVERRIDES: Readonly<Record<string, SchemaField>> = {
  params: field.any('Override of a field of the tool, e.g. the next page of an `http` call.'),
  next_call: field.anyMappingField('Overrides, under this key or beside it.'),
  input: field.anyMappingField('Overrides of inputs.'),
  args: field.anyMappingField('Overrides of inputs; fields of the tool are recognized here as well.'),
};

const COLLECT: SchemaShape = shape('`collect`', 'warning', {
  from: field.any('The value to collect: an expression, with or without braces.'),
  into: field.required(field.name('The variable to collect into: `pages` is `ctx.pages`.')),
  mode: field.any('`append` (one item), `extend` (the items of a list), `replace` or `merge`.'),
  strategy: field.any('The alternative form: `append` the items of a list, `collect`, `replace`, `merge`.'),
  path: field.anyTextField('The alternative form: the path of the value, below `response`.'),
});

/** `sink` of a step, rule, policy or workbook task. */
export const SINK: SchemaShape = shape(
  'a sink',
  unlisted('warning', undefined, (key) =>
    ['table', 'mode', 'key', 'auth', 'command', 'statement', 'url'].includes(key)
      ? 'it belongs under `tool`, indented'
      : undefined,
  ),
  {
    tool: field.required(
      field.anyMappingField('The tool that stores, of any kind.', {
        example: 'tool: {kind: postgres, table: …}',
      }),
    ),
    args: field.anyMappingField('The values to store: columns, or the body.'),
    input: field.anyMappingField('Alias of `args`.'),
    with: field.formerly('args'),
    data: field.any('The data to store, as one value.'),
    when: field.conditionField('The sink is skipped unless this condition holds.'),
    name: field.name('The name of the sink in events; default `<step>_sink`.'),
    event: field.any('A remark.', { placeholder: true }),
    desc: field.REMARK,
  },
);

/** A sink, or the tool of one; distinguished when parsed. */
const ANY_SINK: SchemaShape = shape('`sink`', 'judged', {
  tool: { ...SINK.fields.tool!, required: undefined },
  kind: field.name('The kind of tool, where the sink is its tool.'),
  args: SINK.fields.args!,
  data: SINK.fields.data!,
  when: SINK.fields.when!,
  name: SINK.fields.name!,
});

export const SINK_FIELD: SchemaField = field.either(
  [{ shape: () => ANY_SINK }, { list: { shape: () => ANY_SINK } }],
  'Stores what was returned.',
);

/** Actions of a repetition before the next call. */
const BETWEEN: Readonly<Record<string, SchemaField>> = {
  ...WRITES,
  collect: field.nestedField(() => COLLECT, 'Collects what each call returns.'),
  sink: SINK_FIELD,
  log: field.any('Adds a message to the event log.'),
};

/** `retry` as a mapping. */
export const RETRY: SchemaShape = shape('`retry`', 'judged', {
  ...KNOBS,
  retry_when: field.conditionField('Continue while it holds.'),
  stop_when: field.conditionField('Continue until it holds.'),
  ...OVERRIDES,
  ...BETWEEN,
});

/** `then` of a policy. */
export const RETRY_THEN: SchemaShape = shape('`then` of a policy', 'judged', {
  ...KNOBS,
  ...OVERRIDES,
  ...BETWEEN,
});

const OTHERWISE: SchemaShape = shape('`else` of a policy', 'judged', {
  then: field.either([{ shape: () => RETRY_THEN }, 'text'], 'The repetition.'),
  ...RETRY_THEN.fields,
});

/** A policy of the list form. */
export const RETRY_POLICY: SchemaShape = shape('a policy of `retry`', unlisted('warning', CONDITION_WORDS), {
  when: field.conditionField('The condition; the first policy that holds decides.'),
  then: field.either([{ shape: () => RETRY_THEN }, 'text'], 'The repetition.'),
  else: field.either(
    [{ shape: () => OTHERWISE }, 'text'],
    'The last policy: what happens when no other holds.',
  ),
  desc: field.REMARK,
  name: field.REMARK,
});

export const RETRY_FIELD: SchemaField = field.either(
  [{ shape: () => RETRY }, { list: { shape: () => RETRY_POLICY } }, 'text'],
  'Repetition of the tool: a mapping, a list of policies, or a number of attempts.',
);

const RETRY_ACTION: SchemaShape = shape('the action `retry`', 'judged', { ...KNOBS, ...OVERRIDES });

const CALL_ACTION: SchemaShape = shape('the action `call`', 'judged', OVERRIDES);

const REASON: SchemaShape = shape('a reason', 'warning', {
  message: field.anyTextField('The error message.'),
  reason: field.anyTextField('Alias of `message`.'),
});

const TARGETS: Type = {
  either: ['text', { list: { either: ['text', { shape: () => TARGET }] } }, { shape: () => NEXT_ACTION }],
};

const NEXT_ACTION: SchemaShape = {
  ...TARGET,
  title: 'the action `next`',
  fields: {
    ...TARGET.fields,
    step: field.name('The step that follows.'),
    arcs: field.listField({ shape: () => TARGET }, 'The steps that follow.'),
  },
};

const ACTIONS: Readonly<Record<string, SchemaField>> = {
  ...BETWEEN,
  result: field.any('Replaces the result of the step: a value, or `{from: <expression>}`.'),
  call: field.either(
    [{ shape: () => CALL_ACTION }, 'text'],
    'Calls the tool again, as a new page; keys are overrides.',
  ),
  retry: field.either(
    [{ shape: () => RETRY_ACTION }, 'text'],
    'Repeats the call; with overrides, as a new page.',
  ),
  end_loop: field.boolean('Ends the loop with this iteration.'),
  next: field.of(TARGETS, 'The steps that follow: all of them run.'),
  fail: field.either(['text', { shape: () => REASON }], 'The step fails.'),
  skip: field.either(['text', { shape: () => REASON }], 'The step ends as skipped.'),
  do: field.rejected(
    'Not allowed: the actions of `case` are keys.',
    'NT2031',
    '`do` belongs to the rules of a task',
    'in `case`, write the action as a key: `retry: {max_attempts: 3}`, `next: [{step: …}]`, `fail: "why"`',
  ),
};

/** `then: [- step: x]`, an older form of `next`. */
const STEP_OF_THEN: Readonly<Record<string, SchemaField>> = {
  step: field.name('Former form of `next: [{step: …}]`.'),
  args: field.anyMappingField('Beside `step`: inputs of that step.'),
  input: field.anyMappingField('Alias of `args`.'),
  with: field.anyMappingField('Alias of `args`.'),
};

const THEN: SchemaShape = shape('`then` of `case`', unlisted('warning', THEN_WORDS), {
  ...ACTIONS,
  ...STEP_OF_THEN,
});

const THENS: Type = { either: [{ shape: () => THEN }, { list: { shape: () => THEN } }] };

const ELSE: SchemaShape = shape('`else` of `case`', 'warning', {
  then: field.of(THENS, 'The actions.'),
  ...ACTIONS,
});

const NO_RHAI: SchemaField = field.rejected(
  'Refused.',
  'NT2033',
  'conditions in Rhai are not read',
  'write the condition as a template: `when: "{{ … }}"`',
);

/** A rule of `case`. */
export const CASE_RULE: SchemaShape = shape('a rule of `case`', unlisted('warning', CONDITION_WORDS), {
  when: field.conditionField('The condition, on the event and the response.'),
  then: field.of(THENS, 'The actions: a mapping, or a list of them.'),
  else: field.either(
    [{ shape: () => ELSE }, { list: { shape: () => THEN } }],
    'The last rule: what happens when no other matched.',
  ),
  desc: field.REMARK,
  name: field.REMARK,
  expr: REMOVED.expr!,
  rhai: NO_RHAI,
  when_rhai: NO_RHAI,
});
