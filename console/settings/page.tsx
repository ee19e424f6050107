/** The current user, and the page's appearance. */
import { type JSX } from 'preact';
import { askApi } from '../server/api';
import { useSession } from '../shell/session';
import { ThemeChoice } from '../shell/theme-choice';

export default function SettingsPage(): JSX.Element {
  const session = useSession();
  const leave = (): void =>
    void askApi('/api/auth/session', { method: 'DELETE' }).finally(() => location.assign('/'));
  return (
    <>
      <header class="page-head">
        <h1>Settings</h1>
      </header>
      <section class="card settings">
        <h2>Appearance</h2>
        <ThemeChoice />
      </section>
      <section class="card settings">
        <h2>Token</h2>
        {session.needs_token ? (
          <>
            <p>
              <strong>{session.name}</strong> may: {session.scopes.join(', ')}
            </p>
            <p class="hint">It is in a cookie of this browser, which no script reads, for twelve hours.</p>
            <button type="button" onClick={leave}>
              Log out
            </button>
          </>
        ) : (
          <p>This server asks nobody for a token: it answers this machine only.</p>
        )}
      </section>
      <section class="card settings">
        <h2>About</h2>
        <p>
          noetl-temporal {session.version} · <a href="/docs">REST reference</a>
          {session.temporal_ui && (
            <>
              {' '}
              ·{' '}
              <a href={`${session.temporal_ui}/workflows`} target="_blank" rel="noreferrer">
                Temporal
              </a>
            </>
          )}{' '}
          · <a href="/file">Open a history file</a>
        </p>
      </section>
    </>
  );
}
