/** `promote` and `unstage`: staged versions of a facade's catalog. */
import { hasCode } from '../../../language/errors';
import { EXIT, UsageError } from '../../errors';
import { stagedText } from '../../output/staged-text';
import { print, printAnswer } from '../../output/say';
import { type FacadePort } from '../port';
import { ask } from '../port/ask';
import { facadeOf } from '../port/facade';
import { type StagedReport } from '../../../server/facade/documents';

export interface PromoteFlags {
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly server?: string;
  /** Promotes it although there are objections. */
  readonly yes?: boolean;
}

/**
 * @param version by default the staged one
 * @returns the exit code: 1 if it is refused
 */
export async function promote(
  path: string,
  version: number | undefined,
  flags: PromoteFlags,
): Promise<number> {
  const server = facadeOf(flags.server);
  const report = await reportOn(server, path, version);
  const refused = report.objection !== null && flags.yes !== true;
  const promoted = !refused && flags.dryRun !== true && (await done(server, report, flags.yes === true));
  const document = { promoted, ...report };
  await print(flags.json ? JSON.stringify(document, null, 2) : stagedText(document, flags));
  return refused || (!promoted && flags.dryRun !== true) ? EXIT.failed : EXIT.success;
}

async function reportOn(
  server: FacadePort,
  path: string,
  version: number | undefined,
): Promise<StagedReport> {
  const query = version === undefined ? '' : `?version=${version}`;
  const address = `/api/catalog/${path.split('/').map(encodeURIComponent).join('/')}/staged${query}`;
  const { staged } = await ask<{ staged: StagedReport | null }>(server, address);
  if (staged) return staged;
  throw new UsageError(
    `no version of ${path} is staged: register it with --staged, or name a version`,
    {},
    'NOTHING_STAGED',
  );
}

/** @returns false if executions that ended meanwhile object */
async function done(server: FacadePort, { path, version }: StagedReport, force: boolean): Promise<boolean> {
  try {
    await ask(server, '/api/catalog/promote', { method: 'POST', body: { path, version, force } });
    return true;
  } catch (error) {
    if (hasCode(error, 'STAGED_DIFFERS')) return false;
    throw error;
  }
}

export async function unstage(path: string, flags: Pick<PromoteFlags, 'json' | 'server'>): Promise<void> {
  const answer = await ask<{ version: number }>(facadeOf(flags.server), '/api/catalog/unstage', {
    method: 'POST',
    body: { path },
  });
  await printAnswer(flags.json, answer, `${path} version ${answer.version} is no longer staged`);
}
