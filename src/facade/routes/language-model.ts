/** The official GUI's requests to a language model are answered with the available alternatives. */
import { FacadeError } from '../http/errors';
import { type Route, route } from '../http/route';
import { executionPath } from '../executions/ids';

const REQUEST_FIELDS = [
  {
    path: '/api/executions/{id}/analyze/ai',
    params: executionPath,
    instead: 'POST /api/executions/{id}/analyze has the facts, with a prompt to give to one',
  },
  {
    path: '/api/catalog/playbooks/explain/ai',
    params: undefined,
    instead: 'POST /api/catalog/playbooks/validate says what is wrong with a playbook',
  },
  {
    path: '/api/catalog/playbooks/generate/ai',
    params: undefined,
    instead: 'docs/reference has the JSON Schema of playbooks, and playbooks/ has examples',
  },
] as const;

export function languageModel(): readonly Route[] {
  return REQUEST_FIELDS.map(({ path, params, instead }) =>
    route({
      method: 'post',
      path,
      params,
      scope: 'read',
      tag: 'language model',
      summary: 'Not available: this server uses no language model',
      answers: {},
      errors: [501],
      handle() {
        throw new FacadeError(501, 'NO_LANGUAGE_MODEL', `this server uses no language model; ${instead}`);
      },
    }),
  );
}
