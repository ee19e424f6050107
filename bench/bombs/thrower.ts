/** Throws bombs as their authors would: registers, starts, sends, loses interest, cancels. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, WorkflowFailedError } from '@temporalio/client';
import { CancelledFailure } from '@temporalio/common';
import { seedFrom } from '../../src/engine/machine/state/random';
import { workflowId } from '../../src/language/plan';
import { type Bomb, bomb, documentOf, Draw, type Request } from './playbooks';
import { type Answer, send } from './rest';

/** After that long, its author has lost interest; then an endless one is cancelled. */
const INTEREST_MS = 20_000;
const PAUSE_MS = 300;
const LOOK_MS = 500;
/** How often all executions of a schedule are cancelled, and what they have to end meanwhile. */
const [CANCEL_TURNS, CANCEL_PAUSE_MS] = [20, 3_000];

export interface Thrown {
  readonly number: number;
  readonly kind: string;
  readonly at: number;
  readonly document: string;
  readonly ids: string[];
  /** `200`, `422 WORKLOAD_INVALID`, `COMPLETED`, `FAILED VALUE_TOO_LARGE`, `no answer`: how often each. */
  readonly outcomes: Record<string, number>;
}

export interface Around {
  readonly url: string;
  readonly token: string;
  readonly client: Client;
  readonly seed: string;
  readonly kinds?: readonly string[];
}

export class Thrower {
  readonly thrown: Thrown[] = [];
  /** Answers that nobody should get: 500 and more, none, or one that shows code. Its own jobs keep a caller waiting. */
  readonly bad: string[] = [];

  constructor(private readonly around: Around) {}

  async lane(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const number = this.thrown.length;
      const draw = new Draw(seedFrom(`${this.around.seed}/${number}`));
      const one = bomb(draw, this.around.kinds);
      const path = `bombs/b${number}`;
      const thrown: Thrown = {
        number,
        kind: one.kind,
        at: performance.now(),
        document: documentOf(one, path),
        ids: [],
        outcomes: {},
      };
      this.thrown.push(thrown);
      await this.throw(one, path, thrown, isOver);
      await sleep(draw.size(1, PAUSE_MS));
    }
  }

  private async throw(one: Bomb, path: string, thrown: Thrown, isOver: () => boolean): Promise<void> {
    const ask = (request: Request): Promise<Answer> => this.ask(thrown, request);
    await ask({ method: 'POST', path: '/api/catalog/register', body: { content: thrown.document } });
    const starts = Array.from({ length: one.starts ?? 1 }, async () => {
      const { text } = await ask({
        method: 'POST',
        path: '/api/execute',
        body: { path, ...(one.workload !== undefined && { workload: one.workload }) },
      });
      const id = /"execution_id":"(\d+)"/.exec(text)?.[1];
      if (id !== undefined) thrown.ids.push(id);
    });
    await Promise.all(starts);
    const schedules: string[] = [];
    for (const id of one.requests && thrown.ids.length === 0 ? ['1'] : thrown.ids)
      for (const request of one.requests?.(id) ?? []) {
        if (isOver()) break;
        const body = JSON.parse(
          JSON.stringify(request.body ?? null).replace('"PATH"', JSON.stringify(path)),
        ) as { name?: string } | null;
        if (request.path === '/api/schedules' && body?.name !== undefined) schedules.push(body.name);
        await ask({ ...request, ...(body !== null && { body }) });
      }
    await this.whileOfInterest(thrown, isOver);
    for (const name of schedules) await ask({ method: 'DELETE', path: `/api/schedules/${name}` });
    // Cancelled in any case: a bomb that cannot be cancelled is what is looked for.
    if (schedules.length > 0) await this.cancelAll(thrown, path);
    if (one.endless)
      await Promise.all(
        thrown.ids.map((id) =>
          ask({ method: 'POST', path: `/api/executions/${id}/cancel`, body: { cascade: true } }),
        ),
      );
  }

  /** Until there are none: those that started last are not in Temporal's list yet. */
  private async cancelAll(thrown: Thrown, path: string): Promise<void> {
    const body = { verb: 'cancel', where: `path=${path}`, rate: 100 };
    for (let turn = 0, quiet = 0; turn < CANCEL_TURNS && quiet < 2; turn++) {
      const { text } = await this.ask(thrown, { method: 'POST', path: '/api/bulk', body });
      quiet = /"total":0\b/.test(text) ? quiet + 1 : 0;
      await sleep(CANCEL_PAUSE_MS);
    }
  }

  private async whileOfInterest(thrown: Thrown, isOver: () => boolean): Promise<void> {
    let open = thrown.ids.length;
    let isGone = false;
    const ends = thrown.ids.map(async (id) => {
      const end = await this.endOf(id);
      if (isGone) return;
      open -= 1;
      count(thrown, end);
    });
    const all = Promise.all(ends).then(() => true);
    while (!isOver() && performance.now() - thrown.at < INTEREST_MS)
      if (await Promise.race([all, sleep(LOOK_MS, false)])) break;
    isGone = true;
    if (open > 0) count(thrown, 'open when its author lost interest', open);
  }

  /** Told by Temporal, as the honest are: who asks again and again would be a bomb of its own. */
  private async endOf(id: string): Promise<string> {
    try {
      await this.around.client.workflow.getHandle(workflowId(id)).result();
      return 'COMPLETED';
    } catch (error) {
      if (!(error instanceof WorkflowFailedError)) return String(error);
      if (error.cause instanceof CancelledFailure) return 'CANCELLED';
      return `FAILED ${(error.cause as { type?: string }).type}`;
    }
  }

  private async ask(thrown: Thrown, request: Request): Promise<Answer> {
    const answer = await send(this.around.url, this.around.token, request);
    const code = answer.status < 400 ? '' : ` ${/"code":"(\w+)"/.exec(answer.text)?.[1] ?? ''}`;
    count(thrown, answer.status === 0 ? 'no answer' : `${answer.status}${code}`);
    const isOurs = answer.status === 0 || (answer.status >= 500 && answer.status !== 501);
    if (isOurs || /\n\s+at .+:\d+:\d+/.test(answer.text))
      this.bad.push(
        `bomb ${thrown.number} (${thrown.kind}): ${request.method} ${request.path.slice(0, 120)}: ${answer.status} after ${Math.round(answer.ms)} ms: ${answer.text.slice(0, 300)}`,
      );
    return answer;
  }
}

function count({ outcomes }: Thrown, what: string, times = 1): void {
  outcomes[what] = (outcomes[what] ?? 0) + times;
}
