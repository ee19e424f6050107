/** Requests that change something are noted: who made them, what they are about, and what became of them. Never values. */
import { CodedError } from '../../language/errors';
import { isMapping } from '../../language/plan';
import { type Act, Acts } from '../store';
import { type Route, RouteReply } from './http/route';
import { type FacadeServices } from './services';

/** Name and version of the assistant; set by `noetl-temporal mcp`, and for sessions of `/mcp`. */
const ASSISTANT_HEADER = 'noetl-assistant';
/** Of what one request is about. */
const MOST_ABOUT = 1_000;
const LONGEST = 600;

type Names = Readonly<Record<string, string>>;

interface NotedCall {
  readonly body: unknown;
  readonly params?: Names;
  readonly principal: { readonly name: string };
  readonly request: { get(name: string): string | undefined; readonly ip?: string };
}

/** Notes an act; where that fails, what was done is done all the same. */
export function noteAct(
  { database, report }: Pick<FacadeServices, 'database' | 'report'>,
  act: Act,
): Promise<void> {
  return new Acts(database).note(act).catch(report);
}

/** The handler of a route; of one that changes something, noting what it was asked for. */
export function noted(
  route: Pick<Route, 'scope' | 'method' | 'path' | 'acts'>,
  services: Pick<FacadeServices, 'database' | 'report'>,
  handle: Route['handle'],
): Route['handle'] {
  const { scope, method, acts = scope === 'run' || scope === 'admin' } = route;
  if (!acts || method === 'get') return handle;
  return async (request) => {
    const call = request as unknown as NotedCall;
    if (isMapping(call.body) && call.body['dry_run'] === true) return await handle(request);
    let answer: unknown;
    let code: string | null = null;
    try {
      return (answer = await handle(request));
    } catch (error) {
      code = error instanceof CodedError ? error.code : 'INTERNAL';
      throw error;
    } finally {
      await noteAct(services, actOf(route, call, answer, code));
    }
  };
}

function actOf(
  route: Pick<Route, 'method' | 'path'>,
  { params = {}, body, principal, request }: NotedCall,
  answer: unknown,
  code: string | null,
): Act {
  return {
    principal: principal.name,
    assistant: request.get(ASSISTANT_HEADER)?.slice(0, 100) ?? null,
    remote: request.ip ?? null,
    request: requestOf(route, params),
    about: aboutOf(params, body, answer instanceof RouteReply ? answer.body : answer),
    code,
  };
}

/** Of a path that says what is done, the words that it can be done with. */
const VERBS = ['action', 'verb'];

function requestOf({ method, path }: Pick<Route, 'method' | 'path'>, params: Names): string {
  const named = path.replace(/\{(\w+)\}/g, (all, name: string) =>
    VERBS.includes(name) ? params[name]! : all,
  );
  return `${method.toUpperCase()} ${named}`;
}

/** Fields of requests and answers that name something. */
const NAMES = [
  'execution_id',
  'bulk_id',
  'path',
  'name',
  'verb',
  'subscription_id',
  'ids',
  'executions',
  'results',
];

function aboutOf(params: Names, ...documents: readonly unknown[]): string[] {
  const own = Object.entries(params).flatMap(([name, value]) => (VERBS.includes(name) ? [] : [value]));
  const named = documents
    .filter(isMapping)
    .flatMap((one) => [
      ...NAMES.flatMap((name) => one[name]).map((part) => (isMapping(part) ? part['execution_id'] : part)),
      typeof one['version'] === 'number' && `version ${one['version']}`,
    ]);
  const texts = [...own, ...named].filter((one): one is string => typeof one === 'string' && one !== '');
  return [...new Set(texts.map((one) => one.slice(0, LONGEST).replaceAll('\0', '')))].slice(0, MOST_ABOUT);
}
