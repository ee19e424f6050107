/** The language server: the service over the Language Server Protocol, on standard input and output. */
import { fileURLToPath } from 'node:url';
import type { CodeAction, Connection, Location, TextDocumentPositionParams } from 'vscode-languageserver';
import { compile, type Diagnostic } from '../../language/dsl';
import { graphOf, svgOf } from '../../language/dsl/graph';
import { fixTitle, LanguageService, rehearsed, type TextRange } from '../../service';
import { facadeOf } from '../runtime/port/facade';
import { type Port } from '../runtime/port/port';
import { type CheckedText, Checker } from './checker';
import { CAPABILITIES, KEEP_RUN } from './capabilities';
import { protocolDiagnostic, ProtocolText } from './convert';
import { createConnection, ResponseError, TextDocument, TextDocuments } from './protocol';
import { FacadeKnowledge } from './facade';
import { rehearsalOfExecution } from './rehearsal-of-execution';
import { Workspace } from './workspace';

/** Playbooks and rehearsals: other YAML files are left alone. */
const OURS = /^(apiVersion:\s*["']?noetl\.io|playbook:|rehearsals:)/m;
/** A document is checked when its writer has paused so long, in milliseconds. */
const PAUSE_MS = 120;

/** What `noetl/graph` answers; null where the playbook has errors. */
export interface GraphAnswer {
  readonly svg: string;
  /** The line of each step, from 1. */
  readonly steps: readonly { readonly step: string; readonly line: number }[];
}

class LanguageServer {
  private readonly service = new LanguageService();
  private readonly checker = new Checker();
  private readonly documents = new TextDocuments(TextDocument);
  private readonly facade: FacadeKnowledge;
  private workspace = new Workspace([], () => undefined);
  private canRefresh = false;
  /** The command line of noetl-temporal. */
  private command: readonly string[] = [process.execPath, process.argv[1] ?? ''];
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly diagnostics = new Map<string, { version: number; all: readonly Diagnostic[] }>();

  constructor(
    private readonly connection: Connection,
    port: Port,
    private readonly server: string | undefined,
  ) {
    this.facade = new FacadeKnowledge(port, () => {
      this.service.knows(this.workspace.surroundings());
      if (this.canRefresh) void connection.sendRequest('workspace/codeLens/refresh').catch(() => undefined);
    });
  }

  listen(): void {
    const { connection, documents, service } = this;
    connection.onInitialize(({ workspaceFolders, rootUri, capabilities, initializationOptions }) => {
      this.canRefresh = capabilities.workspace?.codeLens?.refreshSupport === true;
      this.command = (initializationOptions as { command?: string[] } | undefined)?.command ?? this.command;
      const roots = workspaceFolders?.map(({ uri }) => uri) ?? (rootUri === null ? [] : [rootUri]);
      const folders = roots.filter((uri) => uri.startsWith('file:')).map((uri) => fileURLToPath(uri));
      this.workspace = new Workspace(folders, (uri) => documents.get(uri)?.getText(), this.facade);
      return CAPABILITIES;
    });
    documents.onDidChangeContent(({ document }) => {
      service.knows(this.workspace.surroundings());
      service.changeDocument(document.uri, document.getText(), document.version);
      this.later(document.uri);
      // What a rehearsal says of its playbook changes with the playbook.
      for (const each of documents.all())
        if (each !== document && service.isRehearsal(each.uri)) this.later(each.uri);
    });
    documents.onDidClose(({ document: { uri } }) => {
      service.closeDocument(uri);
      clearTimeout(this.timers.get(uri));
      this.timers.delete(uri);
      this.diagnostics.delete(uri);
      void connection.sendDiagnostics({ uri, diagnostics: [] });
    });
    connection.onShutdown(async () => await this.checker.end());
    this.writing();
    this.reading();
    this.structure();
    this.requests();
    documents.listen(connection);
    connection.listen();
  }

  /** Checks what was edited at once, and the whole text when its writer pauses. */
  private later(uri: string): void {
    void this.check(uri, 'edited');
    clearTimeout(this.timers.get(uri));
    this.timers.set(
      uri,
      setTimeout(() => void this.check(uri, 'all'), PAUSE_MS),
    );
  }

  private async check(uri: string, what: 'edited' | 'all'): Promise<void> {
    const document = this.documents.get(uri);
    if (document === undefined) return;
    const { version } = document;
    const text = document.getText();
    const problems = OURS.test(text) ? await this.checker[what](this.request(uri, text)) : [];
    // Another text may have come meanwhile: it is checked itself.
    const isPresent = this.documents.get(uri)?.version === version;
    const isKnown = what === 'edited' && this.diagnostics.get(uri)?.version === version;
    if (problems === undefined || !isPresent || isKnown) return;
    this.diagnostics.set(uri, { version, all: problems });
    await this.connection.sendDiagnostics({ uri, version, diagnostics: problems.map(protocolDiagnostic) });
  }

  private request(uri: string, text: string): CheckedText {
    const { playbooks, read } = this.workspace.surroundings();
    const named = /^playbook:\s*["']?([^\s"'#]+)/m.exec(text)?.[1];
    const rehearsed = named === undefined ? undefined : read?.(uri, named);
    return { uri, text, playbooks: [...(playbooks?.keys() ?? [])], rehearsed };
  }

  /** An answer about an open document, and the offset in it. */
  private about<P extends { readonly textDocument: { readonly uri: string } }, R>(
    unknown: R,
    answer: (text: ProtocolText, offset: number, params: P) => R,
  ): (params: P) => R {
    return (params) => {
      const document = this.documents.get(params.textDocument.uri);
      const { position } = params as Partial<TextDocumentPositionParams>;
      return document
        ? answer(new ProtocolText(document), position ? document.offsetAt(position) : 0, params)
        : unknown;
    };
  }

  private writing(): void {
    const { connection, service } = this;
    connection.onCompletion(
      this.about({ isIncomplete: true, items: [] }, (text, offset) => {
        const whole = text.document.getText();
        const isOurs = OURS.test(whole) || whole.trim().length < 80;
        return {
          isIncomplete: true,
          items: isOurs ? text.items(service.completionsAt(text.uri, offset)) : [],
        };
      }),
    );
    connection.onSignatureHelp(
      this.about(null, ({ uri }, offset) => {
        const help = service.signatureAt(uri, offset);
        if (help === undefined) return null;
        const { label, parameters, active } = help;
        const signature = { label, parameters: parameters.map((each) => ({ label: each })) };
        return { signatures: [signature], activeSignature: 0, activeParameter: active };
      }),
    );
    connection.onCodeAction(
      this.about([], (text, _, { range }) => {
        const checked = this.diagnostics.get(text.uri);
        const fixes = checked?.version === text.document.version ? checked.all : [];
        const { start, end } = range;
        const touched = fixes.filter((one) => one.line - 1 <= end.line && one.endLine - 1 >= start.line);
        return [
          ...touched.flatMap((one) => (one.fix ? [text.action(fixTitle(one.fix), one.fix.edits, one)] : [])),
          ...service
            .changesAt(text.uri, text.document.offsetAt(start))
            .map(({ title, edits }) => text.action(title, edits)),
          ...this.runActions(text.uri),
        ];
      }),
    );
    connection.onDocumentFormatting(
      this.about([], (text) => {
        const [before, after] = [text.document.getText(), service.formatted(text.uri)];
        return before === after ? [] : text.edits([{ start: 0, end: before.length, text: after }]);
      }),
    );
  }

  /** A rehearsal of the last run, which a facade knows. */
  private runActions(uri: string): CodeAction[] {
    const { last } = this.workspace.formerOf(uri) ?? {};
    const title = 'Write a rehearsal of the last run';
    return last === undefined
      ? []
      : [{ title, kind: 'refactor', command: { title, command: KEEP_RUN, arguments: [uri, last] } }];
  }

  private reading(): void {
    const { connection, service } = this;
    connection.onHover(
      this.about(null, (text, offset) => {
        const hover = service.hoverAt(text.uri, offset);
        return hover
          ? { contents: { kind: 'markdown', value: hover.markdown }, range: text.range(hover) }
          : null;
      }),
    );
    const places = (text: ProtocolText, ranges: readonly TextRange[]): Location[] =>
      ranges.map((each) => ({ uri: text.uri, range: text.range(each) }));
    connection.onDefinition(
      this.about([], (text, offset) => places(text, service.definitionsAt(text.uri, offset))),
    );
    connection.onReferences(
      this.about([], (text, offset) => places(text, service.referencesAt(text.uri, offset))),
    );
    connection.onPrepareRename(
      this.about(null, (text, offset) => {
        const all = service.referencesAt(text.uri, offset);
        const here = all.find(({ start, end }) => start <= offset && offset <= end);
        return here ? text.range(here) : null;
      }),
    );
    connection.onRenameRequest(
      this.about(null, (text, offset, { newName }) => {
        const others = this.workspace.rehearsalsOf(text.uri);
        const renaming = service.renameAt(text.uri, offset, newName, others);
        if ('problem' in renaming) throw new ResponseError(-32803, renaming.problem);
        const changes = others.flatMap((other) => {
          const edits = renaming.others[other.uri];
          const file = new ProtocolText(TextDocument.create(other.uri, 'yaml', 0, other.text));
          return edits ? [[other.uri, file.edits(edits)] as const] : [];
        });
        return { changes: { [text.uri]: text.edits(renaming.edits), ...Object.fromEntries(changes) } };
      }),
    );
  }

  private structure(): void {
    const { connection, service } = this;
    connection.onDocumentSymbol(
      this.about([], (text) => service.symbolsOf(text.uri).map((part) => text.symbol(part))),
    );
    connection.onFoldingRanges(
      this.about([], (text) =>
        service.foldsOf(text.uri).map((fold) => {
          const { start, end } = text.range(fold);
          return { startLine: start.line, endLine: end.line };
        }),
      ),
    );
    connection.onSelectionRanges(
      this.about([], (text, _, { positions }) =>
        positions.map((each) => text.selection(service.selectionsAt(text.uri, text.document.offsetAt(each)))),
      ),
    );
    connection.languages.semanticTokens.on(
      this.about({ data: [] }, (text) => text.tokens(service.tokensOf(text.uri))),
    );
    connection.onCodeLens(
      this.about([], (text) => service.lensesOf(text.uri).map((lens) => text.lens(lens))),
    );
  }

  /** Requests of our own: the graph with the lines of its steps, and rehearsals with their results. */
  private requests(): void {
    this.connection.onExecuteCommand(async ({ command, arguments: [uri, execution] = [] }) => {
      if (command !== KEEP_RUN) return;
      const { file, problem } = await rehearsalOfExecution(String(uri), String(execution), {
        command: this.command,
        server: this.server,
      });
      if (problem === undefined) void this.connection.window.showDocument({ uri: file });
      else this.connection.window.showErrorMessage(`No rehearsal was written: ${problem}`);
    });
    this.connection.onRequest('noetl/graph', ({ uri }: { uri: string }): GraphAnswer | null => {
      const { plan } = compile(this.documents.get(uri)?.getText() ?? '');
      if (plan === undefined) return null;
      const graph = graphOf(plan);
      return {
        svg: svgOf(graph),
        steps: graph.nodes.flatMap(({ step, line }) =>
          step === null || line === undefined ? [] : [{ step, line }],
        ),
      };
    });
    this.connection.onRequest('noetl/rehearse', ({ uri, text }: { uri: string; text: string }) => {
      return rehearsed(uri, text, (name) => this.workspace.surroundings().read?.(uri, name));
    });
  }
}

/** Serves until the client ends the connection. */
export async function serveEditor({ server }: { readonly server?: string } = {}): Promise<void> {
  const connection = createConnection(process.stdin, process.stdout);
  new LanguageServer(connection, facadeOf(server), server).listen();
  await new Promise((resolve) => process.stdin.once('close', resolve));
}
