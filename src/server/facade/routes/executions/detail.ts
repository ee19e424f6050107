/** `GET /api/executions/{id}`: an execution and its events, newest first, paged as in the official GUI. */
import { z } from 'zod';
import { compact } from '../../../../language/plan';
import { described } from '../../executions/described';
import { StoredEvents } from '../../executions/stored';
import { executionIdentity } from '../../executions/summary';
import { okAnswer, route, component, integerFrom, mapping, ofExecution } from '../declare';
import { DERIVING_ANSWER } from '../../reading/deriving';
import { executionSummary, eventPagination } from '../../documents/executions';

const querySchema = z.object({
  page: integerFrom(1).max(1_000_000).default(1),
  page_size: integerFrom(1).max(1000).default(100),
  since_event_id: integerFrom(0).optional().describe('Only events after this one'),
  event_type: z.string().max(100).optional().describe('Only events of this type'),
});

const event = component('ExecutionEvent', {
  execution_id: z.string(),
  event_id: z.string().describe('Its number in the execution, from 1, without gaps'),
  event_type: z.string(),
  node_id: z.string(),
  node_name: z.string(),
  node_type: z.string().nullable(),
  status: z.string(),
  created_at: z.iso.datetime(),
  timestamp: z.iso.datetime(),
  context: mapping,
  result: mapping.describe('`status`, and in `context` what was returned'),
  error: z.string().nullable(),
  catalog_id: z.string().nullable(),
  parent_execution_id: z.string().nullable(),
  parent_event_id: z.string().nullable(),
  duration: z.number().nullable().describe('Milliseconds'),
  meta: mapping,
});

const detailed = component('ExecutionDetail', {
  ...executionSummary.shape,
  events: z.array(event),
  events_included: z.literal(true),
  events_endpoint: z.string(),
  pagination: eventPagination,
});

export const detail = route('GET /api/executions/{id}', {
  ...ofExecution,
  summary: 'An execution with its events, newest first',
  query: querySchema,
  answers: { ...okAnswer('The execution', detailed), ...DERIVING_ANSWER },
  async handle({ params: { id }, query, principal, response }, { client, database, readings }) {
    const { page, page_size, since_event_id: since, event_type: type } = query;
    const info = await described(client, id);
    const stored = await StoredEvents.of({ client, database }, id, info);
    if (stored) return await stored.detail({ page, page_size, ...compact({ since, type }) });
    const identity = executionIdentity(info);
    const about = { identity, page, page_size, ...compact({ since, type }) };
    return await readings.send('detail', { id, about, principal, response });
  },
});
