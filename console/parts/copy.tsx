import { type JSX } from 'preact';
import { useState } from 'preact/hooks';

const SHOWN_MS = 1_500;

/** @param text called when the button is pressed */
export function CopyButton({ text, label }: { text: () => string; label: string }): JSX.Element {
  const [copied, setCopied] = useState(false);
  const copy = (): void =>
    void navigator.clipboard?.writeText(text()).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), SHOWN_MS);
    });
  return (
    <button type="button" class="quiet" onClick={copy} aria-label={label}>
      {copied ? 'Copied' : 'Copy'}
    </button>
  );
}
