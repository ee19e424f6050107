/** What the language service knows, for CodeMirror: proposals by place, and what is under the pointer. */
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { type Extension } from '@codemirror/state';
import { hoverTooltip } from '@codemirror/view';
import { type Completions, type HoverText, type CompletionProposal } from '../../src/service';

export interface EditorHelp {
  complete(text: string, offset: number): Promise<Completions>;
  hover(text: string, offset: number): Promise<HoverText | undefined>;
}

/** Here something is proposed before a letter is typed; a line end elsewhere is never to take a proposal. */
const OPENS = /(\{\{\s*|\{%\s*|\||\w\.|\b(kind|step):\s)\s*$/;

export function helpFrom(help: EditorHelp): Extension {
  return [
    autocompletion({
      override: [(context) => proposals(context, help)],
      icons: false,
      optionClass: ({ type }) => type ?? '',
    }),
    hoverTooltip(async ({ state }, at) => {
      const hover = await help.hover(state.doc.toString(), at).catch(() => undefined);
      if (!hover || hover.end > state.doc.length) return null;
      const dom = rendered(hover.markdown);
      return { pos: hover.start, end: hover.end, create: () => ({ dom }) };
    }),
  ];
}

async function proposals(context: CompletionContext, help: EditorHelp): Promise<CompletionResult | null> {
  const { state, pos, explicit } = context;
  const line = state.doc.lineAt(pos);
  const before = line.text.slice(0, pos - line.from);
  if (!explicit && !/[\w-]$/.test(before) && !OPENS.test(before)) return null;
  const { from, to, proposals: all } = await help.complete(state.doc.toString(), pos);
  if (context.aborted || all.length === 0) return null;
  return { from, to, options: all.map(completionOf), filter: false };
}

function completionOf({ label, detail, doc, insert, deprecated }: CompletionProposal): Completion {
  return {
    label,
    ...(deprecated && { type: 'deprecated' }),
    ...(detail !== undefined && { detail }),
    ...(insert !== undefined && { apply: insert }),
    ...(doc ? { info: () => rendered(doc) } : {}),
  };
}

/** Paragraphs, `code` and **bold**: all that the service writes. */
function rendered(markdown: string): HTMLElement {
  const box = document.createElement('div');
  box.className = 'cm-help';
  for (const text of markdown.split(/\n{2,}/)) {
    const paragraph = document.createElement('p');
    for (const part of text.split(/(`[^`]+`|\*\*[^*]+\*\*)/)) {
      const [, code, bold] = /^`(.+)`$|^\*\*(.+)\*\*$/.exec(part) ?? [];
      const words = code ?? bold;
      if (words === undefined) paragraph.append(part);
      else
        paragraph.append(
          Object.assign(document.createElement(code ? 'code' : 'strong'), { textContent: words }),
        );
    }
    box.append(paragraph);
  }
  return box;
}
