/** The floor: the same work as a Temporal engineer would write it by hand, for this single purpose. */
import { proxyActivities } from '@temporalio/workflow';
import { type FloorActivities } from './activities';

const { get } = proxyActivities<FloorActivities>({
  taskQueue: 'floor-http',
  startToCloseTimeout: '50 seconds',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 3 },
});

/** The fixed cost of a run. */
export async function nothing(): Promise<number> {
  return await Promise.resolve(0);
}

/** n requests, one after the other: also the hand-written equivalent of a loop. */
export async function sequential(url: string, n: number): Promise<number> {
  const answers = [];
  for (let i = 0; i < n; i++) answers.push(await get(`${url}?i=${i}`));
  return answers.length;
}

/** n concurrent requests. */
export async function fanOut(url: string, n: number): Promise<number> {
  const answers = await Promise.all(Array.from({ length: n }, (_, i) => get(`${url}?i=${i}`)));
  return answers.length;
}

/** Pages of several endpoints: pages sequentially, endpoints concurrently. */
export async function pages(url: string, endpoints: number, count: number): Promise<number> {
  const all = async (endpoint: number): Promise<void> => {
    for (let page = 1; page <= count; page++) await get(`${url}?endpoint=${endpoint}&page=${page}`);
  };
  await Promise.all(Array.from({ length: endpoints }, (_, endpoint) => all(endpoint)));
  return endpoints;
}
