/** `POST /api/execute`, `/api/execute/batch`: start executions of playbooks of the catalog. */
import { type Response } from 'express';
import { z } from 'zod';
import { unreadInputs } from '../../../language/dsl';
import { compact, DEFAULT_POOL, groupBy, type JsonObject } from '../../../language/plan';
import { workerSigns } from '../../../temporal/client';
import { SUBMISSION_KEPT_SECS } from '../../store';
import { fromOutside } from '../http/outside';
import { parsed } from '../http/parsed';
import { chargeAgain } from '../http/rate-limit';
import { type Principal } from '../http/route';
import { Turns } from '../http/turns';
import { type RouteServices } from '../services';
import { idempotencyKey } from '../submit/key';
import { executedOf, playbookParam, referenceBody } from './catalog/documents';
import { startedBatch, startedExecution } from '../documents/executions';
import { type StartedDocument } from '../documents';
import {
  boundedText,
  FacadeError,
  invalidField,
  labelMapping,
  mapping,
  okAnswer,
  route,
  type FacadeRoute,
} from './declare';

/** The three names that clients use for the input of an execution. */
const PAYLOADS = ['workload', 'payload', 'input'] as const;

const executeBody = referenceBody.extend({
  playbook_id: playbookParam.nullish().describe('A path, or the id of an entry: another name of either'),
  workload: mapping.nullish().describe('Values merged over the workload of the playbook'),
  payload: mapping.nullish().describe('Alias of `workload`'),
  input: mapping.nullish().describe('Alias of `workload`'),
  labels: labelMapping.nullish(),
  parent_execution_id: z
    .union([z.string().regex(/^\d{0,19}$/, 'is not an execution id'), z.int().min(0)])
    .nullish()
    .describe('The execution that starts this one'),
  resource_kind: z.string().max(100).nullish().describe('The kind of resource: `playbook` or `agent`'),
  execution_pool: z
    .string()
    .regex(/^[A-Za-z0-9][\w.-]{0,99}$/, 'is not a name of a pool of workers (worker --pool)')
    .nullish()
    .describe('The pool of workers of all its tasks that name none; sub-playbooks have their own'),
  trace: z
    .looseObject({ traceparent: z.string().max(200).nullish(), tracestate: z.string().max(512).nullish() })
    .nullish()
    .describe('The trace that it continues (W3C), instead of that of the request; `baggage` is not kept'),
  dedup: z
    .object({
      key: boundedText(500).min(1),
      window_secs: z.int().min(1).max(SUBMISSION_KEPT_SECS).default(300),
    })
    .nullish()
    .describe(
      'One execution for each key and `parent_execution_id` within the time; further requests are answered ' +
        'with `duplicate` and its id',
    ),
});
type ExecuteBody = z.output<typeof executeBody>;

const MAX_BATCH = 1000;
const batchBody = z.object({
  executions: z
    .array(mapping)
    .min(1)
    .max(MAX_BATCH)
    .describe('Bodies of `POST /api/execute`, each accepted or refused for itself'),
});
/** Executions of a batch that are started at a time; those with a key one after the other, so that the first is first. */
const LANES = 8;

export function executeRoutes(services: RouteServices): readonly FacadeRoute[] {
  const starting = new Starting(services);
  const turns = new Turns(1);
  return [
    route('POST /api/execute', {
      scope: 'run',
      summary: 'Start an execution of a playbook in the catalog',
      description:
        'The playbook is named by `path` (the latest version, or `version`), `catalog_id`, or as `path` (or `playbook_id`): ' +
        '`catalog://name@version`, `pbk_<catalog_id>`. With the header `Idempotency-Key`, the same request can be sent ' +
        'again, to any facade, also after a crash, and refers to the same execution; a different request with that key returns 409.',
      body: executeBody,
      answers: okAnswer('It began, or began before', startedExecution),
      errors: [404, 409, 503],
      async handle({ body, principal, request, response }) {
        const key = idempotencyKey(request);
        if (key !== undefined && body.dedup)
          throw invalidField(
            'body.dedup',
            'VALIDATION',
            'body.dedup: the request has the header Idempotency-Key: give one of the two',
          );
        const { document, replayed } = await starting.start(body, principal, key);
        if (replayed) response.set('idempotent-replayed', 'true');
        return document;
      },
    }),
    route('POST /api/execute/batch', {
      scope: 'run',
      summary: 'Start up to 1,000 executions',
      description:
        'Each is accepted or refused for itself. To repeat a batch safely, give each execution a `dedup`. One batch of a ' +
        'caller is started at a time, and each execution counts as a request.',
      body: batchBody,
      answers: okAnswer('What became of each, in order', startedBatch),
      errors: [503],
      handle: ({ body, principal, response }) =>
        turns.take(principal.name, () => starting.batch(body.executions, principal, response)),
    }),
  ];
}

class Starting {
  constructor(private readonly services: RouteServices) {}

  async start(
    body: ExecuteBody,
    principal: Principal,
    key?: string,
  ): Promise<{ document: StartedDocument; replayed: boolean }> {
    const given = PAYLOADS.map((name) => body[name]).find((value) => value !== null && value !== undefined);
    const payload = (given ?? {}) as JsonObject;
    const { trace, dedup, parent_execution_id: parent } = body;
    const [pool, labels] = [body.execution_pool ?? undefined, body.labels ?? undefined];
    const { submitter, within, library } = this.services;
    const submit = () =>
      submitter.submit({
        reference: executedOf(body),
        payload,
        ...(parent ? { parentExecutionId: String(parent) } : {}),
        ...(dedup && { dedup: { key: dedup.key, windowSecs: dedup.window_secs } }),
        principal: principal.name,
        ...compact({ key, pool, labels }),
      });
    const { executionId, entry, replayed } = await (trace && within ? within(trace, submit) : submit());
    const isDuplicate = Boolean(dedup) && replayed;
    if (!replayed) this.services.starts.emit(`by ${principal.name}`, executionId);
    const document = {
      execution_id: executionId,
      status: isDuplicate ? ('duplicate' as const) : ('started' as const),
      commands_generated: isDuplicate ? 0 : 1,
      catalog_id: entry.catalog_id,
      path: entry.path,
      version: entry.version,
      workflow_id: `noetl-${executionId}`,
      warnings: isDuplicate
        ? []
        : [
            ...unreadInputs(await library.planOf(entry, principal.name), payload),
            ...(await this.unserved(pool)),
            ...(trace && !within ? ['trace: traces are not enabled at this server'] : []),
          ],
    };
    return { document, replayed: replayed && key !== undefined };
  }

  async batch(bodies: readonly Record<string, unknown>[], principal: Principal, response: Response) {
    // What is away for one is away for the others, and each would wait for it.
    let away: FacadeError | undefined;
    const outcome = async ([index, given]: readonly [number, Record<string, unknown>]) => {
      try {
        if (away) throw away;
        if (index > 0) await chargeAgain(response);
        const body = parsed(executeBody, given, `body.executions.${index}`)!;
        const { status, execution_id, commands_generated } = (await this.start(body, principal)).document;
        return { index, status, execution_id, commands_generated };
      } catch (error) {
        const refusal = error instanceof FacadeError ? error : fromOutside(error);
        if (refusal?.status === 503) away = refusal;
        if (!refusal) this.services.report(error);
        const { code, message } = refusal ?? { code: 'INTERNAL', message: 'an internal error occurred' };
        return { index, status: 'error' as const, commands_generated: 0, error: message, code };
      }
    };
    const lanes = groupBy(bodies.entries(), ([index, { dedup }]) => (dedup ? 0 : index % LANES));
    const inTurn = async (lane: Parameters<typeof outcome>[0][]) => {
      const done = [];
      for (const one of lane) done.push(await outcome(one));
      return done;
    };
    const ended = await Promise.all([...lanes.values()].map(inTurn));
    const results = ended.flat().sort((a, b) => a.index - b.index);
    const count = (word: string): number => results.filter(({ status }) => status === word).length;
    const [started, duplicates, failed] = ['started', 'duplicate', 'error'].map(count);
    return { count: results.length, started, duplicates, failed, results };
  }

  /** Doubts about a pool: its workers may be started when tasks wait. */
  private async unserved(pool: string | undefined): Promise<string[]> {
    if (pool === undefined || pool === DEFAULT_POOL) return [];
    const { queues } = await workerSigns(this.services.client);
    if (queues.length === 0 || queues.some((name) => name.startsWith(`noetl-${pool}-`))) return [];
    return [
      `execution_pool: the pool '${pool}' has no worker now: tasks wait for one (noetl-temporal worker --pool ${pool})`,
    ];
  }
}
