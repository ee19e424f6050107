import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXTRAS, Missing, noExtra } from '../../../test/support/present';
import {
  evaluate,
  templateJson,
  parseTemplate,
  plainValue,
  TemplateError,
  toText,
  type TemplateEnvironment,
} from '.';

/** The cases were computed by Jinja2 at this time, with these stand-ins for what playbooks are given. */
const environment: TemplateEnvironment = { now: () => Date.parse('2026-01-15T12:00:00Z'), random: () => 0.5 };
const file = join(EXTRAS, 'conformance/jinja.json');

interface Case {
  readonly id: string;
  readonly template: string;
  readonly context: Record<string, unknown>;
  readonly kind: 'expression' | 'mixed';
  readonly value?: unknown;
  readonly undefined?: boolean;
  readonly text?: string;
  readonly raises?: boolean;
}

/** Read by our parser, because the cases tell `1.0` from `1`. */
const cases = existsSync(file) ? (templateJson(readFileSync(file, 'utf8')) as Case[]) : [];

function run({ template, context }: Case): unknown {
  const scope = { lookup: (name: string) => (Object.hasOwn(context, name) ? context[name] : undefined) };
  return evaluate(parseTemplate(template), scope, environment);
}

describe.each(['expression', 'mixed'] as const)('Jinja2 conformance: %s', (kind) => {
  const own = cases.filter((c) => c.kind === kind);
  if (own.length === 0) {
    it('is that of Jinja2 in real playbooks', () => {
      throw new Missing(noExtra('conformance/jinja.json'));
    });
    return;
  }

  it.each(own.filter((c) => !c.raises).map((c) => [c.id, c] as const))('%s', (_, c) => {
    const value = run(c);
    if (kind === 'mixed') expect(value).toBe(c.text);
    else if (c.undefined) expect(value ?? null).toBeNull();
    else expect(value).toEqual(plainValue(c.value));
  });

  it.each(own.filter((c) => c.raises).map((c) => [c.id, c] as const))('%s, which Jinja2 refuses', (_, c) => {
    try {
      toText(run(c));
    } catch (error) {
      expect(error).toBeInstanceOf(TemplateError);
      expect((error as TemplateError).code).not.toBe('NT4999');
      expect((error as TemplateError).message).not.toBe('');
    }
  });
});
