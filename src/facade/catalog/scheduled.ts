/** Schedules of playbooks, as far as the catalog concerns them. */
import { type Client } from '@temporalio/client';
import {
  isMapping,
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
        const about = memo?.['noetl'];
        const path = isMapping(about) ? about['path'] : undefined;
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
  async misfits(plan: Plan): Promise<string[]> {
    const names = (await this.of(plan.metadata.path)).slice(0, MOST);
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

function problemOf(plan: Plan, input: ScheduledInput): string | undefined {
  // Any time serves as a placeholder for the scheduled one.
  const time = input.timeAs === undefined ? {} : { [input.timeAs]: new Date(0).toISOString() };
  const payload: JsonObject = { ...input.payload, ...time };
  const [secret] = plainSecretInputs(plan, payload);
  if (secret !== undefined)
    return `the input '${shownPlace(secret)}' is secret, and a schedule stores its payload`;
  const wrong = wrongInputs(plan.inputs, payload);
  return wrong.length === 0 ? undefined : wrong.map(({ at, message }) => `${at} ${message}`).join('; ');
}
