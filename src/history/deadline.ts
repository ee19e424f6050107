import { type Plan } from '../language/plan';
import { type ExecutionOrigin } from './origin';

/**
 * When an execution is late: the earlier of its playbook's deadline and its schedule's.
 *
 * @param startedAt milliseconds since the epoch
 * @returns milliseconds since the epoch; undefined without a deadline
 */
export function deadlineAt(
  startedAt: number,
  { deadline }: Pick<Plan, 'deadline'>,
  origin?: Pick<ExecutionOrigin, 'schedule'>,
): number | undefined {
  const schedule = origin?.schedule;
  const moments = [
    ...(deadline === undefined ? [] : [startedAt + deadline * 1000]),
    ...(schedule?.deadline === undefined
      ? []
      : [(schedule.scheduled_at ? Date.parse(schedule.scheduled_at) : startedAt) + schedule.deadline * 1000]),
  ];
  return moments.length === 0 ? undefined : Math.min(...moments);
}
