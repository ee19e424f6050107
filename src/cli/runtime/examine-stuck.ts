/** Checks of `doctor` about executions that do not go on, and processes that died. */
import { Client } from '@temporalio/client';
import {
  openWorkflows,
  reportedWorkflows,
  stuckAmong,
  type StuckWorkflow,
  type VisibleExecution,
} from '../../temporal/client';
import { type Observed } from './finding';
import { diedBefore } from './last-process';
import { atServer } from './reach';

/** Open executions that are looked at, besides those that the server reports. */
const LOOKS = 200;
const SHOWN = 5;

/** Executions whose workflow task fails again and again. */
export async function examineStuck(): Promise<Observed | undefined> {
  return await atServer(async (connection, namespace) => {
    const client = new Client({ connection, namespace });
    const candidates = new Map<string, VisibleExecution>();
    for await (const one of reportedWorkflows(client)) candidates.set(one.runId, one);
    let looks = 0;
    for await (const one of openWorkflows(client)) {
      if (++looks > LOOKS) break;
      candidates.set(one.runId, one);
    }
    const stuck = await stuckAmong(client, [...candidates.values()]);
    if (stuck.length === 0) return { status: 'ok', message: 'none' };
    const shown = stuck.slice(0, SHOWN).map(lineOf);
    const more = stuck.length > SHOWN ? [`and ${stuck.length - SHOWN} more`] : [];
    return {
      status: 'note',
      message: [`${stuck.length} that no worker has continued`, ...shown, ...more].join('; '),
      fix: [
        'They wait for what their message names: a release, keys, storage. What no worker can ever continue is ended after some attempts.',
        'noetl-temporal cancel EXECUTION --force ends one.',
      ],
    };
  });
}

function lineOf({ executionId, workflowId, attempt, failure }: StuckWorkflow): string {
  const why = failure === undefined ? '' : `: ${failure.message.slice(0, 200)}`;
  return `${executionId ?? workflowId} after ${attempt - 1} attempts${why}`;
}

/** Processes that used this data folder. */
export function diedProcesses(dataDir: string): Observed | undefined {
  const died = ['dev', 'serve', 'worker'].flatMap((command) => diedBefore(command, dataDir));
  return died.length === 0 ? undefined : { status: 'note', message: died.join('; ') };
}
