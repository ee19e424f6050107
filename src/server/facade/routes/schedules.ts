/** `/api/schedules`: scheduled playbooks, as Temporal schedules. */
import { type Client } from '@temporalio/client';
import { z } from 'zod';
import {
  backfillSchedule,
  countBackfill,
  createSchedule,
  deleteSchedule,
  describeSchedule,
  doubtsOf,
  hasTimes,
  inputIn,
  listSchedules,
  type NewSchedule,
  OVERLAPS,
  type Overlap,
  pauseSchedule,
  previewSchedule,
  type ScheduleChange,
  scheduleOwner,
  type ScheduleTimes,
  triggerSchedule,
  unpauseSchedule,
  updateSchedule,
} from '../../../temporal/client';
import { parseNotifications, unreadInputs } from '../../../language/dsl';
import { type JsonObject, type Notifications, plainSecretInputs, shownPlace } from '../../../language/plan';
import { type Library } from '../catalog/library';
import { refuseWrongInputs } from '../submit/inputs';
import {
  scheduleSchema,
  scheduleDetailsSchema,
  keptSchedule,
  schedulePreview,
  scheduleDone,
  backfilledSchema,
} from '../documents/schedules';
import { scheduleDetails, scheduleDocuments } from '../schedules/describe';
import { forgetShare, withinShare } from '../schedules/share-bounds';
import { type ScheduleDetails } from '../documents';
import {
  okAnswer,
  route,
  invalidField,
  pageOfQuery,
  paginationSchema,
  mapping,
  labelMapping,
} from './declare';

const seconds = z.number().min(0).max(31_536_000_000);
const time = z.iso.datetime({ offset: true });
const overlap = z
  .enum(Object.keys(OVERLAPS) as [Overlap, ...Overlap[]])
  .describe('What to do if the previous execution is still running');
const name = z
  .string()
  .regex(/^[\w][\w.-]{0,199}$/)
  .meta({ example: 'nightly' });
const path = z.object({ name });

const calendarField = z.union([
  z.int(),
  z.string(),
  z.array(
    z.union([
      z.int(),
      z.string(),
      z.object({
        start: z.union([z.int(), z.string()]),
        end: z.union([z.int(), z.string()]).optional(),
        step: z.int().min(1).optional(),
      }),
    ]),
  ),
]);

const changes = z.object({
  version: z
    .union([z.string().min(1).max(100), z.int().min(1)])
    .optional()
    .describe('The version to start; default: the newest at the scheduled time'),
  payload: mapping.optional(),
  labels: labelMapping.optional(),
  time_as: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('The key of the payload that receives the scheduled time'),
  cron: z.array(z.string().min(1).max(200)).max(20).optional(),
  intervals: z
    .array(z.object({ every_s: seconds.min(1), offset_s: seconds.optional() }))
    .max(20)
    .optional(),
  calendars: z
    .array(
      z.strictObject({
        second: calendarField.optional(),
        minute: calendarField.optional(),
        hour: calendarField.optional(),
        dayOfMonth: calendarField.optional(),
        month: calendarField.optional(),
        year: calendarField.optional(),
        dayOfWeek: calendarField.optional(),
        comment: z.string().max(500).optional(),
      }),
    )
    .max(20)
    .optional(),
  timezone: z.string().max(100).optional().meta({ example: 'Europe/Berlin' }),
  jitter_s: seconds.optional(),
  start_at: time.optional(),
  end_at: time.optional(),
  overlap: overlap.optional(),
  catchup_s: seconds
    .optional()
    .describe('How long after an outage missed times are still started; default one hour'),
  pause_on_failure: z.boolean().optional(),
  note: z.string().max(1000).optional(),
  limit: z.int().min(1).max(1_000_000).optional(),
  on: mapping.optional().describe('Whom to tell of its executions, as `metadata.on` of a playbook'),
  deadline_s: seconds
    .min(1)
    .optional()
    .describe('Seconds from the scheduled time after which an open execution is reported as late'),
});

const created = changes.extend({
  name,
  path: z.string().min(1).max(500).describe('`metadata.path` of the playbook'),
  payload: mapping.default({}),
  paused: z.boolean().optional(),
});

const noted = z.object({ note: z.string().max(1000).optional() });

const common = { errors: [404] } as const;

async function detailsOf(client: Client, name: string): Promise<ScheduleDetails> {
  return await scheduleDetails(client, await describeSchedule(client, name));
}

export const scheduleRoutes = [
  route('GET /api/schedules', {
    ...common,
    scope: 'read',
    summary: 'List schedules, each with its next times',
    query: z.object(pageOfQuery),
    answers: okAnswer(
      'A page',
      z.object({ schedules: z.array(scheduleSchema), pagination: paginationSchema }),
    ),
    async handle({ query: { page, page_size } }, { client }) {
      const some = await listSchedules(client, { offset: (page - 1) * page_size, limit: page_size + 1 });
      return {
        schedules: await scheduleDocuments(client, some.slice(0, page_size)),
        pagination: { page, page_size, has_next: some.length > page_size },
      };
    },
  }),
  route('POST /api/schedules', {
    ...common,
    scope: 'run',
    summary: 'Start a playbook on a schedule',
    description:
      'With cron lines, intervals and calendars, combined. Each start is an execution like any other; a schedule ' +
      'whose previous execution is still running follows `overlap`.',
    body: created,
    answers: okAnswer('Stored', keptSchedule, 201),
    errors: [409, 429],
    async handle({ body, principal }, { client, library }) {
      const by = principal.name;
      const warnings = await checkPayload(library, body, by);
      const schedule: NewSchedule = {
        ...body,
        by,
        version: body.version === undefined ? undefined : String(body.version),
        payload: body.payload as JsonObject,
        calendars: body.calendars as never,
        on: body.on && notificationsIn(body.on),
      };
      await withinShare(client, { name: body.name, by, times: schedule, isNew: true }, () =>
        createSchedule(client, schedule),
      );
      warnings.push(...(await doubtsOf(client, body.name, body)));
      return { ...(await detailsOf(client, body.name)), warnings };
    },
  }),
  route('POST /api/schedules/preview', {
    scope: 'run',
    summary: 'When a schedule with these times would start something; nothing is stored',
    body: changes.pick({
      cron: true,
      intervals: true,
      calendars: true,
      timezone: true,
      start_at: true,
      end_at: true,
    }),
    answers: okAnswer('Its times in words, and the next of them', schedulePreview),
    async handle({ body }, { client }) {
      const { times, next, warnings } = await previewSchedule(client, body as ScheduleTimes);
      return { times: [...times], next: [...next], warnings: [...warnings] };
    },
  }),
  route('PATCH /api/schedules/{name}', {
    scope: 'run',
    summary: 'Change a schedule: what is given, and nothing else',
    description:
      'With a cron line, an interval or a calendar, all its times are replaced. Its executions and counts stay. Its ' +
      'playbook cannot be changed.',
    params: path,
    body: changes,
    answers: okAnswer('The schedule', keptSchedule),
    errors: [404],
    async handle({ params, body, principal }, { client, library }) {
      const described = await describeSchedule(client, params.name);
      const before = inputIn(described.action);
      const { version = before.version, payload = before.payload, time_as = before.timeAs } = body;
      const now = { path: before.path, version, payload, time_as };
      const warnings = await checkPayload(library, now, principal.name);
      const given = {
        ...body,
        version: body.version === undefined ? undefined : String(body.version),
        calendars: body.calendars as never,
        on: body.on && notificationsIn(body.on),
      } as ScheduleChange;
      const change = () => updateSchedule(client, params.name, given);
      const share = { name: params.name, by: scheduleOwner(described), times: given, isNew: false };
      await (hasTimes(given) ? withinShare(client, share, change) : change());
      warnings.push(...(await doubtsOf(client, params.name, body)));
      return { ...(await detailsOf(client, params.name)), warnings };
    },
  }),
  route('GET /api/schedules/{name}', {
    ...common,
    scope: 'read',
    summary: 'A schedule, its next times, and the last executions it started',
    params: path,
    answers: okAnswer('The schedule', scheduleDetailsSchema),
    handle: ({ params }, { client }) => detailsOf(client, params.name),
  }),
  route('DELETE /api/schedules/{name}', {
    ...common,
    scope: 'run',
    summary: 'Delete a schedule; running executions continue',
    params: path,
    answers: okAnswer('Deleted', scheduleDone),
    async handle({ params }, { client }) {
      await deleteSchedule(client, params.name);
      forgetShare(client, params.name);
      return { name: params.name, status: 'deleted' };
    },
  }),
  ...(
    [
      ['pause', 'paused', pauseSchedule, 'Pause a schedule'],
      ['unpause', 'active', unpauseSchedule, 'Unpause a schedule'],
    ] as const
  ).map(([verb, status, act, says]) =>
    route(`POST /api/schedules/{name}/${verb}`, {
      ...common,
      scope: 'run',
      summary: says,
      params: path,
      body: noted,
      answers: okAnswer('Done', scheduleDone),
      async handle({ params, body }, { client }) {
        await act(client, params.name, body.note);
        return { name: params.name, status };
      },
    }),
  ),
  route('POST /api/schedules/{name}/trigger', {
    ...common,
    scope: 'run',
    summary: 'Start an execution now',
    params: path,
    body: z.object({ overlap: overlap.optional() }),
    answers: okAnswer(
      'The request was accepted; the execution appears in `runs` of the schedule',
      scheduleDone,
      202,
    ),
    async handle({ params, body }, { client }) {
      await triggerSchedule(client, params.name, body.overlap);
      return { name: params.name, status: 'triggered' };
    },
  }),
  route('POST /api/schedules/{name}/backfill', {
    scope: 'run',
    summary: 'Start the executions that were due between two times, inclusive',
    params: path,
    body: z.object({
      from: time,
      to: time,
      overlap: overlap.optional(),
      dry_run: z.boolean().default(false).describe('Only count them'),
    }),
    answers: okAnswer('The request was accepted', backfilledSchema, 202),
    errors: [404],
    async handle({ params, body }, { client }) {
      const span = { start: new Date(body.from), end: new Date(body.to) };
      const count = await countBackfill(client, params.name, span);
      if (!body.dry_run) await backfillSchedule(client, params.name, { ...span, overlap: body.overlap });
      return { name: params.name, status: body.dry_run ? 'counted' : 'backfilling', ...count };
    },
  }),
];

/**
 * Checks a payload as a submission would, and refuses secrets, because a schedule stores its payload unencrypted.
 * Each run uses the playbook's latest version at that time, and checks again (workflows/scheduled.ts).
 *
 * @returns warnings: workers may have playbooks that the catalog lacks
 */
async function checkPayload(
  library: Library,
  {
    path,
    version,
    payload,
    time_as: timeAs,
  }: Pick<z.output<typeof created>, 'path' | 'version' | 'payload' | 'time_as'>,
  caller: string,
): Promise<string[]> {
  const plan = await library.scheduled(path, version === undefined ? undefined : String(version), caller);
  if (Array.isArray(plan)) return plan;
  const [place] = plainSecretInputs(plan, payload as JsonObject);
  if (place !== undefined)
    throw invalidField(
      `body.payload.${shownPlace(place)}`,
      'SECRET_INPUT',
      `the input '${shownPlace(place)}' is secret, but a schedule stores its payload in plain text: ` +
        'let the playbook read it from its keychain',
    );
  // Any time serves as a placeholder for the scheduled one.
  const time = timeAs === undefined ? {} : { [timeAs]: new Date().toISOString() };
  const given = { ...payload, ...time } as JsonObject;
  refuseWrongInputs(plan.inputs, given);
  return unreadInputs(plan, given);
}

/** @throws FacadeError 422 that says what is wrong with the targets */
function notificationsIn(on: z.output<typeof created>['on']): Notifications | undefined {
  const { on: notifications, diagnostics } = parseNotifications(JSON.stringify(on));
  const [first] = diagnostics.filter(({ severity }) => severity === 'error');
  if (!first) return notifications;
  const { message, hint, path, code } = first;
  throw invalidField(
    `body.on.${path}`.replace(/\.$/, ''),
    code,
    hint === undefined ? message : `${message}: ${hint}`,
  );
}
