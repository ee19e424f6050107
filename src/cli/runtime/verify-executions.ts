/** `verify`: another version of a playbook against past executions. */
import { type Plan } from '../../language/plan';
import { type Verification, verificationOf } from '../../offline/proof';
import { EXIT, UsageError } from '../errors';
import { formatIn } from '../input/format';
import { loadPlaybook } from '../input/playbook';
import { print } from '../output/say';
import { verificationJunit } from '../output/verification-junit';
import { verificationMarkdown } from '../output/verification-markdown';
import { verificationText } from '../output/verification-text';
import { type Past, verdictsOn } from './past-executions';

export interface VerifyOptions extends Past {
  readonly format: string;
  /** Executions that cannot be answered count as different. */
  readonly strict?: boolean;
}

const FORMATS: Readonly<Record<string, (verification: Verification) => string>> = {
  text: verificationText,
  json: (verification) => JSON.stringify(verification, null, 2),
  junit: verificationJunit,
  markdown: verificationMarkdown,
};

/** @returns the exit code: 1 if an execution would not be the same, or none could be judged */
export async function verifyExecutions(
  oldName: string,
  newName: string,
  options: VerifyOptions,
): Promise<number> {
  const format = formatIn(FORMATS, options.format);
  if (options.files.length === 0 && options.against === undefined)
    throw new UsageError("name history files, or past executions with --against 'path=… since=30d'");
  const [old, now] = [oldName, newName].map((name) => loadPlaybook(name).plan) as [Plan, Plan];
  const verification = verificationOf(await verdictsOn(options, { old, now }), old, now);
  await print(format(verification));
  const { executions, counts, ok } = verification;
  const isProven = executions > counts.unanswerable && !(options.strict && counts.unanswerable > 0);
  return ok && isProven ? EXIT.success : EXIT.failed;
}
