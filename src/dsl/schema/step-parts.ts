import { type Field, type Shape, type Type } from './shape';
import { TARGET_WORDS } from './words';

const SET_ENTRY: Shape = {
  title: 'an entry of `set`',
  others: 'warning',
  fields: {
    name: { type: 'name', doc: 'The target of the write.', required: true },
    value: { type: 'any', doc: 'The value.' },
  },
};

/** A mapping, or, in older playbooks, a list of names and values. */
export const SET: Type = { either: ['mapping', { list: { shape: () => SET_ENTRY } }] };

/** The writes of a task, step, arc or rule. */
export const WRITES: Readonly<Record<string, Field>> = {
  set: { type: SET, doc: 'Writes: `ctx.x`, `iter.x`, `step.x`, or a bare name.' },
  set_ctx: { type: 'mapping', doc: 'Writes to the variables of the execution.' },
  set_iter: { type: 'mapping', doc: 'Writes to the variables of the iteration.' },
};

/** `next` does not contain conditions in any form. */
export const NO_CONDITIONAL_NEXT: Field = {
  type: 'any',
  doc: 'Not allowed: put conditions on arcs.',
  rejected: {
    code: 'NT2018',
    message: '`next` has no `when`, `then` or `else`',
    hint: 'write `next: {arcs: [{step: a, when: "{{ … }}"}, {step: b}]}`',
  },
};

/** An entry of the structural list: `- step: a` with inputs, never with a guard. */
export const TARGET: Shape = {
  title: 'an entry of `next`',
  others: 'warning',
  words: TARGET_WORDS,
  fields: {
    step: { type: 'name', doc: 'The step that follows.', required: true },
    args: { type: 'mapping', doc: 'Inputs of the next step.' },
    input: { type: 'mapping', doc: 'Inputs of the next step (the same as `args`).' },
    with: {
      type: 'mapping',
      doc: 'Former name of `args`.',
      deprecated: { code: 'NT5005', hint: 'write `args`' },
    },
    ...WRITES,
    when: NO_CONDITIONAL_NEXT,
    then: NO_CONDITIONAL_NEXT,
    else: NO_CONDITIONAL_NEXT,
  },
};

/** A rejected key. */
export const removed = (
  code: 'NT2013' | 'NT2014' | 'NT2015' | 'NT2016' | 'NT2017',
  message: string,
  hint: string,
): Field => ({
  type: 'any',
  doc: 'Refused.',
  rejected: { code, message, hint },
});

/** Keys removed from all vocabularies. */
export const REMOVED: Readonly<Record<string, Field>> = {
  eval: removed(
    'NT2014',
    '`eval` was replaced by rules',
    'write `spec: {policy: {rules: [{when: "{{ … }}", then: {do: …}}]}}` on the tool',
  ),
  expr: removed('NT2015', '`expr` was replaced by `when`', 'write `when: "{{ … }}"`'),
  pipe: removed('NT2016', '`pipe` was replaced by a list of tools', 'write `tool: [{name: …, kind: …}, …]`'),
};
