/** Shown for a part of the console that could not be loaded on demand. */
import { type JSX } from 'preact';
import { useEffect } from 'preact/hooks';

const LOOK_MS = 2_000;

/** Browsers remember that a module failed to load, so the whole page is reloaded when the server is back. */
export function NotLoaded({ what }: { what: string }): JSX.Element {
  useEffect(() => {
    const look = (): void =>
      void fetch('/api/health').then(
        ({ ok }) => ok && location.reload(),
        () => undefined,
      );
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <p class="lost" role="alert">
      {what} could not be loaded, because the server does not answer. It is loaded when the server is back.
    </p>
  );
}
