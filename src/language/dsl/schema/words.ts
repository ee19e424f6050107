/**
 * Terms of other products and earlier generations of this language, by where they appear. A string is the key that
 * the word is read as; `write` says how to write it here.
 */
export type Word = string | { readonly write: string };
export type SchemaWords = Readonly<Record<string, Word>>;

const ON_FAILURE = '`next: {arcs: [{step: …, when: "{{ event.name == \'step.failed\' }}"}]}`';
const ARCS = '`next: {arcs: [{step: …, when: "{{ … }}"}]}`';

/** Several words with the same meaning, in all casings: `depends_on`, `dependsOn` and `depends-on`. */
function all(words: string, meaning: Word): SchemaWords {
  return Object.fromEntries(words.split(' ').map((word) => [folded(word), meaning]));
}

const write = (text: string): Word => ({ write: `write ${text}` });

/** The meaning of a word, or undefined. */
export function wordIn(words: SchemaWords | undefined, key: string): Word | undefined {
  return words !== undefined && Object.hasOwn(words, folded(key)) ? words[folded(key)] : undefined;
}

function folded(word: string): string {
  return word.toLowerCase().replace(/[_\-\s]/g, '');
}

const RETRY = write(
  '`spec: {policy: {rules: [{when: "{{ outcome.status == \'error\' }}", then: {do: retry, attempts: 3}}]}}` at the tool',
);
const RETRIES = 'retries max_retries retry_count retry_policy retry_delay retry_on attempts max_attempts';
const FOREACH = write('`loop: {in: "{{ … }}", iterator: item}`');
const FOREACHES = 'foreach for_each for with_items with_param with_sequence matrix map_over expand items';
const PARENTS =
  'depends_on needs requires dependencies dependency after run_after run_if upstream parents previous wait_for';
const FAILURE =
  'on_failure on_error if_failed catch rescue except fallback compensate finally always ignore_errors continue_on_error allow_failure';
const LIMIT = 'timeout_minutes timeout_in_minutes execution_timeout time_limit start_to_close_timeout';
const CALLS = 'uses operator action function activity task_ref template_ref call plugin';
const RESULTS = 'outputs register returns result_path save_as publish exports';

export const CONDITION_WORDS: SchemaWords = all('if condition cond', 'when');

/** Causes of notifications. */
export const CAUSE_WORDS: SchemaWords = {
  ...all('failure failures fail error errors on_failure on_error', 'failed'),
  ...all('success succeeded complete done on_success', 'completed'),
  ...all('cancel canceled aborted', 'cancelled'),
  ...all('wait approval', 'waiting'),
  ...all('overdue deadline', 'late'),
};

export const ROOT_WORDS: SchemaWords = {
  ...all('steps jobs dag nodes states stages', 'workflow'),
  ...all('tasks', 'workbook'),
  ...all('inputs parameters variables', 'workload'),
  ...all('spec', 'workload'),
  ...all('params config defaults env environment', write('the values under `workload`')),
  ...all('secrets', 'keychain'),
  ...all('credentials connections', write('`keychain: [{name: …, kind: …}]`')),
  ...all('id title description version labels tags', write('it under `metadata`')),
  ...all('outputs output returns result', { write: 'the result of the last step is that of the run' }),
  ...all('on trigger triggers schedule cron', {
    write: '`noetl-temporal schedule` starts a playbook on a schedule, and kind `wait` waits for events',
  }),
  ...all(RETRIES, RETRY),
  ...all(`timeout ${LIMIT}`, write('`executor: {spec: {timeout: SECONDS}}`')),
  ...all(FAILURE, write(`an arc on the step that may fail: ${ON_FAILURE}`)),
  ...all('import imports include includes', write('a step with `tool: {kind: playbook, path: …}`')),
};

export const STEP_WORDS: SchemaWords = {
  ...all('name id', 'step'),
  ...all('tools task tasks', 'tool'),
  ...all('goto', 'next'),
  ...all('inputs', 'input'),
  ...all('if unless only_if condition', write(`the condition on the arc that leads here: ${ARCS}`)),
  ...all(
    PARENTS,
    write('`next: {arcs: [{step: …}]}` on the previous step: a step names the steps that follow it'),
  ),
  ...all('then on_success downstream transition transitions to end', write('`next: {arcs: [{step: …}]}`')),
  ...all('switch choice choices branch', write(`${ARCS}: the first arc whose guard holds is followed`)),
  ...all(
    'parallel branches',
    write(
      '`next: {spec: {mode: inclusive}, arcs: [{step: a}, {step: b}]}`: all arcs that match are followed',
    ),
  ),
  ...all(FAILURE, write(`${ON_FAILURE}, or a rule of the tool`)),
  ...all(RETRIES, RETRY),
  ...all(FOREACHES, FOREACH),
  ...all(
    'concurrency max_concurrency max_parallel max_in_flight',
    write('`loop: {spec: {mode: parallel, max_in_flight: N}}`'),
  ),
  ...all(`timeout timeout_seconds ${LIMIT}`, write('`spec: {timeout: SECONDS}`, or `timeout` at the tool')),
  ...all(CALLS, write('`tool: {kind: …}`; another playbook is `tool: {kind: playbook, path: …}`')),
  ...all('run bash sh shell cmd cmds', write('`tool: {kind: shell, cmds: …}`')),
  ...all('script', write('`tool: {kind: script, script: …}`, or `kind: python` with `code`')),
  ...all('python code', write('`tool: {kind: python, code: …}`')),
  ...all('image container docker', write('`tool: {kind: container, image: …}`')),
  ...all('env environment', write('`env: {NAME: …}` at the tool')),
  ...all(RESULTS, write('`set: {ctx.name: "{{ … }}"}`; later steps read the result by the name of this one')),
  ...all('sleep wait delay pause', write('a step with `tool: {kind: wait, for: SECONDS}`')),
  ...all('queue worker_group runs_on', write('`spec: {pool: …}`')),
};

export const TOOL_WORDS: SchemaWords = {
  ...all('inputs parameters arguments', 'input'),
  ...all('environment env_vars', 'env'),
  ...all(
    'if when unless condition only_if',
    write(`the condition at an arc (${ARCS}), or \`choose\` in a list of tools`),
  ),
  ...all(PARENTS, write('the tools of a step as a list: they run in order')),
  ...all(RETRIES, RETRY),
  ...all(FOREACHES, FOREACH),
  ...all(
    FAILURE,
    write('`spec: {policy: {rules: [{when: "{{ outcome.status == \'error\' }}", then: {do: continue}}]}}`'),
  ),
  ...all(LIMIT, write('`spec: {timeout: SECONDS}`')),
  ...all('timeout_seconds', 'timeout'),
  ...all(RESULTS, write('`set: {ctx.name: "{{ output.data }}"}`')),
  ...all('next goto on_success', write('`next` beside `tool`, or `then: {do: jump, to: …}` in a rule')),
  ...all('uses', write('`kind: playbook` with `path`')),
  ...all('run bash', write('`kind: shell` with `cmds`')),
  ...all('image', write('`kind: container` with `image`')),
  ...all('script', write('`kind: script` with `script`, or `kind: python` with `code`')),
  ...all('code', write('`kind: python` with `code`')),
};

export const LOOP_WORDS: SchemaWords = {
  ...all('items over list each for_each foreach with_items values collection', 'in'),
  ...all('item as var loop_var element', 'iterator'),
  ...all(
    'parallel concurrency max_concurrency max_parallel batch_size workers strategy',
    write('`spec: {mode: parallel, max_in_flight: N}`'),
  ),
  ...all('times count range repeat', write('`in: "{{ range(3) }}"`')),
  ...all(
    'while until condition break break_when stop_when',
    write('`while: {when: "{{ … }}", do: […]}` in a list of tools, or an arc back to the step'),
  ),
  ...all('steps tasks task tool tools do body', write('`tool` beside `loop`: it runs for each item')),
  ...all('index index_var', { write: 'the index of an iteration is `{{ loop_index }}`' }),
};

/** For arcs and other references to next steps. */
export const TARGET_WORDS: SchemaWords = all('to goto target name', 'step');

export const ARC_WORDS: SchemaWords = {
  ...CONDITION_WORDS,
  ...TARGET_WORDS,
  ...all('next', 'step'),
};

/** Of the actions of a rule of `case`. */
export const THEN_WORDS: SchemaWords = {
  ...all('goto step to', 'next'),
  ...all('save store', 'sink'),
  ...all('error', 'fail'),
};
