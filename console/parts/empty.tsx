/** Empty lists and errors, each with what to do about it. */
import { type ComponentChildren, type JSX } from 'preact';
import { type ServerError } from '../server/api';
import { CopyButton } from './copy';

export function Empty({ title, children }: { title: string; children?: ComponentChildren }): JSX.Element {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** A command to type, to be copied. */
export function CommandHint({ text }: { text: string }): JSX.Element {
  return (
    <div class="command">
      <code tabIndex={0}>{text}</code>
      <CopyButton text={() => text} label={`Copy: ${text}`} />
    </div>
  );
}

export function ProblemNote({
  error,
}: {
  error: Pick<ServerError, 'message'> & { code?: string };
}): JSX.Element {
  return (
    <div class="problem" role="alert">
      <p>{error.message}</p>
      {error.code && <code class="code">{error.code}</code>}
    </div>
  );
}

export function Loading({ what = 'Loading' }: { what?: string }): JSX.Element {
  return (
    <p class="loading" role="status">
      <span class="spinner" aria-hidden="true" /> {what} …
    </p>
  );
}
