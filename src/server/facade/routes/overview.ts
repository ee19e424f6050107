/** What is wrong now, how playbooks do, and what they read and write. */
import { z } from 'zod';
import { toolKind } from '../../../language/dsl/kinds';
import { catalogPath } from '../../../language/plan';
import { lineageOfPlan } from '../../projection';
import { EXECUTABLE } from '../catalog/content';
import { entryOf } from '../catalog/reference';
import { lineageSchema, overviewSchema, playbookActivity, playbookOverview } from '../documents/operations';
import { overviewOf } from '../overview/overview';
import { activityOf, playbookOverviewOf } from '../overview/playbook';
import { boundedText, integerFrom, okAnswer, route } from './declare';

const MOST_HOURS = 168;
/** Playbooks of a page: each is compiled, once. */
const MOST_PLAYBOOKS = 50;

export const overviewRoute = route('GET /api/overview', {
  scope: 'read',
  summary: 'What is wrong now, how runs do, and what starts when',
  description:
    'From the tables of the projection while it follows (up to 5,000 runs), otherwise from Temporal’s list (up to 1,000); then what only the tables know is in `unknown`. ' +
    'An answer is up to 5 s old.',
  query: z.object({ hours: integerFrom(1).max(MOST_HOURS).default(24).describe('Back, and ahead') }),
  answers: okAnswer('The overview', overviewSchema),
  handle: ({ query: { hours } }, services) => overviewOf(services, hours),
});

export const playbookOverviewRoutes = [
  route('GET /api/catalog/activity', {
    scope: 'read',
    summary: 'The last run and the next start of each playbook',
    description: 'Without a projection: as far as they are among the last 1,000 runs.',
    answers: okAnswer('Playbooks that ran or will', z.object({ playbooks: z.array(playbookActivity) })),
    handle: async (_request, services) => ({ playbooks: await activityOf(services) }),
  }),
  route('GET /api/catalog/{path+}/overview', {
    scope: 'read',
    summary: 'How a playbook does: its runs, its steps, and what starts it',
    params: z.object({ path: boundedText(600) }),
    query: z.object({
      version: z
        .string()
        .max(100)
        .optional()
        .describe('Whose description, limits and steps; default: the latest'),
    }),
    answers: okAnswer('The overview', playbookOverview),
    errors: [404, 422],
    handle: async ({ params: { path }, query: { version = 'latest' }, principal }, services) =>
      await playbookOverviewOf(
        services,
        await entryOf(services.library.catalog, { path: catalogPath(path), version }),
        principal.name,
      ),
  }),
  route('GET /api/lineage', {
    scope: 'read',
    summary: 'What the tasks of playbooks read and write',
    description:
      'Of the latest versions, as far as the playbooks say it without templates; databases by the name of their credential. ' +
      '`noetl-temporal project --openlineage` tells of each run, with what templates gave.',
    query: z.object({
      after: boundedText(600).default('').describe('`next` of the page before'),
      limit: integerFrom(1).max(MOST_PLAYBOOKS).default(MOST_PLAYBOOKS).describe('Playbooks'),
    }),
    answers: okAnswer(
      'Tasks that name data',
      z.object({
        tasks: z.array(lineageSchema),
        next: z.string().nullable().describe('A path; null: there are no more'),
      }),
    ),
    async handle({ query: { after, limit }, principal }, { library, kinds }) {
      const naming = {
        servers: () => Promise.resolve(undefined),
        kindOf: (kind: string) => toolKind(kind, kinds ?? new Map()),
      };
      const paths = await library.catalog.pathsFrom('playbook', after, limit);
      const tasks = await Promise.all(
        paths.map(async (path) => {
          const entry = await library.catalog.find(path);
          if (!entry || !EXECUTABLE.includes(entry.kind)) return [];
          // This release may refuse what another one has registered.
          const plan = await library.planOf(entry, principal.name).catch(() => undefined);
          const ofPlan = plan ? await lineageOfPlan(plan, naming) : [];
          return ofPlan.map((one) => ({ path, version: entry.version, ...one }));
        }),
      );
      return { tasks: tasks.flat(), next: paths.length === limit ? (paths.at(-1) ?? null) : null };
    },
  }),
];
