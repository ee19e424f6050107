/** What assistants at this facade reach: its own routes, as the token that they came with, and histories of its Temporal. */
import { setTimeout as sleep } from 'node:timers/promises';
import { CodedError, messageOf } from '../../../language/errors';
import { type AssistantReach, type AssistantTool, type RestCall } from '../../../service/assistant';
import { answersFor, heapMb, readingSurroundings } from '../../reading/host';
import { type Answers } from '../../threads';
import { pagesOf } from '../executions/ids';
import { called } from '../http/called';
import { FacadeError } from '../http/errors';
import { fromOutside } from '../http/outside';
import { type Principal, type Route } from '../http/route';
import { type FacadeServices } from '../services';
import { FACADE_THREAD_LIMITS, threadFile, Threads, tooExpensive } from '../threads/threads';
import { type AssistantJobs, facadeReach, type HostReply } from './jobs';

/** A verification decides up to 200 executions anew. */
const LIMITS = { ...FACADE_THREAD_LIMITS, jobMs: 60_000, heapMb: heapMb(), tooLarge: tooExpensive };
/** For answers that are being derived. */
const PATIENCE_MS = 60_000;

export class AssistantDesk {
  private threads: Threads<AssistantJobs> | undefined;

  constructor(
    private readonly services: Pick<FacadeServices, 'client' | 'kinds'>,
    private readonly routes: () => readonly Route[],
  ) {}

  reach(principal: Principal, assistant: string): AssistantReach {
    return {
      kinds: this.services.kinds ?? new Map(),
      ...facadeReach((path, call) => this.ask(principal, assistant, path, call)),
      history: () => Promise.reject(new CodedError('INTERNAL', 'histories are read in threads')),
    };
  }

  /** Does a tool's work in a thread. @throws CodedError of the tool; FacadeError if it takes too much */
  async perform(
    tool: AssistantTool,
    input: Readonly<Record<string, unknown>>,
    who: { readonly principal: Principal; readonly assistant: string },
  ): Promise<unknown> {
    const { client, kinds } = this.services;
    const surroundings = { kinds, ...readingSurroundings(client) };
    this.threads ??= new Threads<AssistantJobs>(surroundings, LIMITS, threadFile('../assistant/thread.js'));
    const answers = this.answers(who.principal, who.assistant);
    return await this.threads.run('tool', { tool: tool.name, input }, who.principal.name, { answers });
  }

  close(): void {
    this.threads?.close();
  }

  private answers(principal: Principal, assistant: string): Answers {
    const { client } = this.services;
    const readers = new Map<string, Answers>();
    return {
      rest: ({ path, call }: { path: string; call?: RestCall }) =>
        replied(() => this.ask(principal, assistant, path, call)),
      history: ({ id, what, about }: { id: string; what: string; about: unknown }) =>
        replied(() => {
          const own =
            readers.get(id) ??
            answersFor(client, () => pagesOf(client, id), { history_events: 0, events: 0 });
          readers.set(id, own);
          return own[what]?.(about as never);
        }),
    };
  }

  private async ask<T>(
    principal: Principal,
    assistant: string,
    path: string,
    { method, body }: RestCall = {},
  ): Promise<T> {
    const headers = { 'noetl-assistant': assistant };
    const request = {
      headers,
      ...(method && { method }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    const permit = (route: Route): void => refuseWithout(principal, route);
    for (const until = Date.now() + PATIENCE_MS; ;) {
      const response = await called(this.routes(), path, request, { principal, permit });
      const answer = await response.json();
      const again = response.headers.get('retry-after');
      if (response.status !== 202 || again === null) return answer as T;
      if (Date.now() > until)
        throw new CodedError('DERIVING', 'the history is long and still being read: ask again in a minute');
      await sleep(Math.min(Number(again), 5) * 1000);
    }
  }
}

/** @throws FacadeError 403 */
function refuseWithout({ name, scopes }: Principal, { scope }: Route): void {
  if (scope === 'public' || scopes.includes(scope)) return;
  throw new FacadeError(403, 'SCOPE_MISSING', `the token "${name}" lacks the scope ${scope}`, { scope });
}

async function replied(act: () => unknown): Promise<HostReply> {
  try {
    return { value: await act() };
  } catch (error) {
    const coded = error instanceof CodedError ? error : fromOutside(error);
    if (!coded) throw error;
    return { error: { code: coded.code, message: messageOf(coded), hint: coded.hint } };
  }
}
