/** Ways to work that a person picks: what an assistant is to do, with which tools, in which order. */

interface AssistantPrompt {
  readonly description: string;
  readonly fields: Readonly<Record<string, { readonly description: string; readonly required?: true }>>;
  text(given: Readonly<Record<string, string | undefined>>): string;
}

export const PROMPTS: Readonly<Record<string, AssistantPrompt>> = {
  write_playbook: {
    description: 'Write a playbook, with rehearsals that prove it',
    fields: { task: { description: 'What it has to do', required: true } },
    text: ({ task }) => `Write a NoETL playbook: ${task}

1. Read the resource noetl://guide. For each kind of tool you use, call \`schema\` with its name; for anything unclear, \`search_docs\`.
2. Write the whole YAML. Call \`validate\` until it says ok; take \`fixed\` where it offers one.
3. Call \`rehearse\` with the playbook only: it answers a first rehearsal. Complete it: one rehearsal for success, one for each failure that matters (a tool that fails, an empty list). Run it with \`rehearse\` until all pass.
4. Call \`simulate\` and \`coverage\`: no fault, and say which paths no rehearsal touches.
5. Show the playbook, its rehearsals, and what is proven and what is not.`,
  },
  why_failed: {
    description: 'Find out why an execution failed',
    fields: { execution: { description: 'Its id', required: true } },
    text: ({ execution }) => `Find out why execution ${execution} failed. Change nothing.

1. \`status\`: the error, its step and line. 2. \`explain\` with that step: which values the conditions had. 3. \`logs\` with that step. 4. \`state_at\` or \`events\` only if a value is still unknown. 5. If an earlier run succeeded (\`list_runs\` with the path and status completed), \`diff\` the two.

Say the cause in one sentence with its line, the value that led to it, and what to change. Quote; do not guess.`,
  },
  fix_and_prove: {
    description: 'Mend a playbook whose execution failed, and prove that nothing else changes',
    fields: { execution: { description: 'The id of the failed execution', required: true } },
    text: ({
      execution,
    }) => `Mend the playbook of execution ${execution}, and prove the edit before a person reads it.

1. Find the cause as in the prompt why_failed. 2. \`read_playbook\`; make the smallest edit. \`validate\` it.
3. \`what_if\` with the execution and the edited text: it must complete, and \`unanswered\` must be empty, or answered with \`outcomes\` and said so.
4. \`verify\` old against new with executions that succeeded (\`list_runs\`, status completed) and the failed one: only the intended difference may appear.
5. \`what_if\` with as_rehearsal: keep that run as a test. \`rehearse\` it.
6. If there is a catalog and you are asked to: \`register\` staged, later \`promote\`. Never promote what \`verify\` objects to.

Report: the cause, the edit as a diff, what verify says in numbers, and what stays unproven.`,
  },
};
