/** The list of executions: by Temporal's visibility, so that it costs the same whether there are ten or a million. */
import { type Client } from '@temporalio/client';
import { z } from 'zod';
import {
  EXECUTIONS,
  executionIdOf,
  listVisible,
  NOETL_PLAYBOOK,
  NOETL_VERSION,
  quoted,
  workflowId,
  type VisibleExecution,
} from '../../temporal';
import { Ends } from './ends';
import { type ExecutionSummary, summaryOf } from './summary';
import { STATUS_FILTERS } from './words';

const LISTED = ['RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;

/** One or several words, as `a,b` or as a parameter given twice. */
const statuses = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => [given].flat().flatMap((one) => one.split(',')))
  .pipe(z.array(z.string().trim().toUpperCase().pipe(z.enum(LISTED))).min(1));

export const executionFilters = z.object({
  path: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .meta({ description: 'Of the playbook; `a/b/*` for all below a/b' }),
  version: z.string().min(1).max(100).optional().meta({ description: '`metadata.version` of the playbook' }),
  status: statuses.optional().meta({
    description: 'running, completed, failed, cancelled; several with commas',
    param: { schema: { type: 'string' } },
  }),
  parent_execution_id: z
    .string()
    .regex(/^\d{1,19}$/)
    .optional()
    .meta({ description: 'Its sub-playbooks' }),
  top_level: z.stringbool().optional().meta({ description: 'true: none that another execution called' }),
  started_after: z.iso.datetime({ offset: true }).optional(),
  started_before: z.iso.datetime({ offset: true }).optional(),
  page_size: z.coerce.number().int().min(1).max(1000).default(100),
  cursor: z.string().max(1000).optional().meta({ description: '`X-Next-Cursor` of the page before' }),
});
export type ExecutionFilters = z.output<typeof executionFilters>;

export interface ExecutionPage {
  readonly executions: readonly ExecutionSummary[];
  readonly next?: string;
}

export class ExecutionList {
  private readonly ends: Ends;

  constructor(private readonly client: Client) {
    this.ends = new Ends(client);
  }

  /**
   * A page newest first. Pages follow each other as visibility has them: those that run, then the last to end.
   *
   * @throws what `listVisible` throws
   */
  async page(filters: ExecutionFilters): Promise<ExecutionPage> {
    const { page_size: pageSize, cursor } = filters;
    const { executions, next } = await listVisible(this.client, queryOf(filters), { pageSize, cursor });
    const now = Date.now();
    const ours = executions.filter((info) => executionIdOf(info.workflowId) !== undefined);
    const lines = await Promise.all(ours.map((info) => this.line(info, now)));
    return { executions: lines.sort(newestFirst), next };
  }

  /** Visibility does not know why one failed. */
  private async line(info: VisibleExecution, now: number): Promise<ExecutionSummary> {
    const summary = summaryOf(info, now);
    return { ...summary, error: summary.status === 'FAILED' ? await this.ends.whyFailed(info) : null };
  }
}

function newestFirst(a: ExecutionSummary, b: ExecutionSummary): number {
  return Date.parse(b.start_time) - Date.parse(a.start_time);
}

export function queryOf(filters: Partial<ExecutionFilters>): string {
  const { path, version, status, parent_execution_id, top_level, started_after, started_before } = filters;
  const all = [
    EXECUTIONS,
    status
      ? `(${status.map((one) => STATUS_FILTERS[one]).join(' OR ')})`
      : `ExecutionStatus != 'ContinuedAsNew'`,
    path && pathFilter(path),
    version && `${NOETL_VERSION.name} = ${quoted(version)}`,
    parent_execution_id && `ParentWorkflowId = ${quoted(workflowId(parent_execution_id))}`,
    top_level === undefined ? undefined : `ParentWorkflowId IS ${top_level ? '' : 'NOT '}NULL`,
    started_after && `StartTime >= ${quoted(started_after)}`,
    started_before && `StartTime <= ${quoted(started_before)}`,
  ];
  return all.filter(Boolean).join(' AND ');
}

function pathFilter(path: string): string {
  return path.endsWith('*')
    ? `${NOETL_PLAYBOOK.name} STARTS_WITH ${quoted(path.slice(0, -1))}`
    : `${NOETL_PLAYBOOK.name} = ${quoted(path)}`;
}
