/** `/openapi.json`: what this surface is, generated from the very declarations that serve it. */
import { z } from 'zod';
import { openApiOf } from '../http/openapi';
import { type Route, route } from '../http/route';
import { type FacadeServices } from '../services';

export function documents(routes: readonly Route[], { version }: FacadeServices): readonly Route[] {
  let document: object | undefined;
  return [
    route({
      method: 'get',
      path: '/openapi.json',
      scope: 'public',
      tag: 'documents',
      summary: 'The OpenAPI document of this surface',
      answers: { 200: { description: 'OpenAPI 3.1', body: z.looseObject({ openapi: z.string() }) } },
      handle: () => (document ??= openApiOf(routes, { version })),
    }),
  ];
}
