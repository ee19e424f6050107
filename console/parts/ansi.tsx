/** Text with the colours that programs print for terminals. Backgrounds are left out: they fit one theme only. */
import Anser from 'anser';
import { type JSX } from 'preact';

const ESCAPE = '\u001b';

/** @param text one line; other control sequences than colours are removed @param marked what one looks for */
export function Ansi({ text, marked = '' }: { text: string; marked?: string }): JSX.Element {
  if (!text.includes(ESCAPE)) return <Marked {...{ text, marked }} />;
  const parts = Anser.ansiToJson(text, { json: true, use_classes: true, remove_empty: true });
  return (
    <>
      {parts.map(({ content, fg, decorations }, index) => (
        <span key={index} class={[fg, ...decorations].filter(Boolean).join(' ') || undefined}>
          <Marked text={content} marked={marked} />
        </span>
      ))}
    </>
  );
}

function Marked({ text, marked }: { text: string; marked: string }): JSX.Element {
  const at = marked === '' ? -1 : text.toLowerCase().indexOf(marked.toLowerCase());
  if (at < 0) return <>{text}</>;
  const end = at + marked.length;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, end)}</mark>
      <Marked text={text.slice(end)} marked={marked} />
    </>
  );
}
