/** A keychain for each test of a file, by a clock that the test moves, and a service that issues tokens as it says. */
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import { runHidden } from '../../activities/framework/activity/activity';
import { closeAgents } from '../../activities/framework/http/agents';
import { Keychain, MemoryCache } from '../../activities/framework/keychain';
import { succeeded } from '../../activities/framework/tool/outcome';
import { type Tool } from '../../activities/framework/tool/tool';
import {
  type Json,
  type JsonObject,
  type Outcome,
  secretHandle,
  type SecretEntry,
  type Secrets,
} from '../../src/language/plan';
import { call, context, type TestContext } from './tool-call';

export const CANARY = 'canary-of-the-keychain-77';

export interface Answer {
  readonly status: number;
  readonly body: object | string;
}

export interface TokenService {
  readonly url: string;
  /** Requests of this test. */
  readonly asked: readonly { headers: http.IncomingHttpHeaders; method: string; body: string }[];
  /** One for each request, the last one for all that follow; at first a token that names the request's number. */
  answers: (() => Answer)[];
}

export interface Used {
  /** What the tool got. */
  readonly value: Json | undefined;
  readonly outcome: Outcome;
  /** All that left the activity. */
  readonly told: string;
}

export interface UsedKeychain {
  readonly service: TokenService;
  /** In milliseconds; the same moment at the start of every test. */
  readonly clock: { now: number };
  keychain(): Keychain;
  /** Gives a tool the whole entry, or a field of it. @param more other secrets of the task */
  used(entry: SecretEntry, field?: string, ctx?: TestContext, more?: Secrets): Promise<Used>;
}

export function entryOf(kind: string, config: JsonObject, more: Partial<SecretEntry> = {}): SecretEntry {
  return { name: 'entry', kind, config, execution_id: '1', ...more };
}

/** Called once in a test file: starts and stops the service. */
export function useKeychain(): UsedKeychain {
  const service = useTokenService();
  const clock = { now: 0 };
  let keychain: Keychain;
  beforeEach(() => {
    clock.now = 1_700_000_000_000;
    keychain = new Keychain(new MemoryCache(() => clock.now), () => clock.now);
  });
  return {
    service,
    clock,
    keychain: () => keychain,
    async used(entry, field, ctx = context(), more = {}) {
      const seen: JsonObject[] = [];
      // Answers with what it was given, in the open: what leaves is what the redactor let through.
      const tell: Tool = {
        kind: 'fake',
        run: (given) => (seen.push(given.config), Promise.resolve(succeeded({ given: given.config }))),
      };
      const secrets: Secrets = { ...more, e: { entry } };
      const task = call('fake', { v: secretHandle('e', field) }, { secrets });
      const outcome = await runHidden(tell, task, { ...ctx, keychain }, ctx.signal);
      return { value: seen.at(-1)?.['v'], outcome, told: JSON.stringify([outcome, ctx.lines, ctx.beats]) };
    },
  };
}

function useTokenService(): TokenService {
  let url: string;
  let asked: TokenService['asked'][number][] = [];
  let answers: TokenService['answers'] = [];
  const server = http.createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      asked.push({ headers: request.headers, method: request.method!, body });
      const { status, body: said } = (answers.length > 1 ? answers.shift()! : answers[0]!)();
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(typeof said === 'string' ? said : JSON.stringify(said));
    });
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await closeAgents();
  });
  beforeEach(() => {
    asked = [];
    answers = [
      () => ({
        status: 200,
        body: { access_token: `${CANARY}-${asked.length}`, expires_in: 3600, token_type: 'Bearer' },
      }),
    ];
  });
  return {
    get url() {
      return url;
    },
    get asked() {
      return asked;
    },
    get answers() {
      return answers;
    },
    set answers(of) {
      answers = of;
    },
  };
}
