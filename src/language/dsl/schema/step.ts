import { typeAsTool, whenAsAdmission } from '../fixes/removed';
import { writesAs } from '../fixes/writes';
import { CACHE } from './cache';
import { SANDBOX } from './sandbox';
import { ALL_TOOL_FIELDS } from '../kinds';
import { type SchemaField, type SchemaShape, shape, type Type, unlisted } from './shape';
import { LIMITS_OF_TASKS, NOT_OF_EXECUTION } from './limits';
import { LOOP } from './loop';
import { ADMIT } from './rules';
import { FAILURE, noControl } from './common';
import { CASE_RULE, RETRY_FIELD, SINK_FIELD } from './case';
import { NO_CONDITIONAL_NEXT, removed, REMOVED, TARGET, WRITES } from './step-parts';
import { ARC_WORDS, STEP_WORDS } from './words';
import * as field from './fields';

const ARC: SchemaShape = shape('an arc', unlisted('warning', ARC_WORDS), {
  step: field.required(field.name('The step that the arc leads to.')),
  when: field.conditionField('The guard; an arc without one always matches.'),
  args: field.anyMappingField('Inputs of the next step.'),
  input: field.anyMappingField('Inputs of the next step (the same as `args`).'),
  ...WRITES,
  desc: field.REMARK,
  spec: field.RESERVED,
  then: NO_CONDITIONAL_NEXT,
  else: NO_CONDITIONAL_NEXT,
});

const POLICY_OF_ROUTER_SHAPE: SchemaShape = shape('the policy of a router', 'open', {
  rules: noControl,
  do: noControl,
});

const SPEC_OF_ROUTER_SHAPE: SchemaShape = shape('the spec of a router', 'warning', {
  mode: field.keyword(['exclusive', 'inclusive'], 'First matching arc, or all of them.'),
  on_no_match: field.keyword(
    ['quiet', 'complete'],
    'Both end this branch, and no other, when no arc matches.',
  ),
  policy: field.nestedField(() => POLICY_OF_ROUTER_SHAPE, 'Reserved.'),
});

const NEXT: SchemaShape = shape('`next`', 'warning', {
  spec: field.nestedField(() => SPEC_OF_ROUTER_SHAPE, 'How the arcs are selected.'),
  arcs: field.listField({ shape: () => ARC }, 'The possible next steps, in order.'),
  step: field.name('The one step that follows (structural form).'),
  args: field.anyMappingField('Inputs of the next step (structural form).'),
  when: NO_CONDITIONAL_NEXT,
  then: NO_CONDITIONAL_NEXT,
  else: NO_CONDITIONAL_NEXT,
});

const LIFECYCLE: SchemaShape = shape('`lifecycle`', 'warning', {
  timeout_s: field.limitField('Seconds that one run of the step may take.'),
  deadline_s: field.limitField('The deadline of the step, in seconds from the start of the execution.'),
  rules: noControl,
  do: noControl,
  retry: noControl,
});

const BOUNDARY: Readonly<Record<string, SchemaField>> = {
  admit: field.nestedField(() => ADMIT, 'Whether the step may run (admission).'),
  lifecycle: field.nestedField(() => LIFECYCLE, 'Timeout and deadline of the step.'),
  failure: field.nestedField(() => FAILURE, 'What a failure does to the other iterations or tokens.'),
  join: field.keyword(['all', 'each'], '`each` runs the step once per token instead of joining a fork.'),
};

const STEP_POLICY: SchemaShape = shape('the policy of a step', 'warning', {
  ...BOUNDARY,
  emit: field.RESERVED,
  rules: noControl,
  do: noControl,
  retry: noControl,
});

const STEP_SPEC: SchemaShape = shape('the spec of a step', 'open', {
  ...BOUNDARY,
  policy: field.nestedField(() => STEP_POLICY, 'Admission, lifecycle, failure and join.'),
  timeout: field.either(['limit', 'mapping'], 'Timeout of every task of the step, in seconds.'),
  pool: field.name('The worker pool of the tasks.'),
  exec: field.keyword(
    ['local', 'inline'],
    'Where the tasks run: `local`, together in one activity, or `inline`, each in its own.',
  ),
  ...LIMITS_OF_TASKS,
  ...NOT_OF_EXECUTION,
  next_mode: field.keyword(
    ['exclusive', 'inclusive'],
    'The same as `next.spec.mode`, also for a list under `next`.',
  ),
  case_mode: field.keyword(
    ['exclusive', 'inclusive'],
    'Whether only the first matching rule of `case` acts, or all of them.',
  ),
  cache: CACHE,
  sandbox: SANDBOX,
  delivery: field.keyword(['at_least_once', 'at_most_once'], 'What happens after a crash of a worker.'),
});

const NAMES: Type = {
  either: ['text', { list: { either: ['text', { shape: () => TARGET }] } }, { shape: () => NEXT }],
};

const STEP_WRITES = ['vars', 'set_ctx', 'set_iter'];

/** A step, with the keys of every vocabulary. `tool` is checked by its kind, elsewhere. */
export const STEP: SchemaShape = shape(
  'a step',
  unlisted('warning', STEP_WORDS, (key) =>
    ALL_TOOL_FIELDS.has(key) ? 'it belongs under `tool`, indented' : undefined,
  ),
  {
    step: field.required(field.name('The name of the step.')),
    desc: field.anyTextField('What the step does.'),
    description: field.anyTextField('Alias of `desc`.'),
    spec: field.nestedField(() => STEP_SPEC, 'Settings of the step, and its policy.'),
    loop: field.nestedField(() => LOOP, 'Runs the tools once for every item of a list.', {
      example: 'loop: {in: "{{ … }}", iterator: item}',
    }),
    tool: field.either(
      ['mapping', { list: 'mapping' }],
      'What the step does: one tool, or a list run in order.',
      {
        example: 'tool: {kind: http, url: …}',
      },
    ),
    next: field.of(NAMES, 'The steps that follow.'),
    input: field.anyMappingField('Inputs of the tools: defaults that arguments of the arc override.'),
    args: field.anyMappingField('Inputs of the tools (the same as `input`).'),
    with: field.formerly('input'),
    ...WRITES,
    vars: field.anyMappingField('Former form of `set` with `ctx.` names.', {
      deprecated: { code: 'NT5007', hint: 'write `set: {ctx.name: …}`', fix: writesAs(STEP_WRITES) },
    }),
    case: field.listField({ shape: () => CASE_RULE }, 'Rules on the events of the step.'),
    retry: RETRY_FIELD,
    sink: SINK_FIELD,
    output: field.OUTPUT,
    ...REMOVED,
    when: removed(
      'NT2013',
      'a step has no `when`',
      'put the condition on the arc that leads here; to gate the step, write `spec: {policy: {admit: {rules: [{when: "{{ … }}", then: {allow: true}}, {else: {then: {allow: false}}}]}}}`',
      whenAsAdmission,
    ),
    type: removed(
      'NT2017',
      'a step has no `type`',
      'the kind of tool is written as `tool: {kind: …}`',
      typeAsTool((key) => Object.hasOwn(STEP.fields, key)),
    ),
  },
);
