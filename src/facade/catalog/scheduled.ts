/** Schedules of playbooks, as far as the catalog concerns them. */
import { type Client } from '@temporalio/client';
import {
  type JsonObject,
  plainSecretInputs,
  type Plan,
  type ScheduledInput,
  shownPlace,
  wrongInputs,
} from '../../plan';
import { listSchedules, scheduledInputOf } from '../../temporal';
import { cached } from '../../metrics';

/** Many playbooks may be registered at once. */
const FRESH_MS = 5_000;
/** Schedules of one path that are looked at. */
const MOST = 100;

export class ScheduledPlaybooks {
  private readonly byPath: () => Promise<ReadonlyMap<string, readonly string[]>>;

  constructor(private readonly client: Client) {
    this.byPath = cached(FRESH_MS, async () => {
      const names = new Map<string, string[]>();
      for (const { scheduleId, memo } of await listSchedules(client)) {
        const path = (memo?.['noetl'] as { path?: unknown } | undefined)?.path;
        if (typeof path === 'string') names.set(path, [...(names.get(path) ?? []), scheduleId]);
      }
      return names;
    });
  }

  /** Names of the schedules of a path; none if Temporal does not answer: what is asked for works without. */
  async of(path: string): Promise<readonly string[]> {
    return (await this.byPath().catch(() => undefined))?.get(path) ?? [];
  }

  /** Sentences about schedules that start the newest version, whose payload this one refuses. */
  async misfits({ metadata: { path }, ...plan }: Plan): Promise<string[]> {
    const names = (await this.of(path)).slice(0, MOST);
    const all = await Promise.all(
      names.map(async (name) => {
        const input = await scheduledInputOf(this.client, name).catch(() => undefined);
        const why = input && input.version === undefined ? problemOf(plan, input) : undefined;
        return why && `schedule ${name} will not start it: ${why}`;
      }),
    );
    return all.filter((one) => one !== undefined);
  }
}

function problemOf(plan: Omit<Plan, 'metadata'>, input: ScheduledInput): string | undefined {
  // Any time serves as a placeholder for the scheduled one.
  const time = input.timeAs === undefined ? {} : { [input.timeAs]: new Date(0).toISOString() };
  const payload: JsonObject = { ...input.payload, ...time };
  const [secret] = plainSecretInputs(plan as Plan, payload);
  if (secret !== undefined)
    return `the input '${shownPlace(secret)}' is secret, and a schedule stores its payload`;
  const wrong = wrongInputs(plan.inputs, payload);
  return wrong.length === 0 ? undefined : wrong.map(({ at, message }) => `${at} ${message}`).join('; ');
}
