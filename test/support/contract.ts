/** Asks a facade, and holds every answer to what its OpenAPI document promises for that route and status. */
import Ajv from 'ajv/dist/2020';
import { type TestFacade } from './facade';

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Of a JSON answer. */
  readonly body: Record<string, never> & { [key: string]: unknown };
}

export interface ContractClient {
  /** @throws when the answer's status is not declared, or its body is not of the declared schema */
  (method: string, path: string, body?: unknown): Promise<Answered>;
  /** `get /api/executions/{id}` of every route that was asked. */
  readonly asked: ReadonlySet<string>;
}

interface Declared {
  readonly $ref?: string;
  readonly content?: Record<string, unknown>;
}
interface Operation {
  readonly responses: Record<string, Declared>;
}
interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly responses: Record<string, Declared> };
}

export function contractClient(facade: Pick<TestFacade, 'url'>): ContractClient {
  const asked = new Set<string>();
  let reference: Promise<Reference> | undefined;
  const ask = async (method: string, path: string, body?: unknown): Promise<Answered> => {
    const response = await fetch(`${facade.url}${path}`, {
      method: method.toUpperCase(),
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = /^application\/json/.test(response.headers.get('content-type') ?? '');
    const answered = {
      status: response.status,
      headers: response.headers,
      text,
      body: (isJson ? JSON.parse(text) : undefined) as Answered['body'],
    };
    const place = (await (reference ??= Reference.of(facade.url))).check(method, path, answered);
    asked.add(place);
    return answered;
  };
  return Object.assign(ask, { asked });
}

class Reference {
  private readonly ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });

  private constructor(private readonly document: Document) {
    this.ajv.addSchema({ $id: 'openapi', ...document });
  }

  static async of(url: string): Promise<Reference> {
    return new Reference((await (await fetch(`${url}/openapi.json`)).json()) as Document);
  }

  check(method: string, path: string, { status, body, text }: Answered): string {
    const template = this.templateOf(method, path.split('?')[0]!);
    const where = `${method} ${template}`;
    const declared = this.document.paths[template]![method]!.responses[status];
    const shared = /^#\/components\/responses\/(.+)$/.exec(declared?.$ref ?? '')?.[1];
    const response = shared === undefined ? declared : this.document.components.responses[shared];
    if (!response) throw new Error(`${where}: status ${status} is not declared: ${text.slice(0, 500)}`);
    if (body === undefined || response.content?.['application/json'] === undefined) return where;
    const holder =
      shared === undefined
        ? ['paths', template, method, 'responses', status]
        : ['components', 'responses', shared];
    const pointer = [...holder, 'content', 'application/json', 'schema'];
    const escaped = pointer.map((part) =>
      encodeURIComponent(String(part).replace(/~/g, '~0').replace(/\//g, '~1')),
    );
    const ref = `openapi#/${escaped.join('/')}`;
    const validate = this.ajv.getSchema(ref) ?? this.ajv.compile({ $ref: ref });
    if (validate(body)) return where;
    const wrong = this.ajv.errorsText(validate.errors, { separator: '\n  ' });
    throw new Error(`${where} ${status}: not as declared:\n  ${wrong}\n${text.slice(0, 2000)}`);
  }

  private templateOf(method: string, path: string): string {
    const fitting = Object.keys(this.document.paths).filter(
      (template) => this.document.paths[template]![method] && patternOf(template).test(path),
    );
    // The one with the fewest names says the most.
    const [best] = fitting.sort((a, b) => namesIn(a) - namesIn(b));
    if (best === undefined) throw new Error(`the OpenAPI document has no ${method} ${path}`);
    return best;
  }
}

/** The last name may stand for several segments: paths of the catalog have slashes. */
function patternOf(template: string): RegExp {
  const escaped = template.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/\{path\}/g, '.+').replace(/\{\w+\}/g, '[^/]+')}$`);
}

function namesIn(template: string): number {
  return template.split('{').length - 1;
}
