/** `GET /api/executions/{id}/events/search`: events by their type and ids, some ten thousand of a long run at a time. */
import { z } from 'zod';
import { type CanonicalEvent, searchedText } from '../../../../history';
import { eventsWith } from '../../../projection';
import { checkedId } from '../../executions/ids';
import { described } from '../../executions/described';
import { StoredEvents } from '../../executions/stored';
import { sendJsonText } from '../../http/portions';
import { DERIVING_ANSWER } from '../../reading/deriving';
import { type Spool } from '../../reading/spool';
import { RouteReply, okAnswer, route, component, integerFrom, mapping, ofExecution } from '../declare';

/** Events that a request looks at: some 100 ms. */
const SEARCHED = 50_000;

const querySchema = z.object({
  text: z
    .string()
    .max(300)
    .default('')
    .describe(
      'What the type of the event, its entity, its task run or step run with iteration contains, in any case',
    ),
  failed: z.stringbool().default(false).describe('true: only events of failures'),
  after: integerFrom(0).default(0).describe('The `seq` of an event: only later ones'),
  count: integerFrom(1).max(1000).default(100).describe('Events, at most'),
});
type Query = z.infer<typeof querySchema>;

const matches = component('FoundEvents', {
  events: z.array(mapping),
  searched: z.number().int().describe('The `seq` of the last event that was looked at'),
  next_after: z.number().int().nullable().describe('`after` of the next request; null: that was all'),
});

export const eventSearch = route('GET /api/executions/{id}/events/search', {
  ...ofExecution,
  summary: 'The events of an execution whose type or ids contain a text',
  description: 'A request looks at 50,000 events; `next_after` goes on.',
  query: querySchema,
  answers: { ...okAnswer('What was found, oldest first', matches), ...DERIVING_ANSWER },
  async handle({ params, query, principal, response }, { client, database, readings }) {
    const id = checkedId(params.id);
    // A command has no tables.
    const stored =
      database && (await StoredEvents.of({ client, database }, id, await described(client, id), 'now'));
    if (stored) {
      const last = Math.min(query.after + SEARCHED, stored.total);
      const { events, searched } = await eventsWith(database.rows, id, { ...query, last });
      return { events, searched, next_after: searched < stored.total ? searched : null };
    }
    const need = {
      request: { profile: 'canonical', bodies: false } as const,
      count: query.after + SEARCHED,
    };
    const sent = await readings.rowsOf({ id, principal, response }, need, async ({ spool }) => {
      const text = await searchedIn(spool, query);
      if (!response.destroyed) await sendJsonText(response, text);
    });
    return sent instanceof RouteReply ? sent : undefined;
  },
});

/** As `eventsWith`, in JSON. */
async function searchedIn(spool: Spool, { text, failed, after, count }: Query): Promise<string> {
  const needle = text.toLowerCase();
  const rows: string[] = [];
  let searched = after;
  for (let index = spool.blockWith(after + 1); index < spool.count; index++) {
    for (const { row } of (await spool.block(index))!) {
      const { ts: _, ...event } = JSON.parse(row) as CanonicalEvent & { ts: string };
      if (event.seq <= after || event.seq > after + SEARCHED) continue;
      if (!searchedText(event).includes(needle) || (failed && event.status !== 'error')) continue;
      rows.push(JSON.stringify(event));
      searched = event.seq;
      if (rows.length === count) break;
    }
    if (rows.length === count || spool.lastSeqOf(index) >= after + SEARCHED) break;
  }
  if (rows.length < count) searched = Math.max(after, Math.min(after + SEARCHED, spool.lastSeq));
  const isAll = spool.isComplete && searched >= spool.lastSeq;
  return `{"events":[${rows.join(',')}],"searched":${searched},"next_after":${isAll ? 'null' : searched}}`;
}
