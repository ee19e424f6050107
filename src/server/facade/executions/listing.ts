/**
 * The list of executions, from Temporal's visibility: a page costs the same for ten executions as for a million. What
 * visibility does not know (inputs, errors, texts) is looked for in the projection's tables.
 */
import { type Client } from '@temporalio/client';
import { z } from 'zod';
import {
  countVisible,
  executionIdIn,
  executionQuery,
  LISTED_STATUSES,
  listVisible,
  locate,
  type VisibleExecution,
} from '../../../temporal/client';
import { type Database } from '../../store';
import { Runs } from '../../projection';
import { CodedError } from '../../../language/errors';
import { isSecretKey } from '../../../language/plan';
import { Ends } from './ends';
import { documentOfRow } from './of-row';
import { summaryOf } from './summary';
import { integerFrom } from '../http/schema';
import { type ExecutionDocument } from '../documents';
import { type causeList } from '../documents/executions';

/** Whether only the projection's tables can tell. */
export function isOfTables({ text, input, code, step }: ExecutionFilters): boolean {
  return [text, input, code, step].some((one) => one !== undefined);
}

function afterOf(cursor: string): { start: Date; id: string } {
  const [, start, id] = /^(\d{4}-[\dT:.-]+Z)\/(\d{1,19})$/.exec(cursor) ?? [];
  if (!start || !id) throw new CodedError('FILTER', 'the cursor does not belong to this list');
  return { start: new Date(start), id };
}

/** One or several statuses, as `a,b` or as a repeated parameter. */
const statuses = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => [given].flat().flatMap((one) => one.split(',')))
  .pipe(z.array(z.string().trim().toUpperCase().pipe(z.enum(LISTED_STATUSES))).min(1));

/** As a repeated parameter. */
const several = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => [given].flat().filter((one) => one !== ''))
  .pipe(z.array(z.string().max(500)).max(20));
const pairs = several.superRefine((given, { addIssue }) => {
  for (const pair of given) {
    const [, key = ''] = /^([\w./-]+)=/.exec(pair) ?? [];
    const secret = isSecretKey(key) && `${key} may be secret, and is not searched`;
    const message = key === '' ? `${pair} is not KEY=VALUE` : secret;
    if (message) addIssue({ code: 'custom', message });
  }
});
const shown = (description: string, example: string) =>
  ({ description, example, param: { schema: { type: 'string' } } }) as const;

/** Which executions are meant. */
export const executionFilters = z.object({
  path: z.string().min(1).max(500).optional().describe('Of the playbook; `a/b/*` for all below a/b'),
  version: z.string().min(1).max(100).optional().describe('`metadata.version` of the playbook'),
  status: statuses.optional().meta({
    description: 'running, completed, skipped, failed, cancelled; several with commas',
    param: { schema: { type: 'string' } },
  }),
  label: pairs.optional().meta(shown('A label; repeated: all of them', 'team=sales')),
  name: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe('By `metadata.run_name`; `load*` for all that begin so'),
  text: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('In id, path, name, labels, schedule, version or error, in any case; from the projection'),
  input: pairs
    .optional()
    .meta(
      shown(
        'A value of the workload, at its key or path; `*` at the end matches the rest; repeated: all of them; from the projection',
        'customer.id=7',
      ),
    ),
  code: several
    .optional()
    .meta(shown('The code of the error that ended it, `HTTP_5*`; from the projection', 'HTTP_503')),
  step: several.optional().meta(shown('The step whose failure ended it; from the projection', 'fetch')),
  parent_execution_id: z
    .string()
    .regex(/^\d{1,19}$/)
    .optional()
    .describe('Its sub-playbooks'),
  top_level: z.stringbool().optional().describe('true: none that another execution called'),
  started_after: z.iso.datetime({ offset: true }).optional(),
  started_before: z.iso.datetime({ offset: true }).optional(),
});

export const executionPageQuery = executionFilters.extend({
  count: z.stringbool().optional().describe('true: `X-Total-Count` says how many there are'),
  page_size: integerFrom(1).max(1000).default(100),
  cursor: z.string().max(1000).optional().describe('`X-Next-Cursor` of the page before'),
});
export type ExecutionFilters = z.output<typeof executionFilters>;
type PageQuery = z.output<typeof executionPageQuery>;

export interface ExecutionPage {
  readonly executions: readonly ExecutionDocument[];
  readonly next?: string;
  readonly total?: number;
  /** It is from the tables, which lack executions: nobody projects, or not fast enough. */
  readonly isBehind?: boolean;
}

/** Milliseconds after its start at which an execution should be in the tables. */
const PROJECTION_MS = 10_000;

export class ExecutionList {
  private readonly ends: Ends;

  private readonly runs: Runs;

  constructor(
    private readonly client: Client,
    database: Pick<Database, 'rows'>,
  ) {
    this.ends = new Ends(client);
    this.runs = new Runs(database.rows, client.options.namespace);
  }

  /**
   * Most recently started first, across pages.
   *
   * @throws as `listVisible`
   */
  async page({ page_size: pageSize, cursor, count, ...filters }: PageQuery): Promise<ExecutionPage> {
    if (isOfTables(filters)) return await this.inTables(filters, { pageSize, cursor, count });
    const query = await this.queryFor(filters);
    const { executions, next } = await listVisible(this.client, query, { pageSize, cursor });
    const now = Date.now();
    const ours = executions.filter((info) => executionIdIn(info) !== undefined);
    const lines = await Promise.all(ours.map((info) => this.line(info, now)));
    const isAll = next === undefined && cursor === undefined;
    const total = count && (isAll ? lines.length : (await countVisible(this.client, query)).count);
    return { executions: lines, next, ...(total !== undefined && total !== false && { total }) };
  }

  /** Groups of executions that ended for the same reason, from the projection. */
  async causes(filters: ExecutionFilters): Promise<z.input<typeof causeList>> {
    const causes = await this.runs.causes(filters);
    return causes.map(({ execution_id, message, ...cause }) => ({
      ...cause,
      example: { execution_id, message },
    }));
  }

  private async inTables(
    filters: ExecutionFilters,
    { pageSize, cursor, count }: { pageSize: number; cursor?: string; count?: boolean },
  ): Promise<ExecutionPage> {
    const rows = await this.runs.page(
      filters,
      pageSize + 1,
      cursor === undefined ? undefined : afterOf(cursor),
    );
    const now = Date.now();
    const executions = rows.slice(0, pageSize).map((row) => documentOfRow(row, now));
    const last = rows.length > pageSize ? rows[pageSize - 1] : undefined;
    const next = last && `${last.start_time.toISOString()}/${last.execution_id}`;
    const total = count ? await this.runs.count(filters) : undefined;
    const isBehind = cursor === undefined && (await this.isBehind(now));
    return { executions, isBehind, ...(next && { next }), ...(total !== undefined && { total }) };
  }

  private async isBehind(now: number): Promise<boolean> {
    const before = new Date(now - PROJECTION_MS).toISOString();
    const { executions } = await listVisible(this.client, executionQuery({ started_before: before }), {
      pageSize: 1,
    });
    const id = executions[0] && executionIdIn(executions[0]);
    return id !== undefined && !(await this.runs.has(id));
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
