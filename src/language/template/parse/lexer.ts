import { TemplateSyntaxError } from '../errors';
import { BaseTokenizer, tokenTypes as t, type NunjucksToken } from './nunjucks';
import { unescapeText } from './strings';

const name = /[\p{L}_][\p{L}\p{M}\p{N}_]*/uy;
const float = /\d+(?:_\d+)*(?:\.\d+(?:_\d+)*(?:[eE][+-]?\d+(?:_\d+)*)?|[eE][+-]?\d+(?:_\d+)*)/y;
const integer = /0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0[xX](?:_?[0-9a-fA-F])+|[1-9](?:_?\d)*|0(?:_?0)*/y;
const string = /'([^'\\]*(?:\\[\s\S][^'\\]*)*)'|"([^"\\]*(?:\\[\s\S][^"\\]*)*)"/y;
const opening = /\{[{%#]/g;
const rawTag = /\{%[-+]?\s*raw\s*(-?)%\}/y;
const endRawTag = /\{%([-+]?)\s*endraw\s*([-+]?)%\}/g;
const constants: Readonly<Record<string, string>> = {
  true: t.TOKEN_BOOLEAN,
  True: t.TOKEN_BOOLEAN,
  false: t.TOKEN_BOOLEAN,
  False: t.TOKEN_BOOLEAN,
  none: t.TOKEN_NONE,
  None: t.TOKEN_NONE,
  null: t.TOKEN_NONE,
};

/**
 * nunjucks' lexer with Jinja2's literals and text handling: Python's string escapes, numbers and names, `}}` that
 * closes a dict inside an expression, `True` and `None`, `{% raw %}`, whitespace control, newlines. Positions are
 * offsets: `colno` is the index into the source, `lineno` stays 0.
 */
export class JinjaLexer extends BaseTokenizer {
  /** Open brackets inside the current tag: while there are any, `}}` and `%}` do not close the tag. */
  private brackets: string[] = [];
  private stripNext = false;
  private tagStart = 0;

  constructor(
    source: string,
    private readonly mode: 'template' | 'expression' = 'template',
  ) {
    // One trailing newline is dropped (Jinja2's keep_trailing_newline is off).
    super(source.replace(/\r?\n$|\r$/, ''));
    this.in_code = mode === 'expression';
  }

  override forward(): void {
    this.forwardN(1);
  }

  override forwardN(n: number): void {
    this.index += n;
    this.colno = this.index;
  }

  override nextToken(): NunjucksToken | null {
    return this.in_code ? this.nextInCode() : this.nextInText();
  }

  private nextInCode(): NunjucksToken | null {
    if (this.isFinished()) {
      if (this.mode === 'expression') return null;
      throw this.error('this tag is never closed', this.tagStart);
    }
    const char = this.current();
    if (char === '"' || char === "'") return this.string();
    if (char >= '0' && char <= '9') return this.number();
    if (char === '}' && this.brackets.at(-1) === '{') return this.token(t.TOKEN_RIGHT_CURLY, '}');
    const word = this.match(name);
    if (word !== undefined) {
      return this.token(Object.hasOwn(constants, word) ? constants[word]! : t.TOKEN_SYMBOL, word);
    }
    if (this._matches('+%}')) this.forwardN(1);
    const token = this.punctuation();
    if (
      this.mode === 'template' &&
      (token.type === t.TOKEN_BLOCK_END || token.type === t.TOKEN_VARIABLE_END)
    ) {
      this.stripNext = token.value.startsWith('-');
      this.brackets = [];
      return { ...token, value: token.value.replace('-', '') };
    }
    this.track(token);
    return token;
  }

  /** Whitespace, delimiters and operators are nunjucks'. */
  private punctuation(): NunjucksToken {
    const start = this.index;
    const char = this.current();
    if (!/[\s()[\]{}%*\-+~/,:|.<>=!]/.test(char)) {
      throw this.error(`unexpected character ${JSON.stringify(char)}`, start);
    }
    // nunjucks knows fewer kinds of whitespace than Jinja2.
    if (/\s/.test(char)) {
      const space = /\s+/y;
      return this.token('whitespace', this.match(space) ?? char);
    }
    const token = super.nextToken()!;
    if (token.value === '===' || token.value === '!==') {
      throw this.error(`unexpected '${token.value}': write '${token.value.slice(0, 2)}'`, start);
    }
    return token;
  }

  private track(token: NunjucksToken): void {
    if (token.type === t.TOKEN_LEFT_PAREN) this.brackets.push('(');
    else if (token.type === t.TOKEN_LEFT_BRACKET) this.brackets.push('[');
    else if (token.type === t.TOKEN_LEFT_CURLY) this.brackets.push('{');
    else if (token.type === t.TOKEN_RIGHT_PAREN || token.type === t.TOKEN_RIGHT_BRACKET) this.brackets.pop();
  }

  private string(): NunjucksToken {
    const literal = this.match(string);
    if (literal === undefined) throw this.error('this string is never closed', this.index);
    return this.token(
      t.TOKEN_STRING,
      unescapeText(literal.slice(1, -1).replace(/\r\n?/g, '\n')),
      literal.length,
    );
  }

  private number(): NunjucksToken {
    const decimal = this.match(float);
    if (decimal !== undefined) return this.token(t.TOKEN_FLOAT, decimal.replaceAll('_', ''), decimal.length);
    const whole = this.match(integer)!;
    const next = this.str.charAt(this.index + whole.length);
    if (/[\p{L}\p{N}_]/u.test(next)) throw this.error('this is not a number', this.index);
    return this.token(t.TOKEN_INT, whole.replaceAll('_', ''), whole.length);
  }

  private nextInText(): NunjucksToken | null {
    if (this.isFinished()) return null;
    const start = this.index;
    const raw = this.matchRaw();
    if (raw) return raw;
    if (this._matches('{#')) return this.comment();
    if (this._matches('{{') || this._matches('{%')) return this.open();
    opening.lastIndex = start;
    const end = opening.exec(this.str)?.index ?? this.len;
    return this.data(this.str.slice(start, end), this.str.charAt(end + 2) === '-', end);
  }

  private open(): NunjucksToken {
    const start = this.index;
    this.tagStart = start;
    this.stripNext = false;
    const delimiter = this.str.slice(start, start + 2);
    // `{{-` was handled by the preceding text; `{%+` is the default here.
    const sign = this.str.charAt(start + 2);
    const signed = sign === '-' || (sign === '+' && delimiter === '{%');
    this.forwardN(signed ? 3 : 2);
    this.in_code = true;
    return {
      type: delimiter === '{{' ? t.TOKEN_VARIABLE_START : t.TOKEN_BLOCK_START,
      value: delimiter,
      lineno: 0,
      colno: start,
    };
  }

  private comment(): NunjucksToken | null {
    const start = this.index;
    const end = this.str.indexOf('#}', start + 2);
    if (end < 0) throw this.error('this comment is never closed', start);
    this.stripNext = this.str.charAt(end - 1) === '-' && end - 1 > start + 1;
    this.forwardN(end + 2 - start);
    return this.nextToken();
  }

  /** The content of `{% raw %}…{% endraw %}` is always text. */
  private matchRaw(): NunjucksToken | undefined {
    const tag = this.match(rawTag);
    if (tag === undefined) return undefined;
    const start = this.index + tag.length;
    endRawTag.lastIndex = start;
    const end = endRawTag.exec(this.str);
    if (!end) throw this.error('this raw block is never closed: {% endraw %} is missing', this.index);
    this.stripNext = tag.endsWith('-%}');
    const token = this.data(this.str.slice(start, end.index), end[1] === '-', end.index + end[0].length);
    this.stripNext = end[2] === '-';
    return token;
  }

  private data(text: string, stripEnd: boolean, next: number): NunjucksToken {
    let value = text.replace(/\r\n?/g, '\n');
    if (this.stripNext) value = value.trimStart();
    if (stripEnd) value = value.trimEnd();
    this.stripNext = false;
    const token = { type: t.TOKEN_DATA, value, lineno: 0, colno: this.index };
    this.forwardN(next - this.index);
    return token;
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.index;
    return pattern.exec(this.str)?.[0];
  }

  private token(type: string, value: string, length = value.length): NunjucksToken {
    const token = { type, value, lineno: 0, colno: this.index };
    this.forwardN(length);
    if (type === t.TOKEN_RIGHT_CURLY) this.brackets.pop();
    return token;
  }

  private error(message: string, offset: number): TemplateSyntaxError {
    return new TemplateSyntaxError('syntax', message).locate({ source: this.str }, offset);
  }
}
