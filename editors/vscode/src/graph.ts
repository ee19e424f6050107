/** The graph beside the text: a click on a step goes to its line, the cursor marks its step. */
import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { type GraphAnswer } from '../../../src/cli/lsp/server';
import { graphOfText } from './client';

/** Marks a step, and tells which one was clicked; the first line of a box's tooltip begins with its name. */
const SCRIPT = `
const vscode = acquireVsCodeApi();
const names = new Map([...document.querySelectorAll('g > title')].map((title) => [title.textContent.split(': ')[0], title.parentElement]));
for (const [step, box] of names) {
  box.style.cursor = 'pointer';
  box.addEventListener('click', () => vscode.postMessage({ step }));
}
addEventListener('message', ({ data }) => {
  for (const [step, box] of names) box.classList.toggle('here', step === data.step);
  names.get(data.step)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
});`;

export class GraphView implements vscode.Disposable {
  private panel?: vscode.WebviewPanel;
  private shown?: { readonly uri: vscode.Uri; readonly graph: GraphAnswer };
  private readonly listeners: vscode.Disposable[];

  constructor(private readonly client: LanguageClient) {
    this.listeners = [
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.follow(textEditor)),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => void this.redraw(uri)),
      vscode.languages.onDidChangeDiagnostics(({ uris }) => uris.forEach((uri) => void this.redraw(uri))),
    ];
  }

  async show(uri: vscode.Uri): Promise<void> {
    const graph = await graphOfText(this.client, uri.toString());
    if (graph === null) {
      void vscode.window.showWarningMessage(
        'The playbook has errors: its graph can be drawn when they are mended.',
      );
      return;
    }
    this.panel ??= this.open();
    this.draw(uri, graph);
  }

  dispose(): void {
    for (const listener of this.listeners) listener.dispose();
    this.panel?.dispose();
  }

  private open(): vscode.WebviewPanel {
    const options = { enableScripts: true, retainContextWhenHidden: true };
    const column = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    const panel = vscode.window.createWebviewPanel('noetl.graph', 'Graph', column, options);
    panel.onDidDispose(() => {
      this.panel = undefined;
      this.shown = undefined;
    });
    panel.webview.onDidReceiveMessage(({ step }: { step: string }) => void this.reveal(step));
    return panel;
  }

  /** While there are errors, the last graph stays. */
  private async redraw(uri: vscode.Uri): Promise<void> {
    if (this.shown?.uri.toString() !== uri.toString()) return;
    const graph = await graphOfText(this.client, uri.toString());
    if (graph !== null && graph.svg !== this.shown.graph.svg) this.draw(uri, graph);
    else if (graph !== null) this.shown = { uri, graph };
  }

  private draw(uri: vscode.Uri, graph: GraphAnswer): void {
    if (this.panel === undefined) return;
    this.shown = { uri, graph };
    const nonce = Array.from({ length: 24 }, () => Math.floor(Math.random() * 36).toString(36)).join('');
    const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-${nonce}'`;
    this.panel.webview.html = `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}">
<style>body{padding:12px}svg{max-width:100%;height:auto}.here .box{stroke:#d97706;stroke-width:3}</style>
${graph.svg}<script nonce="${nonce}">${SCRIPT}</script>`;
    const editor = vscode.window.visibleTextEditors.find(
      ({ document }) => document.uri.toString() === uri.toString(),
    );
    if (editor) setTimeout(() => this.follow(editor), 300);
  }

  private follow({ document, selection }: vscode.TextEditor): void {
    if (this.shown?.uri.toString() !== document.uri.toString()) return;
    const line = selection.active.line + 1;
    const step = this.shown.graph.steps.filter((each) => each.line <= line).at(-1);
    void this.panel?.webview.postMessage({ step: step?.step ?? '' });
  }

  private async reveal(step: string): Promise<void> {
    const line = this.shown?.graph.steps.find((each) => each.step === step)?.line;
    if (this.shown === undefined || line === undefined) return;
    const at = new vscode.Range(line - 1, 0, line - 1, 0);
    await vscode.window.showTextDocument(this.shown.uri, {
      viewColumn: vscode.ViewColumn.One,
      selection: at,
    });
  }
}
