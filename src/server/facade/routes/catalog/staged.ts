/** Staged versions: what they would change, and their promotion. */
import { z } from 'zod';
import { VERDICTS } from '../../../../offline/proof';
import { Staging } from '../../../store';
import { stagedReport } from '../../catalog/staged';
import { FacadeError } from '../../http/errors';
import { okAnswer, type Route, route } from '../../http/route';
import { boundedText } from '../../http/text';
import { type RouteServices } from '../../services';
import { MAX_VERSION } from './documents';
import { compact } from '../../../../language/plan';

const verification = z
  .looseObject({
    executions: z.int(),
    counts: z.record(z.enum(VERDICTS as unknown as [string, ...string[]]), z.int()),
    groups: z.array(z.looseObject({ kind: z.string(), cause: z.string(), count: z.int() })),
    ok: z.boolean(),
  })
  .meta({ id: 'Verification', description: 'As `noetl-temporal verify --json`' });

const report = z
  .object({
    path: z.string(),
    version: z.int(),
    catalog_id: z.string(),
    staged_at: z.string().nullable().meta({ description: 'null: it is not staged' }),
    latest: z.int().nullable().meta({ description: 'The version that it would replace' }),
    pending: z.int().meta({ description: 'Executions that ended and are still to be judged' }),
    verification,
    objection: z.string().nullable().meta({ description: 'Why it is promoted only with `force`' }),
    warnings: z.array(z.string()).meta({ description: 'Schedules that will not start it' }),
  })
  .meta({ id: 'StagedVersion' });

const pathParam = boundedText(600).min(1);

const promoteBody = z.object({
  path: pathParam,
  version: z.int().min(1).max(MAX_VERSION).nullish().meta({ description: 'Default: the staged one' }),
  force: z.boolean().default(false).meta({ description: 'Even if executions would have differed' }),
});

export function stagedRoutes(services: RouteServices): readonly Route[] {
  const { library, database, scheduled } = services;
  const staging = new Staging(database.query);
  const sources = { library, staging, scheduled };
  return [
    route('GET /api/catalog/{path+}/staged', {
      scope: 'read',
      summary: 'The staged version of a path, and what past executions would have done with it',
      description:
        'Executions that end while a version is staged are re-decided with it, by `noetl-temporal project` or `dev`.',
      params: z.object({ path: pathParam }),
      query: z.object({
        version: z.coerce.number().int().min(1).max(MAX_VERSION).optional().meta({
          description: 'Another version than the staged one',
        }),
      }),
      answers: okAnswer('null if none is staged', z.object({ staged: report.nullable() })),
      errors: [404],
      async handle({ params: { path }, query: { version }, principal: { name: caller } }) {
        const report = await stagedReport(sources, { path, caller, ...compact({ version }) });
        return { staged: report ?? null };
      },
    }),
    promoteRoute(sources),
    unstageRoute(staging),
  ];
}

function promoteRoute(sources: Parameters<typeof stagedReport>[0]): Route {
  return route('POST /api/catalog/promote', {
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
        promoted: report,
      }),
    ),
    errors: [404, 409],
    async handle({ body: { path, version, force }, principal: { name: caller } }) {
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
  });
}

function unstageRoute(staging: Staging): Route {
  return route('POST /api/catalog/unstage', {
    scope: 'run',
    summary: 'Give up a staged version; it stays registered',
    body: z.object({ path: pathParam }),
    answers: okAnswer(
      'It is staged no longer',
      z.object({ status: z.literal('success'), path: z.string(), version: z.int() }),
    ),
    errors: [404],
    async handle({ body: { path } }) {
      const version = await staging.unstage(path);
      if (version === undefined) throw nothingStaged(path);
      return { status: 'success', path, version };
    },
  });
}

function nothingStaged(path: string): FacadeError {
  return new FacadeError(404, 'NOTHING_STAGED', `no version of ${path} is staged`);
}
