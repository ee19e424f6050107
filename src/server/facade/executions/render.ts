/** Evaluates expressions in the scope of an execution, as its steps would. Secrets are refused. */
import { type RecordedExecution } from '../../../history';
import { stateNames } from '../../../history/names-of';
import { isMapping } from '../../../language/plan';
import { evaluate, parseTemplate, references, TemplateError } from '../../../language/template';
import { FacadeError, invalidField } from '../http/errors';

/** Maximum nesting of a template document. */
const MAX_DEPTH = 64;
/**
 * Maximum characters of the result as JSON: the limit of a single template also applies to all of them together.
 */
const MAX_LENGTH = 16 * 1024 * 1024;

const world = { now: () => Date.now(), random: () => Math.random() };

export interface Rendered {
  readonly rendered: unknown;
  readonly names: readonly string[];
}

/**
 * Renders every string in a document; other values are unchanged.
 *
 * @param extra names that override those of the execution
 * @throws FacadeError 422 `TEMPLATE` naming the location, `SECRETS_REFUSED`, `TOO_EXPENSIVE`
 */
export function renderWith(
  state: RecordedExecution['state'],
  template: unknown,
  extra: Readonly<Record<string, unknown>>,
): Rendered {
  const names: Record<string, unknown> = { ...stateNames(state), ...extra };
  const lookup = (name: string): unknown => (Object.hasOwn(names, name) ? names[name] : undefined);
  const render = (value: unknown, place: string, depth: number): unknown => {
    if (depth > MAX_DEPTH)
      throw invalidField('body.template', 'TEMPLATE', `nested more than ${MAX_DEPTH} deep`);
    if (typeof value === 'string') return rendered(value, place, lookup);
    if (Array.isArray(value)) return value.map((one, index) => render(one, `${place}.${index}`, depth + 1));
    if (!isMapping(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, render(one, `${place}.${key}`, depth + 1)]),
    );
  };
  const document = render(template, 'body.template', 0);
  const text = JSON.stringify(document) ?? '';
  if (text.length > MAX_LENGTH)
    throw invalidField(
      'body.template',
      'TOO_EXPENSIVE',
      'the document is larger than 16 MiB when it is rendered',
    );
  refuseSecrets(text, Object.keys(state.secrets ?? {}));
  return { rendered: document, names: Object.keys(names).sort() };
}

function rendered(source: string, at: string, lookup: (name: string) => unknown): unknown {
  try {
    const template = parseTemplate(source);
    if (references(template).some(({ root }) => root === 'keychain'))
      throw invalidField(at, 'SECRETS_REFUSED', 'keychain values never leave the worker');
    return evaluate(template, { lookup }, world) ?? null;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw new FacadeError(422, 'TEMPLATE', error.message, { at, reason: error.code });
  }
}

/** A placeholder of a secret is useless outside the run, and reveals where the value is stored. */
function refuseSecrets(text: string, ids: readonly string[]): void {
  if (ids.some((id) => text.includes(id)))
    throw invalidField('body.template', 'SECRETS_REFUSED', 'the template reads a secret of the execution');
}
