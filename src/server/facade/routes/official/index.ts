/** What official workers, scripts and the gateway ask for besides what the CLI and the GUI do. */
import { z } from 'zod';
import { RouteReply, type RouteResource, mapping, ofExecution, okAnswer, route } from '../declare';
import { DERIVING_ANSWER } from '../../reading/deriving';
import { gatewayEvents } from './events';
import { resultRoutes } from './results';

/** Of the contract that the official gateway publishes under this date. */
const CONTRACT = '2026-04-26';

export const officialRoutes: readonly RouteResource[] = [
  route('GET /api/executions/{id}/cancellation-check', {
    ...ofExecution,
    summary: 'Whether an execution was cancelled, or is being cancelled',
    answers: {
      ...okAnswer('Whether', z.object({ execution_id: z.string(), is_cancelled: z.boolean() })),
      ...DERIVING_ANSWER,
    },
    async handle({ params: { id }, principal, response }, { readings }) {
      const text = await readings.text('status', { id, about: { full: false }, principal, response });
      if (text instanceof RouteReply) return text;
      return {
        execution_id: id,
        is_cancelled: /^CANCEL/.test((JSON.parse(text) as { status: string }).status),
      };
    },
  }),
  route('GET /api/runtime/contract', {
    scope: 'public',
    summary: 'How this server stands for the official gateway: `noetl context init --from-gateway` reads it',
    answers: okAnswer('The contract; without Auth0, which this server does not use', mapping),
    handle: (_request, { version }) => ({
      gateway_version: version,
      contract_version: CONTRACT,
      summary: 'noetl-temporal: server and gateway in one; tokens of this server are session tokens',
      proxy_contract: {
        incoming_prefix: '/noetl/',
        upstream_prefix: '/api/',
        authentication: {
          required: true,
          accepted_headers: ['Authorization: Bearer <token>', 'x-session-token: <token>'],
        },
      },
    }),
  }),
  resultRoutes,
  gatewayEvents,
];
