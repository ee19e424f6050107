/** The login form, if the facade requires tokens. */
import { type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { CommandHint, ProblemNote } from '../parts/empty';
import { TextField } from '../parts/text-field';
import { askApi, type ServerError } from '../server/api';
import { type ConsoleSession } from '../../src/server/facade/documents';

export function Login({ onIn }: { onIn: (session: ConsoleSession) => void }): JSX.Element {
  const [token, setToken] = useState('');
  const [error, setError] = useState<ServerError>();
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      onIn(await askApi<ConsoleSession>('/api/auth/session', { body: { token: token.trim() } }));
    } catch (problem) {
      setError(problem as ServerError);
    }
  };
  return (
    <main class="login">
      <form onSubmit={(event) => void submit(event)}>
        <img src="/assets/icon.svg" alt="" width="44" height="44" />
        <h1>NoETL</h1>
        <TextField
          label="Token"
          type="password"
          name="token"
          autocomplete="current-password"
          required
          value={token}
          onInput={setToken}
        />
        {error && <ProblemNote error={error} />}
        <button type="submit" class="primary">
          Log in
        </button>
        <div class="hint">
          No token yet? Whoever runs the server makes one:
          <CommandHint text="noetl-temporal tokens create me --scopes run" />
          It stays in a cookie of this browser for twelve hours; no script can read it.
        </div>
      </form>
    </main>
  );
}
