/** Text with the colours that programs print for terminals. Backgrounds are left out: they fit one theme only. */
import Anser from 'anser';
import { type JSX } from 'preact';

const ESCAPE = '\u001b';

/** @param text one line; other control sequences than colours are removed */
export function Ansi({ text }: { text: string }): JSX.Element {
  if (!text.includes(ESCAPE)) return <>{text}</>;
  const parts = Anser.ansiToJson(text, { json: true, use_classes: true, remove_empty: true });
  return (
    <>
      {parts.map(({ content, fg, decorations }, index) => (
        <span key={index} class={[fg, ...decorations].filter(Boolean).join(' ') || undefined}>
          {content}
        </span>
      ))}
    </>
  );
}
