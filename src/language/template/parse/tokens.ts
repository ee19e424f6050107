import { TemplateSyntaxError, type TemplateErrorKind } from '../errors';
import { BaseParser, tokenTypes as t, type NunjucksToken } from './nunjucks';

/** Maximum nesting of expressions and blocks: far more than people write, far less than exhausts the stack. */
export const maxNesting = 150;

const described: Readonly<Record<string, string>> = {
  [t.TOKEN_BLOCK_END]: "'%}'",
  [t.TOKEN_VARIABLE_END]: "'}}'",
  [t.TOKEN_DATA]: 'text',
  [t.TOKEN_STRING]: 'a string',
};

/** A token as text for an error message. */
function describe(token: NunjucksToken | null): string {
  if (!token) return 'the end of the template';
  return described[token.type] ?? `'${token.value}'`;
}

/** The token stream of nunjucks' parser, with clear errors and a limit on nesting. */
export class TokenParser extends BaseParser {
  private depth = 0;

  /** The next token, which must exist. */
  protected next(): NunjucksToken {
    const token = this.nextToken();
    if (!token) throw this.failure('the template ends too early', this.tokens.len);
    return token;
  }

  protected at(type: string): boolean {
    return this.peekToken()?.type === type;
  }

  protected atSymbol(value: string): boolean {
    return this.at(t.TOKEN_SYMBOL) && this.peekToken()!.value === value;
  }

  protected atOperator(value: string): boolean {
    return this.at(t.TOKEN_OPERATOR) && this.peekToken()!.value === value;
  }

  protected skipOperator(value: string): boolean {
    return this.skipValue(t.TOKEN_OPERATOR, value);
  }

  protected require(type: string, what: string): NunjucksToken {
    const token = this.nextToken();
    if (token?.type !== type) throw this.unexpected(token, what);
    return token;
  }

  protected requireSymbol(value: string): NunjucksToken {
    const token = this.nextToken();
    if (token?.type !== t.TOKEN_SYMBOL || token.value !== value) throw this.unexpected(token, `'${value}'`);
    return token;
  }

  protected offset(): number {
    return this.peekToken()?.colno ?? this.tokens.len;
  }

  protected unexpected(token: NunjucksToken | null, expected: string): TemplateSyntaxError {
    return this.failure(`expected ${expected}, got ${describe(token)}`, token?.colno ?? this.tokens.len);
  }

  protected failure(
    message: string,
    offset: number,
    kind: TemplateErrorKind = 'syntax',
  ): TemplateSyntaxError {
    return new TemplateSyntaxError(kind, message).locate({ source: this.tokens.str }, offset);
  }

  /** Runs `parse` one level deeper. Throws if the template nests deeper than `maxNesting`. */
  protected nested<T>(parse: () => T): T {
    if (++this.depth > maxNesting) {
      throw this.failure(`nested deeper than ${String(maxNesting)} levels`, this.offset(), 'tooComplex');
    }
    const result = parse();
    this.depth--;
    return result;
  }
}
