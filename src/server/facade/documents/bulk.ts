/** Documents about bulk operations. */
import { z } from 'zod';
import { BULK_VERBS } from '../../../language/plan';
import { component } from '../http/schema';

const cause = component('BulkCause', {
  path: z.string(),
  status: z.enum(['RUNNING', 'COMPLETED', 'SKIPPED', 'FAILED', 'CANCELLED']),
  code: z.string().nullable(),
  step: z.string().nullable(),
  count: z.int(),
  example: z.object({ execution_id: z.string(), message: z.string().nullable() }),
});

export const begunBulk = component('BulkBegun', {
  bulk_id: z.string(),
  verb: z.enum(BULK_VERBS),
  dry_run: z.boolean(),
  total: z.int(),
  causes: z.array(cause).describe('Largest first; empty if the executions were listed'),
  executions: z.array(z.string()),
});
