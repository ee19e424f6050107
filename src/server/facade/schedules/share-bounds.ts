/** How many schedules a token may have, and how often they start something. */
import { type Client } from '@temporalio/client';
import { numberSetting } from '../../../language/errors/number-settings';
import { type ScheduleShare, ScheduleShares, type ScheduleTimes } from '../../../temporal/client';
import { FacadeError } from '../http/errors';

/**
 * A schedule may start an execution every second, and outlives the token that made it. Beyond that, the workflows of
 * Temporal that are its schedules answer nobody in time.
 */
const BOUNDS = [
  {
    setting: 'NOETL_SCHEDULES',
    most: 1000,
    code: 'TOO_MANY_SCHEDULES',
    of: ({ all }: ScheduleShare) => all,
    says: (most: number) => `there are ${most} schedules already: delete some`,
  },
  {
    setting: 'NOETL_SCHEDULES_PER_TOKEN',
    most: 200,
    code: 'TOO_MANY_SCHEDULES',
    of: ({ own }: ScheduleShare) => own,
    says: (most: number, by: string) => `there are ${most} schedules of '${by}' already: delete some`,
  },
  {
    setting: 'NOETL_SCHEDULED_STARTS_PER_TOKEN',
    most: 600,
    code: 'TOO_MANY_STARTS',
    of: ({ starts }: ScheduleShare) => starts,
    says: (most: number, by: string) =>
      `with this, the schedules of '${by}' would start more than ${most} executions in a minute: give them longer intervals, or delete some`,
  },
] as const;

/** @throws FacadeError 429 */
function refuseMore(by: string, share: ScheduleShare): void {
  for (const { setting, most: usual, code, of, says } of BOUNDS) {
    const most = numberSetting(setting) ?? usual;
    if (most === 0 || of(share) <= most) continue;
    throw new FacadeError(429, code, `${says(most, by)} (the operator sets ${setting})`);
  }
}

const shares = new WeakMap<Client, ScheduleShares>();

/** Creates or changes a schedule, unless its owner has too much. @throws FacadeError 429; errors of the act */
export async function withinShare(
  client: Client,
  { name, by, times, isNew }: { name: string; by: string; times: ScheduleTimes; isNew: boolean },
  act: () => Promise<void>,
): Promise<void> {
  const counted = shares.get(client) ?? new ScheduleShares(client);
  shares.set(client, counted);
  const undo = await counted.claim(name, by, times, ({ all, own, starts }) =>
    // One that is there already does not become more.
    refuseMore(by, isNew ? { all, own, starts } : { all: 0, own: 0, starts }),
  );
  try {
    await act();
  } catch (error) {
    undo();
    throw error;
  }
}

/** A schedule that was deleted no longer counts. */
export function forgetShare(client: Client, name: string): void {
  shares.get(client)?.forget(name);
}
