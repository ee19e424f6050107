/** Carries out a schedule of faults, and notes when each began and when what it hurt did its work again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../src/language/errors';
import { type PgProxy } from '../support/pg-proxy';
import { type Fleet } from './fleet';
import { type Member } from './member';
import { type Fault } from './schedule';

/** Times in milliseconds since 1970. */
export interface Done extends Fault {
  readonly from: number;
  /** When it was over and the process did its work again. */
  readonly until: number;
}

const SLOW_MS = 300;
/** No row is written by then: killed all the same. */
const COMMIT_LIMIT_MS = 8_000;

export class Faults {
  readonly done: Done[] = [];
  /** Processes that did not come back. */
  readonly failures: string[] = [];
  /** One thing at a time for each process. */
  private readonly queues = new Map<string, Promise<unknown>>();

  constructor(private readonly fleet: Fleet) {}

  /** Resolves when all are over, and everything works again. */
  async carryOut(schedule: readonly Fault[]): Promise<void> {
    const began = Date.now();
    for (const fault of schedule) {
      await sleep(Math.max(0, began + fault.at * 1000 - Date.now()));
      const before = this.queues.get(fault.member) ?? Promise.resolve();
      this.queues.set(
        fault.member,
        before.then(() => this.one(fault)),
      );
    }
    await Promise.all(this.queues.values());
  }

  private async one(fault: Fault): Promise<void> {
    const from = Date.now();
    const member = this.fleet.members.find(({ name }) => name === fault.member);
    const over = member ? HURT[fault.kind]?.(member, fault) : this.fullDisk(fault);
    await over?.catch((error: unknown) => this.failures.push(messageOf(error)));
    this.done.push({ ...fault, from, until: Date.now() });
  }

  private async fullDisk({ seconds }: Fault): Promise<void> {
    this.fleet.disk.fill?.();
    await sleep(seconds * 1000);
    this.fleet.disk.free();
  }
}

const HURT: Partial<Record<Fault['kind'], (member: Member, fault: Fault) => Promise<void>>> = {
  kill,
  async commit(member, fault) {
    const proxy = member.options.links?.['postgres'] as PgProxy;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, COMMIT_LIMIT_MS);
      proxy.onCommit = () => {
        clearTimeout(timer);
        resolve();
        return new Promise(() => undefined); // nobody ever hears of it
      };
    });
    proxy.onCommit = undefined;
    await kill(member, fault);
  },
  async stop(member, { seconds }) {
    member.signal('SIGSTOP');
    await sleep(seconds * 1000);
    member.signal('SIGCONT');
    await member.whenReady();
  },
  async cut(member, { link, seconds }) {
    const proxy = member.options.links![link!]!;
    proxy.refuses = true;
    proxy.cut();
    await sleep(seconds * 1000);
    proxy.refuses = false;
    await member.whenReady();
  },
  async slow(member, { link, seconds }) {
    const proxy = member.options.links![link!]!;
    proxy.delayMs = SLOW_MS;
    await sleep(seconds * 1000);
    proxy.delayMs = 0;
  },
};

async function kill(member: Member, { seconds }: Fault): Promise<void> {
  await member.kill();
  await sleep(seconds * 1000);
  await member.start();
}
