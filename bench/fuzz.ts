/**
 * `npm run bench -- fuzz [--minutes 10] [--node PATH] [--seed S] [--patience 5]`: random requests to an installation with
 * tokens (`test/support/request-fuzz.ts`). Exit code 1 if an answer was an error of ours, late or showed our code, or a
 * process ended.
 */
import { parseArgs } from 'node:util';
import { type ApiDocument, fuzz } from '../test/support/request-fuzz';
import { registerHonest, runHonest } from './bombs/honest';
import { startInstallation } from './bombs/installation';

const AT_ONCE = 4;
const PORTION = 25;
const SCOPES = [['read'], ['run'], ['worker', 'read'], ['admin']];

export async function benchFuzz(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '10' },
      node: { type: 'string', default: process.execPath },
      seed: { type: 'string', default: String(Date.now()) },
      patience: { type: 'string', default: '5' },
    },
  });
  const end = performance.now() + Number(values.minutes) * 60_000;
  const place = await startInstallation(values.node);
  try {
    const { url } = place;
    const token = await place.token('honest', ['run']);
    await registerHonest(url, token);
    const { id } = await runHonest({ ...place, token }, 0);
    const callers: Record<string, string>[] = [{}, { authorization: 'Bearer x' }];
    for (const scopes of SCOPES)
      callers.push({ authorization: `Bearer ${await place.token(scopes.join(), scopes)}` });
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as ApiDocument;
    const known = { id: [id, '1'], path: ['honest/steps', 'honest/loop'], type: ['playbook'], name: ['x'] };
    const options = {
      url,
      document,
      seed: values.seed,
      callers,
      known,
      patienceMs: Number(values.patience) * 1000,
    };
    let [next, found] = [0, 0];
    const lane = async (): Promise<void> => {
      while (performance.now() < end) {
        const from = next;
        next += PORTION;
        for (const one of await fuzz(options, from, from + PORTION)) {
          found++;
          console.log(`  ${one.number}: ${one.request}\n    ${one.what}`);
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    for (const one of place.ended()) console.log(`  ended: ${one}`);
    console.log(
      `  seed ${values.seed}: ${next} requests, ${found} findings, ${place.ended().length} processes ended`,
    );
    if (found > 0 || place.ended().length > 0) process.exitCode = 1;
  } finally {
    await place.stop();
  }
}
