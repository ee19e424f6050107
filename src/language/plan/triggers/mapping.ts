/** From a message to what is started for it: pure, for processes and rehearsals alike. */
import { evaluate, type TemplateEnvironment, TemplateError, truthOfCondition } from '../../template/runtime';
import { compact } from '../compact';
import { isMapping, type Json, type JsonObject } from '../json';
import { type RunLabels } from '../labels';
import { type PlanValue } from '../value';
import { type TriggerDirective, type TriggerMessage, type TriggerPlan } from './plan';

/** Names that templates of a trigger see. */
export const MESSAGE_NAMES = ['message', 'subscription', 'source'] as const;

export interface AppliedDirective {
  readonly header: string;
  readonly controls: string;
  readonly effective_value: string;
}

/** What a message starts. */
export interface MessageStart {
  readonly playbook: string;
  readonly version?: string;
  readonly pool?: string;
  readonly payload: JsonObject;
  readonly labels?: RunLabels;
  /** The author's key; absent: the message's own id. */
  readonly key?: string;
  readonly applied: readonly AppliedDirective[];
  /** Headers of W3C that its execution continues. */
  readonly trace?: Readonly<Record<string, string>>;
}

/**
 * @returns undefined if the filter leaves it out
 * @throws TemplateError of a template of the trigger
 */
export function messageStart(
  plan: TriggerPlan,
  message: TriggerMessage,
  environment: TemplateEnvironment,
): MessageStart | undefined {
  const { dispatch, metadata, source } = plan;
  const text = typeof message.data === 'string' ? message.data : JSON.stringify(message.data);
  const whole = { ...message, body: message.data, json: message.data, text };
  const names: Record<string, unknown> = { message: whole, subscription: metadata.path, source };
  const scope = { lookup: (name: string) => (Object.hasOwn(names, name) ? names[name] : undefined) };
  const valueOf = (value: PlanValue): Json => {
    if ('const' in value) return value.const;
    if ('template' in value) return (evaluate(value.template, scope, environment) ?? null) as Json;
    if ('list' in value) return value.list.map(valueOf);
    return Object.fromEntries(value.map.map(([key, one]) => [key, valueOf(one)]));
  };
  const { where, key, workload } = dispatch;
  if (where && !truthOfCondition(evaluate(where, scope, environment))) return undefined;
  const { applied, by } = applyDirectives(plan.directives, message.headers);
  const given = key && evaluate(key, scope, environment);
  if (key) refuseEmpty(given);
  const hints = compact({ idempotency_key: by['idempotency_key'], content_type: by['content_type'] });
  const official = (): JsonObject =>
    ({
      ...primaryOf(dispatch.payloadFrom, message, text),
      ...hints,
      message,
      subscription: metadata.path,
      source,
    }) as unknown as JsonObject;
  const payload = workload ? (valueOf(workload) as JsonObject) : official();
  return {
    playbook: by['dispatch.playbook'] ?? dispatch.playbook,
    payload,
    applied,
    ...compact({
      labels: metadata.labels,
      version: by['dispatch.playbook'] === undefined ? dispatch.version : undefined,
      pool: by['dispatch.execution_pool'] ?? by['priority'] ?? dispatch.pool,
      key: given === undefined ? by['idempotency_key'] : keyText(given),
      trace: plan.trace && traceOf(message.headers, plan.trace.baggage),
    }),
  };
}

function refuseEmpty(key: unknown): void {
  if (key === undefined || key === null || key === '')
    throw new TemplateError('undefinedValue', '`dispatch.key` is empty for this message');
}

function keyText(given: unknown): string {
  return typeof given === 'string' ? given : JSON.stringify(given);
}

/** What official engines spread to the top level of the workload. */
function primaryOf(from: string, message: TriggerMessage, text: string): JsonObject {
  const primary =
    from === 'message.attributes' ? message.attributes : from === 'message.body' ? text : message.data;
  return isMapping(primary) ? (primary as JsonObject) : { body: primary };
}

/** Only listed headers instruct; a value that is not allowed is ignored. */
function applyDirectives(
  directives: readonly TriggerDirective[],
  headers: TriggerMessage['headers'],
): { applied: AppliedDirective[]; by: Partial<Record<string, string>> } {
  const applied: AppliedDirective[] = [];
  for (const { header, controls, allowed, map } of directives) {
    const given = lastHeader(headers[header]);
    if (given === undefined || (allowed && !allowed.includes(given))) continue;
    const value = map ? (Object.hasOwn(map, given) ? map[given] : undefined) : given;
    if (value !== undefined && value !== '') applied.push({ header, controls, effective_value: value });
  }
  return { applied, by: Object.fromEntries(applied.map((one) => [one.controls, one.effective_value])) };
}

export function lastHeader(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'object' ? value.at(-1) : value;
}

function traceOf(
  headers: TriggerMessage['headers'],
  allowed: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const traceparent = lastHeader(headers['traceparent']);
  if (!/^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/.test(traceparent ?? '')) return undefined;
  const entries = (lastHeader(headers['baggage']) ?? '').split(',').map((one) => one.trim());
  const baggage = entries.filter((one) => allowed.includes(one.split('=')[0]!.trim())).join(',');
  const tracestate = lastHeader(headers['tracestate']);
  return { traceparent: traceparent!, ...compact({ tracestate }), ...(baggage && { baggage }) };
}
