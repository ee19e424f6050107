/** Rehearsals in the test explorer, and their results beside the text. */
import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { type RehearsedText } from '../../../src/service';
import { rehearse } from './client';

const FILES = '**/*.rehearsal.{yaml,yml}';

export class Rehearsals implements vscode.Disposable {
  private readonly tests = vscode.tests.createTestController('noetl', 'NoETL rehearsals');
  private readonly marks = vscode.window.createTextEditorDecorationType({ after: { margin: '0 0 0 2em' } });
  private readonly watcher = vscode.workspace.createFileSystemWatcher(FILES);

  constructor(private readonly client: LanguageClient) {
    const { tests, watcher } = this;
    tests.createRunProfile(
      'Rehearse',
      vscode.TestRunProfileKind.Run,
      async (request) => await this.run(request),
      true,
    );
    tests.refreshHandler = async () => await this.discover();
    watcher.onDidCreate((uri) => void this.add(uri));
    watcher.onDidChange((uri) => void this.add(uri));
    watcher.onDidDelete((uri) => tests.items.delete(uri.toString()));
  }

  async discover(): Promise<void> {
    for (const uri of await vscode.workspace.findFiles(FILES)) await this.add(uri);
  }

  /** Rehearses the playbook or the rehearsal file of an editor, and writes the results into its lines. */
  async show(uri: vscode.Uri): Promise<void> {
    const own = /\.rehearsal\.ya?ml$/.test(uri.path)
      ? uri
      : uri.with({ path: uri.path.replace(/\.ya?ml$/, '.rehearsal.yaml') });
    const document = await vscode.workspace.openTextDocument(own).then(undefined, () => undefined);
    if (document === undefined) {
      void vscode.window.showWarningMessage(
        `There is no ${own.path.split('/').at(-1)}: \`noetl-temporal test --init\` writes a first one.`,
      );
      return;
    }
    const answer = await rehearse(this.client, own.toString(), document.getText());
    const editor = await vscode.window.showTextDocument(document, { preserveFocus: true, preview: false });
    this.mark(editor, answer);
    const failed = answer.results.filter(({ ok }) => !ok).length;
    void vscode.window.setStatusBarMessage(
      `NoETL: ${answer.results.length - failed} rehearsals passed, ${failed} failed`,
      10_000,
    );
  }

  dispose(): void {
    this.tests.dispose();
    this.marks.dispose();
    this.watcher.dispose();
  }

  private mark(editor: vscode.TextEditor, { results }: RehearsedText): void {
    const decorations = results.map(({ ok, line, difference }) => ({
      range: editor.document.lineAt(line - 1).range,
      hoverMessage: difference === '' ? 'passed' : new vscode.MarkdownString().appendCodeblock(difference),
      renderOptions: {
        after: {
          contentText: ok
            ? '✓ passed'
            : `✗ ${
                difference
                  .split('\n')
                  .find((each) => each.startsWith('  '))
                  ?.trim() ?? 'failed'
              }`,
          color: new vscode.ThemeColor(ok ? 'testing.iconPassed' : 'testing.iconFailed'),
        },
      },
    }));
    editor.setDecorations(this.marks, decorations);
  }

  /** A file is an item; its rehearsals are known when it has run once, and before that by their names. */
  private async add(uri: vscode.Uri): Promise<vscode.TestItem> {
    const text = (await vscode.workspace.openTextDocument(uri)).getText();
    const item = this.tests.createTestItem(uri.toString(), vscode.workspace.asRelativePath(uri), uri);
    const names = [...text.matchAll(/^\s*-\s+name:\s*(.+?)\s*$/gm)];
    for (const { 1: name = '', index } of names) {
      const child = this.tests.createTestItem(
        `${uri.toString()}#${name}`,
        name.replaceAll(/^["']|["']$/g, ''),
        uri,
      );
      const line = text.slice(0, index).split('\n').length - 1;
      child.range = new vscode.Range(line, 0, line, 0);
      item.children.add(child);
    }
    this.tests.items.add(item);
    return item;
  }

  private async run(request: vscode.TestRunRequest): Promise<void> {
    const run = this.tests.createTestRun(request);
    const all = request.include ?? [...this.tests.items].map(([, item]) => item);
    const files = new Map(all.map((item) => [(item.parent ?? item).id, item.parent ?? item]));
    for (const file of files.values()) {
      if (file.uri === undefined) continue;
      run.started(file);
      const text = (await vscode.workspace.openTextDocument(file.uri)).getText();
      const { results, diagnostics } = await rehearse(this.client, file.uri.toString(), text);
      for (const { message, line } of results.length === 0 ? diagnostics : []) {
        const problem = new vscode.TestMessage(message);
        problem.location = new vscode.Location(file.uri, new vscode.Position(line - 1, 0));
        run.errored(file, problem);
      }
      for (const { name, ok, difference, line } of results) {
        const item = [...file.children].map(([, child]) => child).find(({ label }) => label === name) ?? file;
        const message = new vscode.TestMessage(difference);
        message.location = new vscode.Location(file.uri, new vscode.Position(line - 1, 0));
        if (ok) run.passed(item);
        else run.failed(item, message);
      }
    }
    run.end();
  }
}
