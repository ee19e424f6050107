/** A tool for assistants: a row of a table. */
import { z } from 'zod';
import { type AssistantReach } from './reach';

/** Who may use it: as the routes of the REST API that it asks. */
export type AssistantScope = 'read' | 'run';

export interface AssistantTool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  readonly scope: AssistantScope;
  /** `catalog`: only where there is one; `files`: only where playbooks are run as files. */
  readonly where?: 'catalog' | 'files';
  /** How to get what was cut off a long answer. */
  readonly rest?: string;
  /** What it does changes nothing that was there. */
  readonly harmless?: boolean;
  /** @returns text, or a document */
  run(input: z.output<Input>, reach: AssistantReach): Promise<unknown>;
}

/** A row, with the type of its input inferred. */
export function assistantTool<Input extends z.ZodObject>(row: AssistantTool<Input>): AssistantTool {
  return row as unknown as AssistantTool;
}

/** Fields that many tools have. */
export const FIELDS = {
  playbook: z
    .string()
    .min(1)
    .describe(
      'The YAML text of a playbook, its path (shop/etl), or the name of its file where there are files',
    ),
  execution: z
    .string()
    .min(1)
    .describe('An execution id; where there are files, also the name of a history file'),
  payload: z.record(z.string(), z.unknown()).describe('Inputs of the execution: a mapping'),
} as const;
