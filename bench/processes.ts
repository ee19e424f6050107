/** Starts our processes for benchmarks, and accesses the facade. Needs a build. */
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export function command(args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  const main = path.join(__dirname, '..', 'src', 'cli', 'main.js');
  return spawn(process.execPath, [main, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

export async function ready(url: string): Promise<void> {
  while (
    !(await fetch(`${url}/api/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await sleep(50);
}

export async function post(
  url: string,
  route: string,
  body: unknown,
  key?: string,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}${route}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key && { 'idempotency-key': key }) },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${route}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}
