/**
 * One limit of 1, many executions, two facades and two workers that are killed again and again: whoever is inside is
 * alone, all get their turn, and in the order in which they asked.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client } from '@temporalio/client';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import { type temporal } from '@temporalio/proto';
import { nextRandom, seedFrom } from '../../src/engine/machine/state/random';
import { type LimitAnswer, type LimitRequest } from '../../src/language/plan';
import { workflowId } from '../../src/temporal/client';
import { CLI, type Running, start } from './process';

const PLAYBOOK = 'chaos/alone';
const KEEPER = `noetl-limit:concurrency:${PLAYBOOK}:door`;

export interface ChaosOptions {
  readonly executions: number;
  /** Of workers and facades, by SIGKILL. */
  readonly kills: number;
  /** Of executions that hold the limit, by Temporal. */
  readonly terminations: number;
  readonly seed: string;
  /** A folder for what executions write. */
  readonly folder: string;
  readonly client: Client;
  readonly env: NodeJS.ProcessEnv;
}

export interface ChaosReport {
  readonly ended: number;
  readonly terminated: number;
  readonly killed: { readonly workers: number; readonly facades: number };
  /** Executions inside at once, at most: as the tools saw it, and as the keeper did. */
  readonly inside: { readonly tools: number; readonly keeper: number };
  /** The first execution that was granted a place before one that had asked earlier. */
  readonly outOfOrder?: string;
  readonly keeperRuns: number;
  readonly seconds: number;
}

export async function limitsChaos(options: ChaosOptions): Promise<ChaosReport> {
  const chaos = new Chaos(options);
  try {
    return await chaos.run();
  } finally {
    await chaos.stop();
  }
}

interface InUse {
  readonly holders: readonly object[] | null;
  readonly waiting: readonly object[] | null;
}

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

class Chaos {
  private readonly log: string;
  private readonly workers: Running[] = [];
  private readonly facades: { running: Running; url: string }[] = [];
  private readonly killed = { workers: 0, facades: 0 };
  private readonly ids = new Set<string>();
  private readonly terminated = new Set<string>();

  constructor(private readonly options: ChaosOptions) {
    this.log = path.join(options.folder, 'visits.log');
    fs.writeFileSync(this.log, '');
  }

  async run(): Promise<ChaosReport> {
    const { executions } = this.options;
    for (const index of [0, 1]) this.startWorker(index);
    await Promise.all([0, 1].map((index) => this.startFacade(index)));
    await this.post('/api/catalog/register', { content: this.playbook(), resource_type: 'Playbook' });
    const began = Date.now();
    await Promise.all([this.submit(), this.kill(), this.terminate(), this.look()]);
    while ((await this.running()) > 0 || this.ids.size < executions) await sleep(200);
    return {
      ended: this.ids.size,
      terminated: this.terminated.size,
      killed: this.killed,
      keeperRuns: (await this.keeperRuns()).length,
      ...(await this.verdict()),
      seconds: Math.round((Date.now() - began) / 1000),
    };
  }

  async stop(): Promise<void> {
    const all = [...this.workers, ...this.facades.map(({ running }) => running)];
    for (const { child } of all) child.kill('SIGKILL');
    await Promise.all(all.map(({ finished }) => finished));
  }

  private playbook(): string {
    const say = (what: string): string => `echo "${what} {{ execution_id }}" >> ${this.log}`;
    return `
apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: alone, path: ${PLAYBOOK}}
executor: {spec: {concurrency: {key: door, limit: 1}}}
workflow:
- step: start
  tool: {kind: shell, cmds: ['${say('in')}; sleep 0.05; ${say('out')}']}
`;
  }

  private startWorker(index: number): void {
    const args = [CLI, 'worker', '--workflows', '--kinds', 'shell'];
    this.workers[index] = start(process.execPath, args, { ...this.options.env, NOETL_SANDBOX: 'none' });
  }

  private async startFacade(index: number): Promise<void> {
    const running = start(process.execPath, [CLI, 'serve', '--no-auth', '--port', '0'], this.options.env);
    await running.says(/"msg":"serving"/, 60_000);
    this.facades[index] = { running, url: /"url":"([^"]+)"/.exec(running.output())![1]! };
  }

  /** Any facade, until one answers: the key makes repetitions harmless. */
  private async post(route: string, body: unknown, key?: string): Promise<Record<string, unknown>> {
    for (let n = this.ids.size; ; n++) {
      try {
        const answer = await fetch(`${this.facades[n % 2]!.url}${route}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...(key && { 'idempotency-key': key }) },
          body: JSON.stringify(body),
          signal: AbortSignal.timeout(10_000),
        });
        if (answer.ok) return (await answer.json()) as Record<string, unknown>;
        if (answer.status < 500 && answer.status !== 409) throw new Error(`${route}: ${await answer.text()}`);
      } catch (error) {
        if (error instanceof Error && error.message.startsWith(route)) throw error;
      }
      await sleep(100);
    }
  }

  private async submit(): Promise<void> {
    const { executions, seed } = this.options;
    const left = Array.from({ length: executions }, (_, n) => n);
    const next = async (): Promise<void> => {
      for (let n = left.shift(); n !== undefined; n = left.shift()) {
        const { execution_id } = await this.post('/api/execute', { path: PLAYBOOK }, `${seed}-${n}`);
        this.ids.add(String(execution_id));
      }
    };
    await Promise.all(Array.from({ length: 8 }, next));
  }

  /** Who waits for whom, as REST says it: at some time somebody holds the key, and others wait. */
  private async look(): Promise<void> {
    for (;;) {
      const answer = await fetch(`${this.facades[0]!.url}/api/limits?scope=${PLAYBOOK}`).catch(
        () => undefined,
      );
      const { limits } = ((await answer?.json().catch(() => undefined)) ?? {}) as { limits?: InUse[] };
      const [inUse] = limits ?? [];
      if (inUse?.holders?.length === 1 && (inUse.waiting?.length ?? 0) > 0) return;
      await sleep(100);
    }
  }

  private visits(): string[] {
    return fs.readFileSync(this.log, 'utf8').split('\n').filter(Boolean);
  }

  /** The number of executions that were inside by now. */
  private get progress(): number {
    return new Set(this.visits().map((line) => line.split(' ')[1])).size;
  }

  /** Kills somebody after every so many executions, and starts it again. */
  private async kill(): Promise<void> {
    const { kills, executions } = this.options;
    const random = seedFrom(this.options.seed);
    for (let n = 1; n <= kills; n++) {
      while (this.progress < (n * executions) / (kills + 1)) await sleep(20);
      await sleep(nextRandom(random) * 100);
      const index = nextRandom(random) < 0.5 ? 0 : 1;
      if (n % 2 === 1) {
        this.workers[index]!.child.kill('SIGKILL');
        this.killed.workers++;
        this.startWorker(index);
      } else {
        this.facades[index]!.running.child.kill('SIGKILL');
        this.killed.facades++;
        await this.startFacade(index);
      }
    }
  }

  /** An execution that is terminated while it is inside never says that it has left. */
  private async terminate(): Promise<void> {
    const { terminations, executions, client } = this.options;
    for (let n = 1; n <= terminations; n++) {
      while (this.progress < ((n - 0.5) * executions) / terminations) await sleep(20);
      const [, id] = this.visits().at(-1)!.split(' ') as [string, string];
      const isGone = await client.workflow
        .getHandle(workflowId(id))
        .terminate('chaos')
        .then(
          () => true,
          () => false,
        );
      if (isGone) this.terminated.add(id);
    }
  }

  private async running(): Promise<number> {
    const query = `NoetlPlaybook = '${PLAYBOOK}' AND ExecutionStatus = 'Running'`;
    return (await this.options.client.workflow.count(query)).count;
  }

  private async keeperRuns(): Promise<string[]> {
    const runs: { runId: string; at: number }[] = [];
    for await (const { runId, startTime } of this.options.client.workflow.list({
      query: `WorkflowId = '${KEEPER}'`,
    }))
      runs.push({ runId, at: startTime.getTime() });
    return runs.sort((a, b) => a.at - b.at).map(({ runId }) => runId);
  }

  private async verdict(): Promise<Pick<ChaosReport, 'inside' | 'outOfOrder'>> {
    const asked = new Set<string>();
    const granted = new Set<string>();
    const holders = new Set<string>();
    let keeper = 0;
    for (const runId of await this.keeperRuns()) {
      const { events } = await this.options.client.workflow.getHandle(KEEPER, runId).fetchHistory();
      for (const event of events ?? []) {
        const { asks, leaves, grants } = await this.messageIn(event);
        if (asks) asked.add(asks);
        if (leaves) holders.delete(leaves);
        if (!grants || granted.has(grants)) continue;
        granted.add(grants);
        for (const id of holders) if (this.terminated.has(id)) holders.delete(id);
        holders.add(grants);
        keeper = Math.max(keeper, holders.size);
      }
    }
    const order = [...asked].filter((id) => granted.has(id));
    const outOfOrder = [...granted].find((id, index) => order[index] !== id);
    return { inside: { tools: this.insideAtOnce(), keeper }, ...(outOfOrder && { outOfOrder }) };
  }

  /** Whoever was inside is so from the first to the last line that it wrote, whatever was repeated. */
  private insideAtOnce(): number {
    const lines = this.visits().map((line) => line.split(' ')[1]!);
    const [first, last] = [new Map<string, number>(), new Map<string, number>()];
    for (const [place, id] of lines.entries()) {
      if (!first.has(id)) first.set(id, place);
      last.set(id, place);
    }
    const isInside = (id: string, place: number): boolean =>
      first.get(id)! <= place && last.get(id)! >= place;
    return Math.max(...lines.map((_, place) => [...first.keys()].filter((id) => isInside(id, place)).length));
  }

  private async messageIn(event: HistoryEvent): Promise<{ asks?: string; leaves?: string; grants?: string }> {
    const signaled = event.workflowExecutionSignaledEventAttributes;
    const sent = event.signalExternalWorkflowExecutionInitiatedEventAttributes;
    const [said] = await decodeArrayFromPayloads(
      this.options.client.options.loadedDataConverter,
      (signaled ?? sent)?.input?.payloads ?? [],
    );
    if (signaled?.signalName === 'ask') return { asks: (said as LimitRequest).execution };
    if (signaled?.signalName === 'leave') return { leaves: said as string };
    if (sent?.signalName !== 'limit') return {};
    const { type, execution } = said as LimitAnswer;
    return type === 'granted' ? { grants: execution } : {};
  }
}
