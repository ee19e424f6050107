/** Starts executions of messages: the key in the table of submissions says which execution is a message's. */
import { messageOf } from '../../../language/errors';
import { compact, type TriggerMemo } from '../../../language/plan';
import { SUBMISSION_KEPT_SECS, Submissions } from '../../store';
import { type StartMessage } from '../../triggers';
import { type Library } from '../catalog/library';
import { FacadeError } from '../http/errors';
import { fromOutside } from '../http/outside';
import { type FacadeServices } from '../services';
import { Submitter } from './submitter';

/** What starting needs of a facade, or of another process. */
export type StarterServices = Pick<
  FacadeServices,
  'client' | 'sealed' | 'keys' | 'metrics' | 'within' | 'database' | 'report'
>;

export function messageStarter(services: StarterServices, library: Library): StartMessage {
  const submissions = new Submissions(services.database);
  const submitter = new Submitter(services, library, submissions);
  /** The first request with a signature decides the key: the id of another may be one that nobody signed. */
  const dedupOf = async ({ id, key }: TriggerMemo, windowSecs: number, signature: string | undefined) => {
    if (signature === undefined) return { key, windowSecs };
    const mine = { fingerprint: key, execution_id: '0', catalog_id: '0' };
    const first = await submissions.claim(`replay/${id}`, signature, SUBMISSION_KEPT_SECS, mine);
    // What was too old to count then does not count now.
    return { key: first.fingerprint, windowSecs: windowSecs + first.age_secs };
  };
  return async ({ start, memo, windowSecs, signature }) => {
    const { playbook, version, payload, pool, labels, trace } = start;
    const submit = async () => {
      const dedup = await dedupOf(memo, windowSecs, signature);
      return await submitter.submit({
        reference: { path: playbook, ...compact({ version }) },
        payload,
        trigger: { ...memo, key: dedup.key },
        dedup,
        principal: `trigger ${memo.path}`,
        ...compact({ pool, labels }),
      });
    };
    try {
      const { within } = services;
      const { executionId, replayed } = await (trace && within ? within(trace, submit) : submit());
      return { outcome: replayed ? 'duplicate' : 'started', executionId };
    } catch (error) {
      return { outcome: 'dead', refused: refusalOf(error, services.report) };
    }
  };
}

/** Why no repetition can succeed. @throws what another time can */
function refusalOf(error: unknown, report: FacadeServices['report']): { code: string; message: string } {
  const refusal = error instanceof FacadeError ? error : fromOutside(error);
  if (refusal && (refusal.status >= 500 || refusal.status === 429)) throw refusal;
  if (refusal) return refusal;
  // Temporal or the database say something unforeseen: the operator's to see to.
  if (typeof (error as { code?: unknown }).code !== 'undefined') throw error;
  report(error);
  return { code: 'INTERNAL', message: messageOf(error) };
}
