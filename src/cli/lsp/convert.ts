/** Between offsets of the service and positions of the protocol. */
import type {
  CodeAction,
  CodeLens,
  CompletionItem,
  Diagnostic as ProtocolDiagnostic,
  DocumentSymbol,
  Range,
  SelectionRange,
  SemanticTokens,
  TextEdit,
} from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { type Diagnostic } from '../../language/dsl';
import { docsOf } from '../../language/errors';
import {
  type ColouredToken,
  type Completions,
  type DocumentPart,
  type Lens,
  type TextChange,
  type TextRange,
  TOKEN_TYPES,
} from '../../service';
import {
  CompletionItemKind,
  CompletionItemTag,
  DiagnosticSeverity,
  MarkupKind,
  SemanticTokensBuilder,
  SymbolKind,
} from './protocol';

const SEVERITIES = { error: 'Error', warning: 'Warning', info: 'Information' } as const;

export function protocolDiagnostic(one: Diagnostic): ProtocolDiagnostic {
  const { line, column, endLine, endColumn, code, severity, message, hint } = one;
  return {
    range: {
      start: { line: line - 1, character: column - 1 },
      end: { line: endLine - 1, character: endColumn - 1 },
    },
    severity: DiagnosticSeverity[SEVERITIES[severity]],
    code,
    codeDescription: { href: docsOf(code) },
    source: 'noetl',
    message: hint === undefined ? message : `${message}\n${hint}`,
  };
}

/** An open document, in terms of the protocol. */
export class ProtocolText {
  readonly uri: string;

  constructor(readonly document: TextDocument) {
    this.uri = document.uri;
  }

  range({ start, end }: TextRange): Range {
    return { start: this.document.positionAt(start), end: this.document.positionAt(end) };
  }

  edits(changes: readonly TextChange[]): TextEdit[] {
    return changes.map((each) => ({ range: this.range(each), newText: each.text }));
  }

  action(title: string, changes: readonly TextChange[], of?: Diagnostic): CodeAction {
    const kind = of
      ? { kind: 'quickfix', isPreferred: true, diagnostics: [protocolDiagnostic(of)] }
      : { kind: 'refactor' };
    return { title, ...kind, edit: { changes: { [this.uri]: this.edits(changes) } } };
  }

  /** In the order of the service, whatever the editor thinks of the labels. */
  items({ from, to, proposals }: Completions): CompletionItem[] {
    const range = this.range({ start: from, end: to });
    return proposals.slice(0, 200).map(({ label, kind, detail, doc, insert, deprecated }, index) => ({
      ...{ label, detail, filterText: label, sortText: String(index).padStart(4, '0') },
      kind: CompletionItemKind[kind],
      textEdit: { range, newText: insert ?? label },
      documentation: doc === undefined ? undefined : { kind: MarkupKind.Markdown, value: doc },
      tags: deprecated && [CompletionItemTag.Deprecated],
    }));
  }

  symbol(part: DocumentPart): DocumentSymbol {
    const { name, detail, kind, start, end, at, children } = part;
    return {
      ...{ name: name === '' ? '?' : name, detail, kind: SymbolKind[kind] },
      range: this.range({ start: Math.min(start, at.start), end: Math.max(end, at.end) }),
      selectionRange: this.range(at),
      children: children.map((child) => this.symbol(child)),
    };
  }

  lens({ title, command = '', argument, ...at }: Lens): CodeLens {
    const args = [this.uri, ...(argument === undefined ? [] : [argument])];
    return { range: this.range(at), command: { title, command, arguments: args } };
  }

  /** @param ranges the smallest first */
  selection(ranges: readonly TextRange[]): SelectionRange {
    const whole = { range: this.range({ start: 0, end: this.document.getText().length }) };
    return ranges.reduceRight<SelectionRange>((parent, each) => ({ range: this.range(each), parent }), whole);
  }

  /** A token of several lines is left out. */
  tokens(tokens: readonly ColouredToken[]): SemanticTokens {
    const builder = new SemanticTokensBuilder();
    for (const each of tokens) {
      const { start, end } = this.range(each);
      const type = TOKEN_TYPES.indexOf(each.type);
      if (start.line === end.line)
        builder.push(start.line, start.character, end.character - start.character, type, 0);
    }
    return builder.build();
  }
}
