/**
 * `/openapi.json`: the OpenAPI document, generated from the declarations that serve the API; `/docs` displays it.
 */
import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { FacadeError } from '../http/errors';
import { openApiOf } from '../http/openapi';
import { okAnswer, plainRoute, type Route } from '../http/route';
import { type FacadeServices } from '../services';

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>noetl-temporal: REST</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="icon" href="/docs/favicon-32x32.png">
  </head>
  <body>
    <div id="reference"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

/** A separate script, because the content security policy allows no inline scripts. */
const START =
  "SwaggerUIBundle({ url: '/openapi.json', dom_id: '#reference', deepLinking: true, validatorUrl: null });\n";

/** Files of swagger-ui-dist, served locally so that the reference works without internet access. */
const FILES: readonly string[] = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

export function documents(
  routes: readonly Route[],
  { version }: Pick<FacadeServices, 'version'>,
): readonly Route[] {
  let document: object | undefined;
  return [
    plainRoute('GET /openapi.json', {
      scope: 'public',
      summary: 'The OpenAPI document of this API',
      answers: okAnswer('OpenAPI 3.1', z.looseObject({ openapi: z.string() })),
      handle: () => (document ??= openApiOf(routes, { version })),
    }),
    plainRoute('GET /docs', {
      scope: 'public',
      summary: 'The interactive reference',
      answers: { 200: { description: 'A page', content: { 'text/html': 'Swagger UI' } } },
      errors: [404],
      alias: true,
      handle({ response }) {
        response.type('html').send(PAGE);
      },
    }),
    plainRoute('GET /docs/{file}', {
      scope: 'public',
      summary: 'A file of the reference page',
      params: z.object({ file: z.string() }),
      answers: { 200: { description: 'The file' } },
      errors: [404],
      alias: true,
      handle({ params: { file }, response }) {
        if (file === 'start.js') return void response.type('js').send(START);
        if (!FILES.includes(file)) throw new FacadeError(404, 'NO_ROUTE', `there is no /docs/${file}`);
        response.sendFile(path.join(swaggerFolder(), file), { cacheControl: false });
      },
    }),
  ];
}

/** The build copies them; beside TypeScript they are a package for development. */
function swaggerFolder(): string {
  const built = path.resolve(__dirname, '../../../../swagger-ui');
  return fs.existsSync(built) ? built : path.dirname(require.resolve('swagger-ui-dist/package.json'));
}
