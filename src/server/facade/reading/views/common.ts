/** Shared by views from histories and from keyframes. */
import { type SourceLines } from '../../../../history';
import { type Plan } from '../../../../language/plan';
import { type Host } from '../../../threads/serve-jobs';
import { FacadeError } from '../../http/errors';

/** The lines of the playbook that ran, if the catalog has it. */
export function sourceLinesOf(host: Host): (plan: Plan) => Promise<SourceLines> {
  return async ({ metadata, source }) => {
    const text = (await host.ask('text', { path: metadata.path, ...source })) as string | undefined;
    const lines = text?.split(/\r?\n/);
    return (line) => lines?.[line - 1];
  };
}

export function noEvent(id: string, at: number | string | undefined, count: number): FacadeError {
  const message = `execution ${id} has no event ${at}; it has ${count} events`;
  return new FacadeError(404, 'EVENT_NOT_FOUND', message);
}
