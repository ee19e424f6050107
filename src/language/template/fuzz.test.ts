import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { EXTRAS, Missing, noExtra } from '../../../test/support/present';
import { cases } from '../../../test/support/properties';
import {
  equals,
  evaluate,
  formatTemplateError,
  parseExpression,
  templateJson,
  parseTemplate,
  plainValue,
  references,
  TemplateError,
  toText,
  type Template,
} from '.';

/** Pieces templates are made of, hostile ones among them: strung together they are nearly templates. */
const pieces = [
  '{{', '}}', '{%', '%}', '{#', '#}', '{{-', '-}}', '{%-', '-%}', ' ', '\n', '(', ')', '[', ']', '{', '}', '.', ',', ':', '|', '~',
  '==', '!=', '<', '<=', '+', '-', '*', '**', '/', '//', '%', '=', 'a', 'b.c', 'd', 'xs', 's', '1', '2.5', '0x1f', "'t'", '"u"', "'", '\\',
  'and', 'or', 'not', 'in', 'is', 'if', 'else', 'elif', 'endif', 'for', 'endfor', 'set', 'endset', 'macro', 'endmacro', 'call', 'endcall',
  'filter', 'endfilter', 'with', 'endwith', 'raw', 'endraw', 'block', 'loop', 'none', 'true', 'range', 'dict', 'namespace', 'cycler',
  'map', 'select', 'join', 'default', 'length', 'tojson', 'fromjson', 'sort', 'groupby', 'batch', 'replace', 'format', 'regex_search',
  'constructor', '__proto__', 'prototype', 'toString', 'items()', 'get', 'upper()', "split(',')", 'defined', 'é', '😀', '\u0000', '\u2028',
]; // prettier-ignore
const soup = fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((parts) => parts.join(' '));
const context = fc.dictionary(
  fc.constantFrom('a', 'b', 'd', 'xs', 's', '__proto__', 'constructor'),
  fc.jsonValue(),
);

/** Evaluates whatever it is; only clear errors may come of it, and only data. */
function survive(source: string, names: Record<string, unknown>, parse: (source: string) => Template): void {
  const lookup = (name: string): unknown => (Object.hasOwn(names, name) ? names[name] : undefined);
  try {
    const template = parse(source);
    expect(JSON.parse(JSON.stringify(template))).toEqual(template);
    for (const { offset } of references(template)) expect(offset).toBeLessThanOrEqual(source.length);
    const result = evaluate(template, { lookup }, { now: () => 0, random: () => 0.25 });
    expect(typeof result).not.toBe('function');
    expect(equals(plainValue(result), result)).toBe(Number.isNaN(result) ? false : true);
  } catch (error) {
    expect(error).toBeInstanceOf(TemplateError);
    const { code, message, offset } = error as TemplateError;
    expect(code).not.toBe('NT4999');
    expect(message).not.toBe('');
    expect(offset).toBeGreaterThanOrEqual(0);
    expect(offset).toBeLessThanOrEqual(source.length);
    expect(formatTemplateError(error as TemplateError)).toContain(code);
  }
}

describe('whatever is written', () => {
  it('evaluates or is refused in words: pieces of templates', () => {
    fc.assert(
      fc.property(soup, context, (source, names) => survive(source, names, parseTemplate)),
      cases(1500),
    );
  });

  it('evaluates or is refused in words: expressions', () => {
    fc.assert(
      fc.property(soup, context, (source, names) => survive(`{{ ${source} }}`, names, parseTemplate)),
      cases(1500),
    );
  });

  it('evaluates or is refused in words: bare expressions', () => {
    fc.assert(
      fc.property(soup, context, (source, names) => survive(source, names, parseExpression)),
      cases(1000),
    );
  });

  it('evaluates or is refused in words: any text', () => {
    const any = fc.string({ unit: 'binary', maxLength: 40 });
    fc.assert(
      fc.property(any, any, (before, inside) => survive(`${before}{{${inside}}}`, {}, parseTemplate)),
      cases(1000),
    );
  });

  it('text without template syntax is itself, but for one newline at the end', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(!/\{[{%#]|\r/.test(text));
        expect(evaluate(parseTemplate(text), { lookup: () => undefined })).toBe(text.replace(/\n$/, ''));
      }),
    );
  });

  it('data passes through an expression unchanged', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const scope = { lookup: () => value };
        fc.pre(!Object.is(value, -0));
        expect(evaluate(parseTemplate('{{ x }}'), scope)).toEqual(value);
        // A double beyond 2^53 that JSON writes with all digits of an integer is read as one.
        if (/\d{16}/.test(JSON.stringify(value))) return;
        expect(evaluate(parseTemplate('{{ x | tojson | fromjson }}'), scope)).toEqual(
          JSON.parse(JSON.stringify(value)) as unknown,
        );
        expect(evaluate(parseTemplate('{{ x == x | tojson | fromjson }}'), scope)).toBe(true);
      }),
    );
  });
});

/** Templates of real playbooks, mutated: mistakes people make, not noise. */
describe('mutated templates of real playbooks', () => {
  const file = join(EXTRAS, 'conformance/jinja.json');
  if (!existsSync(file)) {
    it('evaluate or are refused in words', () => {
      throw new Missing(noExtra('conformance/jinja.json'));
    });
    return;
  }
  const templates = templateJson(readFileSync(file, 'utf8')) as {
    template: string;
    context: Record<string, unknown>;
  }[];

  it('evaluate or are refused in words', () => {
    const mutation = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      remove: fc.integer({ min: 0, max: 4 }),
      insert: fc.oneof(fc.constant(''), fc.constantFrom(...pieces)),
    });
    const mutated = fc.tuple(
      fc.constantFrom(...templates),
      fc.array(mutation, { minLength: 1, maxLength: 3 }),
    );
    fc.assert(
      fc.property(mutated, ([{ template, context: names }, mutations]) => {
        let source = template;
        for (const { at, remove, insert } of mutations) {
          const i = Math.floor(at * source.length);
          source = source.slice(0, i) + insert + source.slice(i + remove);
        }
        survive(source, names, parseTemplate);
      }),
      cases(1500),
    );
  });
});

it('the text of a value is the same each time', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(toText(value)).toBe(toText(JSON.parse(JSON.stringify(value)) as unknown));
    }),
  );
});
