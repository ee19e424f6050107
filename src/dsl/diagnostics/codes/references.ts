import { type CodeEntry } from './entry';

/** NT3xxx: a name that names nothing, or two things. */
export const REFERENCE_CODES = {
  NT3001: {
    severity: 'error',
    title: 'Duplicate step',
    explanation: 'Two steps have one name; an arc to it would be ambiguous.',
  },
  NT3002: {
    severity: 'error',
    title: 'Duplicate task',
    explanation: 'Two tasks of a step have one name; a jump to it, and its result, would be ambiguous.',
  },
  NT3003: {
    severity: 'error',
    title: 'Arc to an unknown step',
    explanation: 'No step has this name. (`end` needs no step: it ends the token.)',
  },
  NT3004: {
    severity: 'error',
    title: 'Jump to an unknown task',
    explanation: 'A jump leads to a task of the same step.',
  },
  NT3005: {
    severity: 'error',
    title: 'Unknown workbook task',
    explanation: 'The workbook has no task of this name.',
  },
  NT3006: {
    severity: 'error',
    title: 'Workbook task calls itself',
    explanation: 'Workbook tasks are inlined when the playbook is compiled, which would never end here.',
  },
  NT3007: {
    severity: 'error',
    title: 'Missing input of a workbook task',
    explanation: 'An input whose default is empty must be given by the caller.',
  },
  NT3008: {
    severity: 'error',
    title: 'No entry step',
    explanation:
      'An execution begins with the step `start`, or with the one that `executor.spec.entry_step` names.',
  },
  NT3009: {
    severity: 'error',
    title: 'Reserved name',
    explanation:
      'The name means one thing in every playbook; a step, task or iterator of that name could not be reached. Names that only some places have (`error`, `result`, `page`, …) are free.',
  },
  NT3010: {
    severity: 'warning',
    title: 'Hidden name',
    explanation:
      'Two things have one name, and templates see only the first: names of the runtime that the place has (`error` in rules, `page` in `retry`), then iterator, inputs, ctx, iter, results of tasks and steps, workload.',
  },
  NT3011: {
    severity: 'error',
    title: 'Misspelt name',
    explanation:
      'Nothing has this name, but something has a very similar one. An undefined name would silently become an empty text. If it is meant to come from the payload, declare it in `workload`.',
  },
  NT3012: {
    severity: 'warning',
    title: 'Undeclared name',
    explanation:
      'Nothing in the playbook defines this name. It can only come from the payload: declare it in `workload`, or give it a `default`.',
  },
  NT3013: {
    severity: 'error',
    title: 'Iterator outside of its loop',
    explanation: 'The current item exists while an iteration runs. Arcs are followed when the loop is over.',
  },
  NT3014: {
    severity: 'warning',
    title: 'Name without a value here',
    explanation:
      'The name is reserved, but has a value only in other places, e.g. `outcome` in the rules of a task.',
  },
  NT3015: {
    severity: 'warning',
    title: 'Variable that is never written',
    explanation: 'No `set` of the playbook writes this variable of `ctx` (or `iter`).',
  },
  NT3016: {
    severity: 'warning',
    title: 'Variable of another step',
    explanation:
      'A bare name written by `set` lives as long as the pipeline of its step. Write it as `ctx.name` to read it in other steps.',
  },
  NT3017: {
    severity: 'warning',
    title: 'Unknown task of a step',
    explanation: '`<step>.results.<task>` names a task that the step does not have.',
  },
  NT3018: {
    severity: 'error',
    title: 'Undeclared keychain entry',
    explanation:
      'The root `keychain` does not declare this entry, so nothing could be resolved before the first step, and the task would send an empty secret.',
  },
  NT3019: {
    severity: 'warning',
    title: 'iter outside of a loop',
    explanation: '`iter` exists in the iterations of a step with `loop`.',
  },
  NT3020: {
    severity: 'error',
    title: 'Duplicate entry',
    explanation: 'Two entries of the keychain or workbook have one name.',
  },
  NT3021: {
    severity: 'warning',
    title: 'Read before it is written',
    explanation:
      'No way through the playbook leads from what gives this name its value to the place that reads it.',
  },
  NT3022: {
    severity: 'warning',
    title: 'Written by all iterations of a parallel loop',
    explanation:
      'Two iterations that leave different values in one variable of `ctx` fail the loop, since nobody could say which was last. Write to `iter`, and read the results of the loop.',
  },
  NT3023: {
    severity: 'warning',
    title: 'Iterator at the end of the loop',
    explanation:
      'A rule on `step.exit` or `loop.done` without `sink` or `collect` acts once, when the loop is over. The current item is undefined there.',
  },
  NT3024: {
    severity: 'warning',
    title: 'Step `end` written twice',
    explanation:
      'Names of steps are unique. Only the terminal step `end` may be written again: the last one counts, and what only the other led to is not reached.',
  },
  NT3025: {
    severity: 'warning',
    title: 'Sub-playbook that is not there',
    explanation:
      'The catalog has no playbook of this path: for `validate`, the files that it is given and those of `--catalog`. Of a single file without `--catalog`, misspellings of the playbooks around it are told. The playbook is looked for when the task runs.',
  },
  NT3026: {
    severity: 'warning',
    title: 'Written by concurrent branches',
    explanation:
      'Branches of a fork run at the same time, and the last write to a variable of `ctx` wins. Which one is last differs from run to run.',
  },
  NT3027: {
    severity: 'warning',
    title: 'Input that the sub-playbook does not take',
    explanation:
      'The playbook of this path says in `metadata.workload` what its inputs are, and this one is missing or of another kind. The call fails when it is made, with the code `WORKLOAD_INVALID`; the playbook that is there by then counts.',
  },
  NT3028: {
    severity: 'warning',
    title: 'Input that nothing reads',
    explanation:
      'A step, a tool or an arc gives this, and no template of the step that gets it names it, nor does the code of its Python. It is dropped without a word: tools take data by their fields (`params`, `json`), and arguments reach only the step that the arc leads to.',
  },
} as const satisfies Record<string, CodeEntry>;
