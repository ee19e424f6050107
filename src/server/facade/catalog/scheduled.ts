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
} from '../../../language/plan';
import { listSchedules, scheduledInputOf } from '../../../temporal/client';
import { cached } from '../../../telemetry/metrics';

/** Many playbooks may be registered at once. */
const FRESH_MS = 5_000;
const LIMIT_MS = 1_500;
/** Schedules of one path that are looked at. */
const MOST = 100;

export class ScheduledPlaybooks {
  private readonly byPath: () => Promise<ReadonlyMap<string, readonly string[]>>;

  constructor(private readonly client: Client) {
    // The catalog works without Temporal, and does not wait for it.
    this.byPath = cached(FRESH_MS, () =>
      client.withDeadline(Date.now() + LIMIT_MS, () => namesByPath(client)).catch(() => new Map()),
    );
  }

  /** Names of the schedules of a path; none if Temporal does not answer: what is asked for works without. */
  async of(path: string): Promise<readonly string[]> {
    return (await this.byPath()).get(path) ?? [];
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

async function namesByPath(client: Client): Promise<ReadonlyMap<string, readonly string[]>> {
  const names = new Map<string, string[]>();
  for (const { scheduleId, memo } of await listSchedules(client)) {
    const about = memo?.['noetl'];
    const path = isMapping(about) ? about['path'] : undefined;
    if (typeof path === 'string') names.set(path, [...(names.get(path) ?? []), scheduleId]);
  }
  return names;
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
