import { CACHE } from './cache';
import { SANDBOX } from './sandbox';
import { ALL_TOOL_FIELDS } from '../kinds';
import { type Field, type Shape, type Type } from './shape';
import { LIMITS_OF_TASKS, NOT_OF_EXECUTION } from './limits';
import { LOOP } from './loop';
import { ADMIT } from './rules';
import { FAILURE, noControl } from './common';
import { CASE_RULE, RETRY_FIELD, SINK_FIELD } from './case';
import { NO_CONDITIONAL_NEXT, removed, REMOVED, TARGET, WRITES } from './step-parts';
import { ARC_WORDS, STEP_WORDS } from './words';

const ARC: Shape = {
  title: 'an arc',
  others: 'warning',
  words: ARC_WORDS,
  fields: {
    step: { type: 'name', doc: 'The step that the arc leads to.', required: true },
    when: { type: 'condition', doc: 'The guard; an arc without one always matches.' },
    args: { type: 'mapping', doc: 'Inputs of the next step.' },
    input: { type: 'mapping', doc: 'Inputs of the next step (the same as `args`).' },
    ...WRITES,
    desc: { type: 'text', doc: 'A remark.' },
    spec: { type: 'any', doc: 'Reserved.', placeholder: true },
    then: NO_CONDITIONAL_NEXT,
    else: NO_CONDITIONAL_NEXT,
  },
};

const POLICY_OF_ROUTER_SHAPE: Shape = {
  title: 'the policy of a router',
  others: 'open',
  fields: { rules: noControl, do: noControl },
};

const SPEC_OF_ROUTER_SHAPE: Shape = {
  title: 'the spec of a router',
  others: 'warning',
  fields: {
    mode: {
      type: { values: ['exclusive', 'inclusive'] },
      doc: 'First matching arc, or all of them.',
    },
    policy: {
      type: {
        shape: () => POLICY_OF_ROUTER_SHAPE,
      },
      doc: 'Reserved.',
    },
  },
};

const NEXT: Shape = {
  title: '`next`',
  others: 'warning',
  fields: {
    spec: {
      type: {
        shape: () => SPEC_OF_ROUTER_SHAPE,
      },
      doc: 'How the arcs are selected.',
    },
    arcs: { type: { list: { shape: () => ARC } }, doc: 'The possible next steps, in order.' },
    step: { type: 'name', doc: 'The one step that follows (structural form).' },
    args: { type: 'mapping', doc: 'Inputs of the next step (structural form).' },
    when: NO_CONDITIONAL_NEXT,
    then: NO_CONDITIONAL_NEXT,
    else: NO_CONDITIONAL_NEXT,
  },
};

const LIFECYCLE: Shape = {
  title: '`lifecycle`',
  others: 'open',
  fields: {
    timeout_s: { type: 'duration', doc: 'Seconds that one run of the step may take.' },
    deadline_s: {
      type: 'duration',
      doc: 'The deadline of the step, in seconds from the start of the execution.',
    },
  },
};

const BOUNDARY: Readonly<Record<string, Field>> = {
  admit: { type: { shape: () => ADMIT }, doc: 'Whether the step may run (admission).' },
  lifecycle: { type: { shape: () => LIFECYCLE }, doc: 'Timeout and deadline of the step.' },
  failure: { type: { shape: () => FAILURE }, doc: 'What a failure does to the other iterations or tokens.' },
  join: {
    type: { values: ['all', 'each'] },
    doc: '`each` runs the step once per token instead of joining a fork.',
  },
};

const STEP_POLICY: Shape = {
  title: 'the policy of a step',
  others: 'open',
  fields: {
    ...BOUNDARY,
    emit: { type: 'any', doc: 'Reserved.', placeholder: true },
    rules: noControl,
    do: noControl,
    retry: noControl,
  },
};

const STEP_SPEC: Shape = {
  title: 'the spec of a step',
  others: 'open',
  fields: {
    ...BOUNDARY,
    policy: { type: { shape: () => STEP_POLICY }, doc: 'Admission, lifecycle, failure and join.' },
    timeout: {
      type: { either: ['duration', 'mapping'] },
      doc: 'Timeout of every task of the step, in seconds.',
    },
    pool: { type: 'name', doc: 'The worker pool of the tasks.' },
    exec: {
      type: { values: ['local', 'inline'] },
      doc: 'Where the tasks run: `local`, together in one activity, or `inline`, each in its own.',
    },
    ...LIMITS_OF_TASKS,
    ...NOT_OF_EXECUTION,
    case_mode: {
      type: { values: ['exclusive', 'inclusive'] },
      doc: 'Whether only the first matching rule of `case` acts, or all of them.',
    },
    cache: CACHE,
    sandbox: SANDBOX,
    delivery: {
      type: { values: ['at_least_once', 'at_most_once'] },
      doc: 'What happens after a crash of a worker.',
    },
  },
};

const NAMES: Type = {
  either: ['text', { list: { either: ['text', { shape: () => TARGET }] } }, { shape: () => NEXT }],
};

/** A step, with the keys of every vocabulary. `tool` is checked by its kind, elsewhere. */
export const STEP: Shape = {
  title: 'a step',
  others: 'warning',
  words: STEP_WORDS,
  elsewhere: (key) => (ALL_TOOL_FIELDS.has(key) ? 'it belongs under `tool`, indented' : undefined),
  fields: {
    step: { type: 'name', doc: 'The name of the step.', required: true },
    desc: { type: 'text', doc: 'What the step does.' },
    description: { type: 'text', doc: 'Alias of `desc`.' },
    spec: { type: { shape: () => STEP_SPEC }, doc: 'Settings of the step, and its policy.' },
    loop: {
      type: { shape: () => LOOP },
      doc: 'Runs the tools once for every item of a list.',
      example: 'loop: {in: "{{ … }}", iterator: item}',
    },
    tool: {
      type: { either: ['mapping', { list: 'mapping' }] },
      doc: 'What the step does: one tool, or a list run in order.',
      example: 'tool: {kind: http, url: …}',
    },
    next: { type: NAMES, doc: 'The steps that follow.' },
    input: { type: 'mapping', doc: 'Inputs of the tools: defaults that arguments of the arc override.' },
    args: { type: 'mapping', doc: 'Inputs of the tools (the same as `input`).' },
    with: {
      type: 'mapping',
      doc: 'Former name of `input`.',
      deprecated: { code: 'NT5005', hint: 'write `input`' },
    },
    ...WRITES,
    vars: {
      type: 'mapping',
      doc: 'Former form of `set` with `ctx.` names.',
      deprecated: { code: 'NT5007', hint: 'write `set: {ctx.name: …}`' },
    },
    case: { type: { list: { shape: () => CASE_RULE } }, doc: 'Rules on the events of the step.' },
    retry: RETRY_FIELD,
    sink: SINK_FIELD,
    ...REMOVED,
    when: removed(
      'NT2013',
      'a step has no `when`',
      'put the condition on the arc that leads here; to gate the step, write `spec: {policy: {admit: {rules: [{when: "{{ … }}", then: {allow: true}}, {else: {then: {allow: false}}}]}}}`',
    ),
    type: removed('NT2017', 'a step has no `type`', 'the kind of tool is written as `tool: {kind: …}`'),
  },
};
