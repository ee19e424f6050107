/**
 * The list of executions, from Temporal's visibility: a page costs the same for ten executions as for a million.
 */
import { type Client } from '@temporalio/client';
import { z } from 'zod';
import {
  executionIdIn,
  executionQuery,
  LISTED_STATUSES,
  listVisible,
  locate,
  type VisibleExecution,
} from '../../../temporal/client';
import { Ends } from './ends';
import { summaryOf } from './summary';
import { integerFrom } from '../http/schema';
import { type ExecutionDocument } from '../documents';

/** One or several statuses, as `a,b` or as a repeated parameter. */
const statuses = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => [given].flat().flatMap((one) => one.split(',')))
  .pipe(z.array(z.string().trim().toUpperCase().pipe(z.enum(LISTED_STATUSES))).min(1));

export const executionFilters = z.object({
  path: z.string().min(1).max(500).optional().describe('Of the playbook; `a/b/*` for all below a/b'),
  version: z.string().min(1).max(100).optional().describe('`metadata.version` of the playbook'),
  status: statuses.optional().meta({
    description: 'running, completed, skipped, failed, cancelled; several with commas',
    param: { schema: { type: 'string' } },
  }),
  parent_execution_id: z
    .string()
    .regex(/^\d{1,19}$/)
    .optional()
    .describe('Its sub-playbooks'),
  top_level: z.stringbool().optional().describe('true: none that another execution called'),
  started_after: z.iso.datetime({ offset: true }).optional(),
  started_before: z.iso.datetime({ offset: true }).optional(),
  page_size: integerFrom(1).max(1000).default(100),
  cursor: z.string().max(1000).optional().describe('`X-Next-Cursor` of the page before'),
});
export type ExecutionFilters = z.output<typeof executionFilters>;

export interface ExecutionPage {
  readonly executions: readonly ExecutionDocument[];
  readonly next?: string;
}

export class ExecutionList {
  private readonly ends: Ends;

  constructor(private readonly client: Client) {
    this.ends = new Ends(client);
  }

  /**
   * Most recently started first, across pages.
   *
   * @throws as `listVisible`
   */
  async page(filters: ExecutionFilters): Promise<ExecutionPage> {
    const { page_size: pageSize, cursor } = filters;
    const { executions, next } = await listVisible(this.client, await this.queryFor(filters), {
      pageSize,
      cursor,
    });
    const now = Date.now();
    const ours = executions.filter((info) => executionIdIn(info) !== undefined);
    const lines = await Promise.all(ours.map((info) => this.line(info, now)));
    return { executions: lines, next };
  }

  private async queryFor(filters: ExecutionFilters): Promise<string> {
    const { parent_execution_id: parent } = filters;
    return executionQuery(filters, parent === undefined ? undefined : await locate(this.client, parent));
  }

  /** Visibility does not hold the reason of a failure. */
  private async line(info: VisibleExecution, now: number): Promise<ExecutionDocument> {
    const summary = summaryOf(info, now);
    return { ...summary, error: summary.status === 'FAILED' ? await this.ends.whyFailed(info) : null };
  }
}
