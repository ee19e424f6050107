/** Messages shown for some seconds, and announced to screen readers. */
import { type JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { askApi } from '../server/api';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly href?: string;
}

const SHOWN_MS = 6_000;
const messages = new EventTarget();
let last = 0;

/** @param href of its subject */
export function say(text: string, href?: string): void {
  messages.dispatchEvent(
    new CustomEvent<Toast>('said', { detail: { id: ++last, text, ...(href ? { href } : {}) } }),
  );
}

/** Sends a request and reports its outcome. */
export function askAndTell(path: string, message: string, onDone?: () => void, body: object = {}): void {
  void askApi(path, { body }).then(
    () => {
      say(message);
      onDone?.();
    },
    (error: Error) => say(error.message),
  );
}

export function Toasts(): JSX.Element {
  const [shown, setShown] = useState<readonly Toast[]>([]);
  useEffect(() => {
    const hear = (event: Event): void => {
      const { detail } = event as CustomEvent<Toast>;
      setShown((before) => [...before, detail]);
      setTimeout(() => setShown((before) => before.filter((one) => one !== detail)), SHOWN_MS);
    };
    messages.addEventListener('said', hear);
    return () => messages.removeEventListener('said', hear);
  }, []);
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.map((one) => (
        <p key={one.id}>
          {one.text} {one.href && <a href={one.href}>Open</a>}
        </p>
      ))}
    </div>
  );
}
