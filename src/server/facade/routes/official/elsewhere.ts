/**
 * Routes of the official servers and gateway that do not exist here: each is answered with what to use. docs/noetl.md shows
 * the table.
 */
import { type RequestHandler } from 'express';
import { FacadeError } from '../declare';

/** `*` is anything, `ANY` every method. 410: nothing needs it here; 501: there is something else. */
const TABLE = `
501 POST /api/executions/*/finalize: POST /api/executions/{id}/cancel with force: true ends what cannot end itself
501 GET /api/replay/state: GET /api/executions/{id}/state?at=EVENT has the state after an event
501 ANY /api/keychain/*: secrets are stored with POST /api/credentials and named in \`keychain\` of a playbook
501 GET /api/dashboard/widgets: GET /api/dashboard/stats has the numbers
501 POST /api/auth/session/validate: POST /api/auth/validate takes the same body
501 POST /api/auth/check-playbook-access: POST /api/auth/check-access, with permission_type for action
501 GET /api/ehdb: GET /api/executions, and /api/executions/{id}/events
501 GET /api/ehdb/executions: GET /api/executions (noetl-temporal list)
501 GET /api/ehdb/executions/*: GET /api/executions/{id} (noetl status ID), and its /events
501 GET /api/ehdb/*: GET /api/executions/{id}/events; all executions: table noetl.event (noetl query)
501 ANY /graphql: POST /api/execute starts an execution, and GET /events tells how it goes on
501 POST /api/internal/container-callback/*: POST /api/events sends the event that a step of kind wait names
501 POST /api/internal/callback*: GET /events tells the end of an execution and its result; nothing calls back
501 POST /api/internal/progress: GET /events tells the ends of steps, GET /api/executions/{id}/progress the numbers
410 ANY /api/internal/*: what official servers and workers say to each other, Temporal does here
410 ANY /api/commands/*: workers of this server take their work from Temporal: noetl-temporal worker
410 ANY /api/worker/pool/*: workers of this server take their work from Temporal: noetl-temporal worker
410 GET /api/runtime/shard-info: Temporal distributes executions: GET /api/worker/queues says who serves what
410 ANY /api/profiler/*: GET /metrics has the figures of this process, GET /api/threads what it waits for
`;

/** Route, status, and what to use. */
export const ELSEWHERE = [...TABLE.matchAll(/^(\d+) ((\S+) (\S+)): (.+)$/gm)].map(
  ([, status, route, method, path, use]) => ({
    ...{ route: route!, method: method!, status: Number(status), use: use! },
    path: new RegExp(`^${path!.replaceAll('*', '.+')}$`),
  }),
);

/** Behind all routes. */
export const saidElsewhere: RequestHandler = ({ method, path }, _response, next) => {
  const entry = ELSEWHERE.find((one) => ['ANY', method].includes(one.method) && one.path.test(path));
  if (!entry) return next();
  const { status, use } = entry;
  throw new FacadeError(status, 'NOT_HERE', `${method} ${path} does not exist here: ${use}`, { use });
};
