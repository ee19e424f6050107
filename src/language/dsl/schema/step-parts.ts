import { type SchemaField, type SchemaShape, shape, type Type, unlisted } from './shape';
import { guardedArcs } from '../fixes/conditional-next';
import { evalAsRules, exprAsWhen, pipeAsTool } from '../fixes/removed';
import { type Change } from '../fixes/words';
import { TARGET_WORDS } from './words';
import * as field from './fields';

const SET_ENTRY: SchemaShape = shape('an entry of `set`', 'warning', {
  name: field.required(field.name('The target of the write.')),
  value: field.any('The value.'),
});

/** A mapping, or, in older playbooks, a list of names and values. */
export const SET: Type = { either: ['mapping', { list: { shape: () => SET_ENTRY } }] };

/** The writes of a task, step, arc or rule. */
export const WRITES: Readonly<Record<string, SchemaField>> = {
  set: field.of(SET, 'Writes: `ctx.x`, `iter.x`, `step.x`, or a bare name.'),
  set_ctx: field.anyMappingField('Writes to the variables of the execution.'),
  set_iter: field.anyMappingField('Writes to the variables of the iteration.'),
};

/** `next` does not contain conditions in any form. */
export const NO_CONDITIONAL_NEXT: SchemaField = field.rejected(
  'Not allowed: put conditions on arcs.',
  'NT2018',
  '`next` has no `when`, `then` or `else`',
  'write `next: {arcs: [{step: a, when: "{{ … }}"}, {step: b}]}`',
  guardedArcs,
);

/** An entry of the structural list: `- step: a` with inputs, never with a guard. */
export const TARGET: SchemaShape = shape('an entry of `next`', unlisted('warning', TARGET_WORDS), {
  step: field.required(field.name('The step that follows.')),
  args: field.anyMappingField('Inputs of the next step.'),
  input: field.anyMappingField('Inputs of the next step (the same as `args`).'),
  with: field.formerly('args'),
  ...WRITES,
  when: NO_CONDITIONAL_NEXT,
  then: NO_CONDITIONAL_NEXT,
  else: NO_CONDITIONAL_NEXT,
});

/** A rejected key. */
export const removed = (
  code: 'NT2013' | 'NT2014' | 'NT2015' | 'NT2016' | 'NT2017',
  message: string,
  hint: string,
  fix: Change,
): SchemaField => field.rejected('Refused.', code, message, hint, fix);

/** Keys removed from all vocabularies. */
export const REMOVED: Readonly<Record<string, SchemaField>> = {
  eval: removed(
    'NT2014',
    '`eval` was replaced by rules',
    'write `spec: {policy: {rules: [{when: "{{ … }}", then: {do: …}}]}}` on the tool',
    evalAsRules,
  ),
  expr: removed('NT2015', '`expr` was replaced by `when`', 'write `when: "{{ … }}"`', exprAsWhen),
  pipe: removed(
    'NT2016',
    '`pipe` was replaced by a list of tools',
    'write `tool: [{name: …, kind: …}, …]`',
    pipeAsTool,
  ),
};
