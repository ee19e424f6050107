/** Shown for a part of the console that could not be loaded on demand. */
import { type JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { ServerError } from '../server/api';

const LOOK_MS = 2_000;

/** @param error of `usePart`, which goes on by itself when the server is back */
export function NotLoaded({ what, error }: { what: string; error: unknown }): JSX.Element {
  const isAway = error instanceof ServerError;
  // Otherwise the server has another release, without this part, or went away just then.
  useEffect(() => {
    if (isAway) return undefined;
    const look = (): void =>
      void fetch('/api/health').then(
        ({ ok }) => ok && location.reload(),
        () => undefined,
      );
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, [isAway]);
  return (
    <p class="lost" role="alert">
      {what} could not be loaded
      {isAway
        ? ', because the server does not answer. It is loaded when the server is back.'
        : '. The console is loaded again when the server answers.'}
    </p>
  );
}
