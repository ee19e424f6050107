/** Tools for whoever writes a playbook. They need its text and nothing else. */
import { z } from 'zod';
import { pythonSyntax } from '../../../../activities/kinds/python/syntax';
import { compile, diagnosticDocument, inOrder, playbookSchema } from '../../../language/dsl';
import { graphOf, mermaidOf } from '../../../language/dsl/graph';
import { mended } from '../../../language/dsl/upgrade';
import { CodedError } from '../../../language/errors';
import { didYouMean } from '../../../language/dsl/format';
import { compact } from '../../../language/plan';
import { evaluate, formatTemplateError, parseTemplate, TemplateError } from '../../../language/template';
import { rehearsalSchema } from '../../../offline/rehearsal';
import { faultsSchema } from '../../../offline/simulation';
import { searchPages, pageText } from '../pages';
import { planOf, playbookText } from '../playbooks';
import { assistantTool, FIELDS } from '../tool';

const { playbook } = FIELDS;
const READS = { scope: 'read', harmless: true } as const;

export const authoringTools = [
  assistantTool({
    name: 'validate',
    ...READS,
    description:
      'Check a playbook without running it. Answers all diagnostics with line, column, code and hint and, where there is one right answer, the fixed text.',
    input: z.object({ playbook, strict: z.boolean().default(false).describe('Deprecations are errors') }),
    async run(input, reach) {
      const { text, file } = await playbookText(input.playbook, reach);
      const options = { kinds: reach.kinds, strict: input.strict, ...compact({ file }) };
      const { plan, diagnostics, code = [] } = compile(text, { ...options, fixes: true });
      const all = inOrder([...diagnostics, ...(await pythonSyntax(code))]);
      const isWrong = all.some(({ severity }) => severity === 'error');
      const { text: fixed, fixes } = all.some(({ fix }) => fix) ? mended(text, options) : { text, fixes: 0 };
      return {
        ok: plan !== undefined && !isWrong,
        ...(plan && { path: plan.metadata.path, steps: plan.steps.map(({ name }) => name) }),
        diagnostics: all.map((one) => {
          const { fix, docs: _, end_line: __, end_column: ___, ...shown } = diagnosticDocument(one);
          return { ...shown, ...(fix && { fix: fix.what }) };
        }),
        ...(fixes > 0 && { fixed }),
      };
    },
  }),
  assistantTool({
    name: 'schema',
    ...READS,
    description:
      'The JSON Schema of a place in a playbook, rehearsal or faults file: of a kind of tool (`http`), of a part (`loop`, `metadata`), or of a path (`workflow[].next`). Without a place: the root, and the names of all parts.',
    input: z.object({
      of: z.enum(['playbook', 'rehearsal', 'faults']).default('playbook'),
      place: z.string().max(200).optional(),
    }),
    run: ({ of, place }, { kinds }) => {
      const whole =
        of === 'playbook' ? playbookSchema(kinds) : of === 'rehearsal' ? rehearsalSchema() : faultsSchema();
      return Promise.resolve(schemaAt(whole as SchemaPart, place));
    },
  }),
  assistantTool({
    name: 'search_docs',
    ...READS,
    description:
      'Search the documentation. Answers the sections that fit best, with their page; `read_page` has the whole of one.',
    input: z.object({ query: z.string().min(1).max(300), most: z.int().min(1).max(20).default(6) }),
    run: ({ query, most }) => Promise.resolve({ sections: searchPages(query, most) }),
  }),
  assistantTool({
    name: 'read_page',
    ...READS,
    description: 'A page of the documentation as Markdown, or one section of it.',
    input: z.object({
      page: z.string().max(100).describe('As `search_docs` names it: rehearsals.md, tools/http.md'),
      section: z.string().max(200).optional().describe('Its heading'),
    }),
    rest: 'name a `section`',
    run: ({ page, section }) => Promise.resolve(pageText(page, section)),
  }),
  assistantTool({
    name: 'graph',
    ...READS,
    description: 'The steps of a playbook and the arcs between them: as JSON, or as a Mermaid diagram.',
    input: z.object({ playbook, format: z.enum(['json', 'mermaid']).default('json') }),
    async run(input, reach) {
      const graph = graphOf((await planOf(input.playbook, reach)).plan);
      return input.format === 'mermaid' ? mermaidOf(graph) : graph;
    },
  }),
  assistantTool({
    name: 'render',
    ...READS,
    description: 'Evaluate a template (`{{ … }}`) as a playbook would, with values for its names.',
    input: z.object({
      template: z.string().max(100_000),
      context: z.record(z.string(), z.unknown()).default({}),
    }),
    run: ({ template, context }) => Promise.resolve(rendered(template, context)),
  }),
] as const;

function rendered(source: string, context: Readonly<Record<string, unknown>>): object {
  try {
    const locate = (at: number): [number, number] => {
      const before = source.slice(0, at);
      return [before.split('\n').length, at - before.lastIndexOf('\n')];
    };
    const lookup = (name: string): unknown => (Object.hasOwn(context, name) ? context[name] : undefined);
    const world = { now: () => Date.now(), random: () => Math.random() };
    const value = evaluate(parseTemplate(source, { locate }), { lookup }, world);
    return value === undefined ? { value: null, undefined: true } : { value };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw new CodedError(error.code, formatTemplateError(error));
  }
}

interface SchemaPart {
  readonly [key: string]: unknown;
  readonly $ref?: string;
  readonly definitions?: Readonly<Record<string, SchemaPart>>;
  readonly properties?: Readonly<Record<string, SchemaPart>>;
  readonly items?: SchemaPart;
  readonly anyOf?: readonly SchemaPart[];
  readonly oneOf?: readonly SchemaPart[];
  readonly allOf?: readonly SchemaPart[];
}

/** @throws CodedError `NO_SUCH_PLACE` with what there is */
function schemaAt(whole: SchemaPart, place: string | undefined): object {
  const { definitions = {}, ...root } = whole;
  if (place === undefined || place.trim() === '') return { schema: root, parts: Object.keys(definitions) };
  const named = definitions[`tool_${place}`] ?? definitions[place];
  if (named) return { place, schema: named };
  let parts: readonly SchemaPart[] = [root];
  const walked: string[] = [];
  for (const word of place.replace(/\[\w*\]/g, '').split('.')) {
    const next = parts
      .flatMap((part) => membersOf(part, definitions))
      .flatMap((part): readonly SchemaPart[] => (part[word] ? [part[word]] : []));
    if (next.length === 0) {
      const names = [...new Set(parts.flatMap((part) => membersOf(part, definitions)).flatMap(Object.keys))];
      const where = walked.length === 0 ? 'the root' : walked.join('.');
      const near = didYouMean(word, [...names, ...Object.keys(definitions)]);
      throw new CodedError(
        'NO_SUCH_PLACE',
        `${where} has no \`${word}\`${near?.hint === undefined ? '' : `; ${near.hint}`}`,
        {
          hint: [`There are: ${names.join(', ')}.`, `Parts: ${Object.keys(definitions).join(', ')}.`],
        },
      );
    }
    walked.push(word);
    parts = next;
  }
  const [first] = parts.map((part) => resolved(part, definitions));
  return { place, schema: first };
}

/** The properties of a place, whichever form of it has them. */
function membersOf(
  given: SchemaPart,
  definitions: NonNullable<SchemaPart['definitions']>,
  depth = 8,
): Record<string, SchemaPart>[] {
  if (depth === 0) return [];
  const part = resolved(given, definitions);
  const inner = [
    ...(part.anyOf ?? []),
    ...(part.oneOf ?? []),
    ...(part.allOf ?? []),
    ...(part.items ? [part.items] : []),
  ];
  return [
    ...(part.properties ? [part.properties] : []),
    ...inner.flatMap((one) => membersOf(one, definitions, depth - 1)),
  ];
}

function resolved(part: SchemaPart, definitions: NonNullable<SchemaPart['definitions']>): SchemaPart {
  const name = part.$ref?.replace('#/definitions/', '');
  return (name === undefined ? undefined : definitions[name]) ?? part;
}
