/** `POST /api/postgres/execute`: an operator's SQL, by default on the facade's own store. */
import { z } from 'zod';
import { hasCode } from '../../../language/errors';
import { type JsonObject } from '../../../language/plan';
import { Credentials } from '../../store';
import {
  RouteReply,
  route,
  FacadeError,
  invalidField,
  type RouteRequest,
  boundedText,
  component,
  mapping,
} from './declare';
import { executeQuery, type ResultRows } from '../postgres/execute';
import { checkedUrl, urlOfCredential, withDatabase } from '../postgres/target';
import { type FacadeServices } from '../services';
import { keysOf, remoteOf } from './secrets';

const sqlText = boundedText(1_000_000).nullish();
const name = boundedText(255).min(1).nullish();

const bodySchema = z.object({
  query: sqlText,
  query_base64: sqlText.describe('The query in base64, instead of `query`'),
  procedure: sqlText.describe('A procedure to call with the parameters, or a whole CALL'),
  parameters: z.unknown().optional().describe('A list for `$1 …` or `%s`, a mapping for `%(name)s`'),
  schema: name.describe('First in the search path'),
  database: name.describe('Another database of the same server'),
  credential: name.describe('A stored credential, instead of the database of this server'),
  connection_string: z.string().max(2000).nullish(),
});
type Request = z.output<typeof bodySchema>;

const answer = component('QueryAnswer', {
  status: z.enum(['ok', 'error']),
  result: z
    .array(z.array(z.unknown()))
    .nullable()
    .describe('One list of values per row, as the official CLI expects'),
  columns: z.array(z.string()),
  rows: z.array(mapping).describe('One mapping by column name per row'),
  row_count: z.number(),
  command: z.string(),
  truncated: z.boolean(),
  error: z.string().nullable(),
});

const refused = component('QueryRefused', {
  status: z.literal('error'),
  result: z.null(),
  error: z.string(),
  detail: z.string(),
  code: z.string(),
  hint: z.string().optional(),
  position: z.string().optional(),
});

export const postgresRoutes = route('POST /api/postgres/execute', {
  scope: 'admin',
  summary: 'Run SQL: on the database of this server, of a credential, or of a connection string',
  description: 'A statement can take 30 seconds and return 10,000 rows at most.',
  body: bodySchema,
  answers: {
    200: { description: 'The rows', body: answer },
    400: { description: 'The database rejected it; `code` is the SQLSTATE', body: refused },
  },
  errors: [404, 503],
  async handle(request, services) {
    const { body } = request;
    const sql = sqlOf(body);
    try {
      const url = withDatabase(await urlFor(services, request), body.database ?? undefined);
      const { parameters } = body;
      return documentOf(await executeQuery(url, { sql, parameters, schema: body.schema ?? undefined }));
    } catch (error) {
      if (!hasCode(error, 'QUERY_FAILED')) throw error;
      const { message, details } = error;
      return new RouteReply(400, {
        status: 'error',
        result: null,
        error: message,
        detail: message,
        ...details,
      });
    }
  },
});

/** @throws FacadeError 422 */
function sqlOf({ query, query_base64, procedure, parameters }: Request): string {
  const encoded = query_base64 ? Buffer.from(query_base64, 'base64').toString('utf8') : undefined;
  const sql = (query ?? encoded ?? '').trim();
  if (sql !== '') return sql;
  const called = (procedure ?? '').trim();
  if (called === '')
    throw invalidField(
      'body.query',
      'VALIDATION',
      'body.query: query, query_base64 or procedure is required',
    );
  if (/^(call|select)\s/i.test(called)) return called;
  if (called.includes('(')) return `CALL ${called}`;
  const places = Array.isArray(parameters) ? parameters.map((_, index) => `$${index + 1}`) : [];
  return `CALL ${called}(${places.join(', ')})`;
}

async function urlFor(
  services: FacadeServices,
  { body, principal, request }: Pick<RouteRequest<object, object, Request>, 'body' | 'principal' | 'request'>,
): Promise<string> {
  if (body.connection_string) return checkedUrl(body.connection_string);
  if (!body.credential) return services.database.url;
  const store = new Credentials(services.database, keysOf(services), services.authCacheTtlMs);
  const credential = await store.read(body.credential, { principal: principal.name, ...remoteOf(request) });
  if (!credential) throw new FacadeError(404, 'CREDENTIAL_NOT_FOUND', 'Credential not found');
  return urlOfCredential(credential.name, credential.data as JsonObject);
}

function documentOf({ columns, values, command, count, truncated }: ResultRows): z.input<typeof answer> {
  return {
    status: 'ok',
    result: values.map((row) => [...row]),
    columns: [...columns],
    rows: values.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index]]))),
    row_count: count,
    command,
    truncated,
    error: null,
  };
}
