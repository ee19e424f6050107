/** `/mcp`: tools for assistants over the Model Context Protocol (streamable HTTP, with sessions). */
import { z } from 'zod';
import { AssistantDesk } from '../assistant/desk';
import { AssistantSessions } from '../assistant/sessions';
import { plainRoute, type Route } from '../http/route';
import { type FacadeServices } from '../services';

/** @param routes those that tools ask */
export function assistantRoutes(routes: readonly Route[], services: FacadeServices): readonly Route[] {
  const sessions = new AssistantSessions(services, new AssistantDesk(services, () => routes));
  services.stopping?.addEventListener('abort', () => sessions.close());
  const common = {
    scope: 'read',
    answers: { 200: { description: 'As the protocol says' } },
    errors: [404, 429],
  } as const;
  return [
    plainRoute('POST /mcp', {
      ...common,
      summary: 'Tools for assistants over the Model Context Protocol',
      body: z.unknown(),
      handle: ({ principal, request, response, body }) => sessions.handle(principal, request, response, body),
    }),
    plainRoute('GET /mcp', {
      ...common,
      summary: 'What a session of an assistant is told: that its list of tools is another',
      handle: ({ principal, request, response }) => sessions.handle(principal, request, response),
    }),
    plainRoute('DELETE /mcp', {
      ...common,
      summary: 'End the session of an assistant',
      handle: ({ principal, request, response }) => sessions.handle(principal, request, response),
    }),
  ];
}
