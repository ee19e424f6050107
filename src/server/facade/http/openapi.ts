/** The OpenAPI document of declared routes, generated from their zod schemas. */
import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi';
import { type Route } from './route';

/** The body of every error, with both keys that NoETL's clients read. */
const errorBody = z
  .looseObject({
    detail: z.string(),
    error: z.string(),
    code: z.string(),
    docs: z.string().optional(),
    at: z.string().optional(),
    request_id: z.string().optional(),
  })
  .meta({
    id: 'Error',
    description:
      'What is wrong, with a stable code and the page that explains it; `at` is the location in the request.',
  });

/** Errors that any route may return. */
const COMMON = [400, 413, 422, 429, 500, 503];
const GUARDED = [401, 403];

export function openApiOf(routes: readonly Route[], info: { version: string }): object {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const route of routes.filter(({ alias }) => !alias)) {
    const path = route.path.replace(/\+\}/g, '}');
    (paths[path] ??= {})[route.method] = operationOf(route);
  }
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'noetl-temporal',
      version: info.version,
      description: 'The REST API of noetl-temporal: everything the official NoETL clients use, and more.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    paths: paths as ZodOpenApiPathsObject,
  });
}

function operationOf(route: Route): ZodOpenApiOperationObject {
  const isGuarded = route.scope !== 'public';
  const errors = [
    ...new Set([
      ...COMMON,
      ...(route.body ? [415] : []),
      ...(isGuarded ? GUARDED : []),
      ...(route.errors ?? []),
    ]),
  ].sort();
  const answers = Object.entries(route.answers).map(([status, { description, body, content = {} }]) => [
    status,
    {
      description,
      content: {
        ...(body && { 'application/json': { schema: body } }),
        ...Object.fromEntries(
          Object.entries(content).map(([type, remark]) => [
            type,
            { schema: { type: 'string', description: remark } },
          ]),
        ),
      },
    },
  ]);
  const body = route.body && named(route.body, `${capital(operationIdOf(route))}Body`);
  return {
    operationId: operationIdOf(route),
    ...(route.tag && { tags: [route.tag] }),
    summary: route.summary,
    ...(route.description && { description: route.description }),
    ...(isGuarded ? { security: [{ bearer: [route.scope] }] } : { security: [] }),
    requestParams: {
      ...(route.params && { path: route.params }),
      ...(route.query && { query: route.query }),
    },
    ...(body && {
      requestBody: {
        required: !body.safeParse({}).success,
        content: { 'application/json': { schema: body }, 'application/yaml': { schema: body } },
      },
    }),
    responses: {
      ...(Object.fromEntries(answers) as ZodOpenApiOperationObject['responses']),
      ...Object.fromEntries(errors.map((status) => [status, errorResponse(status)])),
    },
  };
}

const errorResponses = new Map<number, ZodOpenApiResponseObject>();

/** One component per status, referenced by every operation. */
function errorResponse(status: number): ZodOpenApiResponseObject {
  let response = errorResponses.get(status);
  if (!response) {
    response = {
      id: `Error${status}`,
      description: STATUS_CODES[status]!,
      content: { 'application/json': { schema: errorBody } },
    };
    errorResponses.set(status, response);
  }
  return response;
}

const namedBodies = new WeakMap<z.ZodType, z.ZodType>();

/** As a component: JSON and YAML refer to one schema, and generated clients have a name for it. */
function named(body: z.ZodType, id: string): z.ZodType {
  if (body.meta()?.id) return body;
  let component = namedBodies.get(body);
  if (!component) namedBodies.set(body, (component = body.meta({ ...body.meta(), id })));
  return component;
}

/** `getApiExecutionsByIdStatus`. */
function operationIdOf({ method, path }: Route): string {
  const words = path.split('/').filter(Boolean);
  const parts = words.map((word) =>
    word.startsWith('{') ? `By${capital(word.replace(/\W/g, ''))}` : word.split(/\W/).map(capital).join(''),
  );
  return method + parts.join('');
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
