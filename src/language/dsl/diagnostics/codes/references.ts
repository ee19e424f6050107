import { type CodeEntry, error, warning } from './entry';

/** NT3xxx: names that are undefined or ambiguous. */
export const REFERENCE_CODES = {
  NT3001: error('Duplicate step', 'Two steps have the same name; an arc to it would be ambiguous.'),
  NT3002: error(
    'Duplicate task',
    'Two tasks of a step have the same name; a jump to it, and its result, would be ambiguous.',
  ),
  NT3003: error('Arc to an unknown step', 'No step has this name. (`end` needs no step: it ends the token.)'),
  NT3004: error('Jump to an unknown task', 'A jump must lead to a task of the same step.'),
  NT3005: error('Unknown workbook task', 'The workbook has no task with this name.'),
  NT3006: error(
    'Workbook task calls itself',
    'The compiler inlines workbook tasks, which would never end here.',
  ),
  NT3007: error(
    'Missing input of a workbook task',
    'The caller must provide every input whose default is empty.',
  ),
  NT3008: error(
    'No entry step',
    'An execution begins with the step `start`, or with the step named in `executor.spec.entry_step`.',
  ),
  NT3009: error(
    'Reserved name',
    'The name has the same meaning in every playbook, so a step, task or iterator with that name could not be referenced. Names that are only in scope in some places (`error`, `result`, `page`, …) are allowed.',
  ),
  NT3010: warning(
    'Hidden name',
    'Two things have the same name, and templates see only the first, in this order: names of the runtime in scope at this place (`error` in rules, `page` in `retry`), iterator, inputs, ctx, iter, results of tasks and steps, workload.',
  ),
  NT3011: error(
    'Misspelled name',
    'Nothing has this name, but something has a very similar one. An undefined name would silently become empty text. If the payload is meant to provide it, declare it in `workload`.',
  ),
  NT3012: warning(
    'Undeclared name',
    'Nothing in the playbook defines this name. Only the payload can provide it: declare it in `workload`, or give it a `default`.',
  ),
  NT3013: error(
    'Iterator outside its loop',
    'The current item exists only while an iteration runs. Arcs are followed after the loop.',
  ),
  NT3014: warning(
    'Name without a value here',
    'The name is reserved, but has a value only in other places, e.g. `outcome` in the rules of a task.',
  ),
  NT3015: warning(
    'Variable that is never written',
    'No `set` in the playbook writes this variable of `ctx` (or `iter`), and the workload has no such key.',
  ),
  NT3016: warning(
    'Variable of another step',
    'A variable with a bare name written by `set` exists only within the pipeline of its step. Write it as `ctx.name` to read it in other steps.',
  ),
  NT3017: warning(
    'Unknown task of a step',
    '`<step>.results.<task>` names a task that the step does not have.',
  ),
  NT3018: error(
    'Undeclared keychain entry',
    'The root `keychain` does not declare this entry. It would not be resolved before the first step, and the task would send an empty secret.',
  ),
  NT3019: warning('iter outside a loop', '`iter` exists only in the iterations of a step with `loop`.'),
  NT3020: error('Duplicate entry', 'Two entries of the keychain or workbook have the same name.'),
  NT3021: warning(
    'Read before it is written',
    'No path through the playbook leads from the place that gives this name a value to the place that reads it.',
  ),
  NT3022: warning(
    'Written by all iterations of a parallel loop',
    'If two iterations leave different values in one variable of `ctx`, the loop fails, because their order is undefined. Write to `iter`, and read the results of the loop.',
  ),
  NT3023: warning(
    'Iterator at the end of the loop',
    'A rule on `step.exit` or `loop.done` without `sink` or `collect` acts once, after the loop, where the current item is undefined.',
  ),
  NT3024: warning(
    'Step `end` defined twice',
    'Step names are unique. Only the terminal step `end` may be defined again: the last definition counts, and anything that only the other one led to is unreachable.',
  ),
  NT3025: warning(
    'Sub-playbook not found',
    'The catalog has no playbook with this path. For `validate`, the catalog consists of the files passed to it and those of `--catalog`. For a single file without `--catalog`, only misspelled paths of nearby playbooks are reported. The playbook is looked up when the task runs.',
  ),
  NT3026: warning(
    'Written by concurrent branches',
    'Branches of a fork run at the same time, and the last write to a variable of `ctx` wins. Which one is last varies from run to run.',
  ),
  NT3027: warning(
    'Input that the sub-playbook does not accept',
    'The playbook with this path declares its inputs in `metadata.workload`, and this one is missing or has the wrong type. The call fails when it is made, with the code `WORKLOAD_INVALID`; the version of the playbook at that time counts.',
  ),
  NT3028: warning(
    'Input that nothing reads',
    'A step, a tool or an arc provides this input, but no template of the receiving step uses it, nor does its Python code, so it is silently dropped. Tools receive data through their fields (`params`, `json`), and arguments reach only the step that the arc leads to.',
  ),
  NT3029: warning(
    'Variable of an iteration outside of a loop',
    '`iter` holds the data of one iteration; outside of a loop the specification has no `iter`. Here such a variable lasts as long as the run of the step. Write a bare name, which the tasks of the step read, or `ctx`.',
  ),
  NT3030: warning(
    'Name that no template can read',
    'An expression reads `fetch-data` as `fetch` minus `data`, and `if` as a keyword. A step, task or iterator with such a name runs, but nothing can read its result.',
  ),
  NT3031: warning(
    'Minus inside a name',
    "In expressions a dash is a minus. A key with a dash is read in brackets: `workload['api-url']`.",
  ),
} satisfies Record<string, CodeEntry>;
