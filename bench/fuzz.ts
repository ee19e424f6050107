/**
 * `npm run bench -- fuzz [--minutes 10] [--node PATH] [--seed S] [--patience 5]`: random requests to an installation with
 * tokens (`test/support/request-fuzz.ts`). Exit code 1 if an answer was an error of ours, late or showed our code, or a
 * process ended.
 */
import { type ApiDocument, fuzz } from '../test/support/request-fuzz';
import { registerHonest, runHonest } from './bombs/honest';
import { startInstallation } from './bombs/installation';
import { hostileOptions, none, tellBars } from './bombs/options';

const AT_ONCE = 4;
const PORTION = 25;
const SCOPES = [['read'], ['run'], ['worker', 'read'], ['admin']];

export async function benchFuzz(args: readonly string[]): Promise<void> {
  const { ms, node, seed, given } = hostileOptions(args, { patience: '5' });
  const end = performance.now() + ms;
  const place = await startInstallation(node);
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
      seed,
      callers,
      known,
      patienceMs: Number(given.patience) * 1000,
    };
    let next = 0;
    const found: string[] = [];
    const lane = async (): Promise<void> => {
      while (performance.now() < end) {
        const from = next;
        next += PORTION;
        for (const one of await fuzz(options, from, from + PORTION))
          found.push(`${one.number}: ${one.request}\n      ${one.what}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    console.log(`  ${next} requests`);
    tellBars([none('findings', found), none('processes that ended', place.ended())]);
  } finally {
    await place.stop();
  }
}
