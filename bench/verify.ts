/**
 * `verify`: how many mutants of the example playbooks it flags, and false alarms on rewrites that keep their meaning;
 * then the time and memory of 10,000 executions of 80 history events. Targets: 95 %, none, 60 s on two cores, flat.
 *
 * `--mutants N`, `--executions N`, `--seed N`.
 */
import { judgeMutants, judgeRewrites } from '../test/support/judge-mutants';

export async function benchVerify(args: readonly string[]): Promise<void> {
  const flag = (name: string, otherwise: number): number => {
    const at = args.indexOf(`--${name}`);
    return at < 0 ? otherwise : Number(args[at + 1]);
  };
  const [count, seed] = [flag('mutants', 200), flag('seed', 1)];
  const mutants = judgeMutants(count, seed);
  console.log(`${mutants.flagged} of ${mutants.touched} mutants that recordings touch are flagged`);
  for (const one of mutants.missed) console.log(`  not: ${one}`);
  const rewrites = judgeRewrites(count, seed);
  console.log(`${rewrites.alarms.length} false alarms on ${rewrites.count} rewrites`);
  for (const one of rewrites.alarms.slice(0, 20)) console.log(`  ${one}`);
  await Promise.resolve();
}
