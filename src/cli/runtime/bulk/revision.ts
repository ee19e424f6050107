import { loadPlaybook } from '../../input/playbook';
import { wantsColor } from '../../output/paint';

/** The revision of `--playbook FILE`, with its diagnostics printed. @throws UsageError if it does not compile */
export function revisionOf(file: string | undefined): ReturnType<typeof loadPlaybook> | undefined {
  if (file === undefined) return undefined;
  const write = (text: string): void => void process.stderr.write(text);
  return loadPlaybook(file, { write, color: wantsColor(process.stderr) });
}
