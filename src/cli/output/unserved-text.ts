/** What is said of tasks that wait for workers which do not exist. */
import { type UnservedQueue } from '../../temporal/client';
import { duration, printable } from './paint';

/** @param now milliseconds since 1970 */
export function unservedText(one: UnservedQueue, now: number): string {
  const { queue, waiting, since, last_seen, fix } = one;
  const who =
    last_seen === null
      ? `no worker serves ${queue}`
      : `no worker has asked for tasks of ${queue} for ${duration(now - Date.parse(last_seen))}`;
  const what = `${waiting} ${waiting === 1 ? 'task waits' : 'tasks wait'} since ${since}`;
  const mend = fix === null ? 'the command that started it is gone' : `start one: ${fix}`;
  return printable(`${who}: ${what}; ${mend}`);
}
