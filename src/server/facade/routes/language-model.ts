/** The official GUI's requests to a language model are answered with the available alternatives. */
import { route, FacadeError } from './declare';
import { executionPath } from '../executions/ids';

const REQUESTS = [
  [
    'executions/{id}/analyze',
    'POST /api/executions/{id}/analyze has the facts, with a prompt to give to one',
  ],
  ['catalog/playbooks/explain', 'POST /api/catalog/playbooks/validate reports what is wrong with a playbook'],
  [
    'catalog/playbooks/generate',
    'docs/reference has the JSON Schema of playbooks, and playbooks/ has examples',
  ],
] as const;

export const languageModel = REQUESTS.map(([what, instead]) =>
  route(`POST /api/${what}/ai`, {
    params: what.includes('{id}') ? executionPath : undefined,
    scope: 'read',
    summary: 'Not available: this server uses no language model',
    answers: {},
    errors: [501],
    handle() {
      throw new FacadeError(501, 'NO_LANGUAGE_MODEL', `this server uses no language model; ${instead}`);
    },
  }),
);
