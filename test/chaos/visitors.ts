/** Whoever uses the service: submits executions, approves, pauses, resumes and cancels them, through any facade. */
import { setTimeout as sleep } from 'node:timers/promises';
import { nextRandom, type Seed, seedFrom } from '../../src/engine/machine/state/random';
import { type Program, PROGRAMS, SCHEDULED, SECRET } from './programs';

export interface Submission {
  readonly label: string;
  readonly program: Program;
  readonly id: string;
  /** A cancellation was asked for: it may have come too late. */
  readonly cancelled: boolean;
}

const CANCELLED = 0.08;
const PAUSED = 0.12;
const PATIENCE_MS = 8_000;
/** A request that did not arrive in time, and one of too many. */
const TOO_LATE = [408, 429];
const AGAIN_MS = 250;

export class Visitors {
  readonly submissions: Submission[] = [];
  /** Executions that were paused. */
  private readonly paused: string[] = [];
  private asked = 0;

  constructor(
    private readonly facades: readonly string[],
    private readonly target: string,
    private readonly seed: string,
  ) {}

  async register(): Promise<void> {
    for (const { yaml } of [...PROGRAMS, SCHEDULED])
      await this.post('/api/catalog/register', { content: yaml, resource_type: 'Playbook' });
  }

  /** Submits so many executions evenly over the time, and sees to each; resolves when nothing is left to be done. */
  async submit(count: number, seconds: number): Promise<void> {
    const began = Date.now();
    const random = seedFrom(`visitors ${this.seed}`);
    const all: Promise<void>[] = [];
    for (let number = 0; number < count; number++) {
      await sleep(Math.max(0, began + (number * seconds * 1000) / count - Date.now()));
      const visit = this.one(String(number), drawn(random), seedFrom(`${this.seed} ${number}`));
      visit.catch(() => undefined); // told below, when all have been submitted
      all.push(visit);
    }
    await Promise.all(all);
  }

  /** Starts executions that wait for their approval until what is returned is called. */
  async hold(count: number): Promise<() => Promise<void>> {
    const program = PROGRAMS.find(({ approved }) => approved)!;
    const labels = Array.from({ length: count }, (_, index) => `held-${index}`);
    const ids = await Promise.all(labels.map((label) => this.start(label, program)));
    labels.forEach((label, index) =>
      this.submissions.push({ label, program, id: ids[index]!, cancelled: false }),
    );
    return async () => {
      await Promise.all(labels.map((label, index) => this.approve(ids[index]!, label)));
    };
  }

  async schedule(): Promise<void> {
    const { path, everySeconds } = SCHEDULED;
    await this.post('/api/schedules', {
      ...{ name: 'chaos', path, intervals: [{ every_s: everySeconds }], time_as: 'at' },
      ...{ overlap: 'allow-all', catchup_s: 3600 },
    });
  }

  /** A pause whose answer was lost may have arrived after the resume that followed it. */
  async resumeAll(): Promise<void> {
    for (const id of this.paused) await this.post(`/api/executions/${id}/resume`, {});
  }

  async endSchedule(): Promise<void> {
    await this.ask('DELETE', '/api/schedules/chaos');
  }

  private async one(label: string, program: Program, random: Seed): Promise<void> {
    const id = await this.start(label, program);
    const fate = nextRandom(random);
    this.submissions.push({ label, program, id, cancelled: fate < CANCELLED });
    await sleep(nextRandom(random) * 5_000);
    if (fate < CANCELLED) {
      await this.post(`/api/executions/${id}/cancel`, { reason: 'chaos' });
      return;
    }
    if (fate < CANCELLED + PAUSED) {
      this.paused.push(id);
      await this.post(`/api/executions/${id}/pause`, {});
      await sleep(nextRandom(random) * 4_000);
      await this.post(`/api/executions/${id}/resume`, {});
    }
    if (program.approved) await this.approve(id, label);
  }

  private async start(label: string, program: Program): Promise<string> {
    const workload = { target: this.target, label, ...(program.name === 'secret' && { password: SECRET }) };
    const body = { path: `chaos/${program.name}`, workload };
    const { execution_id } = await this.post('/api/execute', body, `chaos-${label}`);
    return String(execution_id);
  }

  private async approve(id: string, label: string): Promise<void> {
    await this.post('/api/events', {
      ...{ execution_id: id, name: 'approved', event_id: `approved-${label}` },
      payload: { by: 'chaos' },
    });
  }

  private post(route: string, body: object, key?: string): Promise<Record<string, unknown>> {
    return this.ask('POST', route, body, key);
  }

  /**
   * Any facade, until one answers: what is asked may be asked twice. A refusal because it is over is an answer; one
   * because it took too long on a machine that has no time is none.
   */
  private async ask(
    method: string,
    route: string,
    body?: object,
    key?: string,
  ): Promise<Record<string, unknown>> {
    for (;;) {
      const facade = this.facades[this.asked++ % this.facades.length]!;
      const answer = await fetch(`${facade}${route}`, {
        method,
        headers: { 'content-type': 'application/json', ...(key && { 'idempotency-key': key }) },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(PATIENCE_MS),
      }).catch(() => undefined);
      const text = await answer?.text().catch(() => undefined);
      if (answer && text !== undefined) {
        const said = parsed(text);
        if (answer.ok || isOver(answer.status, said)) return said;
        const isLate = TOO_LATE.includes(answer.status) || said['code'] === 'TOO_EXPENSIVE';
        if (answer.status < 500 && !isLate) throw new Error(`${method} ${route}: ${answer.status} ${text}`);
      }
      await sleep(AGAIN_MS);
    }
  }
}

/** An execution that has ended cannot be steered, and a schedule that was made or ended before has been. */
function isOver(status: number, { code }: Record<string, unknown>): boolean {
  return status === 409 || code === 'EXECUTION_OVER' || code === 'SCHEDULE_NOT_FOUND';
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function drawn(random: Seed): Program {
  let left = nextRandom(random) * PROGRAMS.reduce((sum, { weight }) => sum + weight, 0);
  return PROGRAMS.find(({ weight }) => (left -= weight) < 0) ?? PROGRAMS[0]!;
}
