/** Staged versions: what they would change, and their promotion. */
import { z } from 'zod';
import { Staging } from '../../../store';
import { stagedReport } from '../../catalog/staged';
import { type RouteServices } from '../../services';
import { MAX_VERSION } from './documents';
import { compact } from '../../../../language/plan';
import { stagedVersion } from '../../documents/catalog';
import { okAnswer, route, FacadeError, boundedText, integerFrom } from '../declare';

const pathParam = boundedText(600).min(1);

const promoteBody = z.object({
  path: pathParam,
  version: z.int().min(1).max(MAX_VERSION).nullish().describe('Default: the staged one'),
  force: z.boolean().default(false).describe('Even if executions would have differed'),
});

function sourcesOf({ library, database, scheduled }: RouteServices) {
  return { library, staging: new Staging(database.query), scheduled };
}

export const stagedRoutes = [
  route('GET /api/catalog/{path+}/staged', {
    scope: 'read',
    summary: 'The staged version of a path, and what past executions would have done with it',
    description:
      'Executions that end while a version is staged are re-decided with it, by `noetl-temporal project` or `dev`.',
    params: z.object({ path: pathParam }),
    query: z.object({
      version: integerFrom(1).max(MAX_VERSION).optional().describe('Another version than the staged one'),
    }),
    answers: okAnswer('null if none is staged', z.object({ staged: stagedVersion.nullable() })),
    errors: [404],
    async handle({ params: { path }, query: { version }, principal: { name: caller } }, services) {
      const report = await stagedReport(sourcesOf(services), { path, caller, ...compact({ version }) });
      return { staged: report ?? null };
    },
  }),
  route('POST /api/catalog/promote', {
    scope: 'run',
    summary: 'Make a staged version the latest',
    description:
      '409 `STAGED_DIFFERS`, with the report as `staged`, if executions would have differed, or none has been judged, unless `force` is true.',
    body: promoteBody,
    answers: okAnswer(
      'It is the latest',
      z.object({
        status: z.literal('success'),
        message: z.string(),
        previous: z.int().nullable(),
        promoted: stagedVersion,
      }),
    ),
    errors: [404, 409],
    async handle({ body: { path, version, force }, principal: { name: caller } }, services) {
      const sources = sourcesOf(services);
      const report = await stagedReport(sources, { path, caller, ...(version && { version }) });
      if (!report) throw nothingStaged(path);
      if (report.objection !== null && !force)
        throw new FacadeError(409, 'STAGED_DIFFERS', `${path}@${report.version}: ${report.objection}`, {
          staged: report,
        });
      const previous = await sources.staging.promote(path, report.version);
      const message = `Version ${report.version} of '${path}' is the latest.`;
      return { status: 'success', message, previous, promoted: report };
    },
  }),
  route('POST /api/catalog/unstage', {
    scope: 'run',
    summary: 'Give up a staged version; it stays registered',
    body: z.object({ path: pathParam }),
    answers: okAnswer(
      'It is staged no longer',
      z.object({ status: z.literal('success'), path: z.string(), version: z.int() }),
    ),
    errors: [404],
    async handle({ body: { path } }, services) {
      const version = await sourcesOf(services).staging.unstage(path);
      if (version === undefined) throw nothingStaged(path);
      return { status: 'success', path, version };
    },
  }),
];

function nothingStaged(path: string): FacadeError {
  return new FacadeError(404, 'NOTHING_STAGED', `no version of ${path} is staged`);
}
