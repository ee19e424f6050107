/** Expressions evaluated with the names of an execution, as its steps would see them. Secrets are not given away. */
import { type RecordedExecution } from '../../history';
// Not by the room's door: a thread that renders needs nothing of Temporal.
import { namesOf } from '../../history/names-of';
import { isMapping } from '../../plan';
import { evaluate, parseTemplate, references, TemplateError } from '../../template';
import { FacadeError } from '../http/errors';

/** Nesting of a template document. */
const MAX_DEPTH = 64;
/** Of what it comes to as JSON, in characters: each template may make so much of itself, all together no more. */
const MAX_LENGTH = 16 * 1024 * 1024;

const world = { now: () => Date.now(), random: () => Math.random() };

export interface Rendered {
  readonly rendered: unknown;
  readonly names: readonly string[];
}

/**
 * Renders every text in a document; the rest of it stays as it is.
 *
 * @param extra names laid over those of the execution
 * @throws FacadeError 422 `TEMPLATE` naming the place, `SECRETS_REFUSED`, `TOO_EXPENSIVE`
 */
export function renderWith(
  state: RecordedExecution['state'],
  template: unknown,
  extra: Readonly<Record<string, unknown>>,
): Rendered {
  const names: Record<string, unknown> = { ...namesOf(state), ...extra };
  const lookup = (name: string): unknown => (Object.hasOwn(names, name) ? names[name] : undefined);
  const render = (value: unknown, place: string, depth: number): unknown => {
    if (depth > MAX_DEPTH)
      throw new FacadeError(422, 'TEMPLATE', `nested more than ${MAX_DEPTH} deep`, { at: 'body.template' });
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
    throw new FacadeError(422, 'TOO_EXPENSIVE', 'the document is larger than 16 MiB when it is rendered', {
      at: 'body.template',
    });
  refuseSecrets(text, Object.keys(state.secrets ?? {}));
  return { rendered: document, names: Object.keys(names).sort() };
}

function rendered(source: string, at: string, lookup: (name: string) => unknown): unknown {
  try {
    const template = parseTemplate(source);
    if (references(template).some(({ root }) => root === 'keychain'))
      throw new FacadeError(422, 'SECRETS_REFUSED', 'keychain values never leave the worker', { at });
    return evaluate(template, { lookup }, world) ?? null;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw new FacadeError(422, 'TEMPLATE', error.message, { at, reason: error.code });
  }
}

/** What stands for a secret is of no use to anybody else, and says where the value would be. */
function refuseSecrets(text: string, ids: readonly string[]): void {
  if (ids.some((id) => text.includes(id)))
    throw new FacadeError(422, 'SECRETS_REFUSED', 'the template reads a secret of the execution', {
      at: 'body.template',
    });
}
