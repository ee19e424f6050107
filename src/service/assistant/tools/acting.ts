/** Tools that change something. Each asks a route of the REST API, which decides whether the caller may. */
import { z } from 'zod';
import { CodedError } from '../../../language/errors';
import { compact } from '../../../language/plan';
import { playbookText } from '../playbooks';
import { type AssistantReach } from '../reach';
import { assistantTool, FIELDS } from '../tool';

const { playbook, execution, payload } = FIELDS;
const seconds = z
  .int()
  .min(0)
  .max(300)
  .default(30)
  .describe('Wait so long for its end; it goes on afterwards');
const PAUSE_MS = 400;

export const actingTools = [
  assistantTool({
    name: 'register',
    scope: 'run',
    where: 'catalog',
    description:
      'Add a version of a playbook to the catalog. Staged, it is not what runs until `promote`: executions that end meanwhile verify it.',
    input: z.object({ playbook, staged: z.boolean().default(true) }),
    async run({ staged, ...input }, reach) {
      const { text } = await playbookText(input.playbook, reach);
      return await post(reach, '/api/catalog/register', { content: text, resource_type: 'Playbook', staged });
    },
  }),
  assistantTool({
    name: 'staged',
    scope: 'read',
    harmless: true,
    where: 'catalog',
    description: 'The staged version of a path, and what past executions would have done with it.',
    input: z.object({ path: z.string().min(1).max(600), version: z.int().min(1).optional() }),
    run: ({ path, version }, reach) =>
      reach.ask(`/api/catalog/${segments(path)}/staged${version === undefined ? '' : `?version=${version}`}`),
  }),
  assistantTool({
    name: 'promote',
    scope: 'run',
    where: 'catalog',
    description:
      'Make a staged version the latest. Refused if past executions would have run differently, or none has been compared: then a person decides.',
    input: z.object({ path: z.string().min(1).max(600), version: z.int().min(1).optional() }),
    run: ({ path, version }, reach) => post(reach, '/api/catalog/promote', { path, ...compact({ version }) }),
  }),
  assistantTool({
    name: 'run',
    scope: 'run',
    where: 'catalog',
    description: 'Start an execution of a playbook of the catalog, and wait for its end.',
    input: z.object({
      path: z.string().min(1).max(600),
      version: z.int().min(1).optional(),
      payload: payload.default({}),
      seconds,
    }),
    async run({ path, version, payload: workload, seconds: most }, reach) {
      const begun = await post<Begun>(reach, '/api/execute', { path, workload, ...compact({ version }) });
      return await ended(reach, begun, most);
    },
  }),
  assistantTool({
    name: 'run_file',
    scope: 'run',
    where: 'files',
    description:
      'Run a playbook file here, with everything it needs, and wait for its end; with `only`, one of its steps alone, with `input` as its arguments (names of other steps: their results).',
    input: z.object({
      playbook: z.string().min(1).describe('The name of its file, or its path'),
      payload: payload.default({}),
      only: z.string().max(300).optional().describe('A step'),
      input: payload.optional(),
      seconds: z.int().min(1).max(600).default(120),
    }),
    run: ({ payload: given, ...request }, reach) =>
      reach.run!({ ...compact(request), payload: given } as never),
  }),
  assistantTool({
    name: 'rerun',
    scope: 'run',
    where: 'catalog',
    description:
      'Rerun an execution from a step (or from its failure), keeping what was done before; with `playbook`, in a new version; with `only`, that step alone.',
    input: z.object({
      execution,
      from_step: z.string().max(300).optional(),
      from_failure: z.boolean().default(false),
      only: z.boolean().default(false),
      playbook: playbook.optional(),
      payload: payload.default({}),
      variables: payload.default({}),
      seconds,
    }),
    async run({ execution: id, seconds: most, playbook: given, ...about }, reach) {
      const revision = given === undefined ? {} : { playbook: (await playbookText(given, reach)).text };
      const begun = await post<Begun>(reach, `/api/executions/${encodeURIComponent(id)}/rerun`, {
        ...compact(about),
        ...revision,
      });
      return await ended(reach, begun, most);
    },
  }),
  assistantTool({
    name: 'cancel',
    scope: 'run',
    description: 'Cancel a running execution.',
    input: z.object({ execution, reason: z.string().min(1).max(1000) }),
    run: ({ execution: id, reason }, reach) =>
      post(reach, `/api/executions/${encodeURIComponent(id)}/cancel`, { reason }),
  }),
  assistantTool({
    name: 'answer',
    scope: 'run',
    description:
      'Send a running execution an event that a task of kind `wait` waits for, such as an approval.',
    input: z.object({
      execution,
      event: z.string().min(1).max(300).describe('Its name'),
      payload: z.unknown().optional().describe('Becomes the result of the wait'),
    }),
    run: ({ execution: execution_id, event: name, payload: answer = null }, reach) =>
      post(reach, '/api/events', { execution_id, name, payload: answer }),
  }),
] as const;

interface Begun {
  readonly execution_id: string;
}

function post<T = object>(reach: AssistantReach, path: string, body: object): Promise<T> {
  return reach.ask<T>(path, { method: 'POST', body });
}

function segments(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

/** What it came to, or how it stands after that time. */
async function ended(reach: AssistantReach, begun: Begun, seconds: number): Promise<object> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    try {
      const standing = await reach.ask<{ finished_at: string | null }>(
        `/api/executions/${begun.execution_id}/progress`,
      );
      if (standing.finished_at !== null || Date.now() >= deadline)
        return {
          ...begun,
          ...standing,
          ...(standing.finished_at === null && { note: 'it goes on: `status` shows it' }),
        };
    } catch (error) {
      // Temporal shows an execution a moment after it began.
      if (!(error instanceof CodedError) || Date.now() >= deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
