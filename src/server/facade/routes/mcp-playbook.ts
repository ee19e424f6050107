/** Playbooks as servers of the Model Context Protocol. */
import { z } from 'zod';
import { isMapping } from '../../../language/plan';
import { RPC, rpcError, RpcError } from '../mcp/json-rpc';
import { PlaybookServer } from '../mcp/playbook-server';
import { boundedText, route } from './declare';

const params = z.object({ path: boundedText(600).min(1) });

export const playbookMcpRoutes = [
  route('POST /api/mcp/playbook/{path+}/jsonrpc', {
    scope: 'run',
    acts: false,
    summary: 'A playbook as an MCP server (streamable HTTP, without sessions)',
    description:
      'Messages of JSON-RPC: `initialize`, `ping`, `tools/list` (one tool: the playbook, with its inputs), `tools/call` (runs it and waits). ' +
      'Errors are in the answer, whose status is 200; only a token that is refused, and the rate limit, have a status of their own. ' +
      'A playbook with `metadata.exposes_as_mcp: false` is not offered.',
    params,
    body: z.unknown(),
    unreadable: (error) => rpcError(null, error),
    answers: {
      200: { description: 'The answer', body: z.looseObject({}) },
      202: { description: 'A notification or an answer was taken' },
    },
    async handle({ params: { path }, body, principal: { name: caller }, response }, services) {
      if (!isMapping(body))
        return rpcError(null, new RpcError(RPC.request, 'the body is one message of JSON-RPC, an object'));
      const { id = null, method, params: given } = body;
      const isNotification = typeof method === 'string' && method.startsWith('notifications/');
      if (id === null && (method === undefined || isNotification)) return void response.status(202).end();
      try {
        const request = { path, caller, response, params: isMapping(given) ? given : {} };
        return { jsonrpc: '2.0', id, result: await new PlaybookServer(services).answer(method, request) };
      } catch (error) {
        return rpcError(id, error);
      }
    },
  }),
  route('GET /api/mcp/playbook/{path+}/jsonrpc', {
    scope: 'run',
    summary: 'There is no stream of messages from this MCP server',
    params,
    answers: { 405: { description: 'Clients go on without it' } },
    handle: ({ response }) => void response.set('allow', 'POST').status(405).end(),
  }),
];
