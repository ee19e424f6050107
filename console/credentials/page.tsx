/** Names and types of credentials; their values are never asked for. */
import { type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type CredentialDocument } from '../../src/server/facade/documents';
import { CommandHint, Empty, Loading, ProblemNote } from '../parts/empty';
import { Timestamp } from '../parts/when';
import { useDocument } from '../server/use';
import { useMay } from '../shell/session';
import { CredentialEditor, CredentialTester } from './editor';

export default function CredentialsPage(): JSX.Element {
  const { value, error, again } = useDocument<{ items: readonly CredentialDocument[] }>(
    '/api/credentials',
    15_000,
  );
  const [making, setMaking] = useState(false);
  const [tested, setTested] = useState<CredentialDocument>();
  const mayAdmin = useMay('admin');
  return (
    <>
      <header class="page-head">
        <h1>Credentials</h1>
        {value && <span class="count">{value.items.length}</span>}
        {mayAdmin && (
          <button type="button" class="primary" onClick={() => setMaking(true)}>
            New credential
          </button>
        )}
      </header>
      {error && !value && <ProblemNote error={error} />}
      {!value && !error && <Loading />}
      {value?.items.length === 0 && (
        <Empty title="No credential is stored">
          <p>
            A playbook names one with auth; its value is encrypted, and only workers get it. From a JSON file:
          </p>
          <CommandHint text="noetl-temporal credentials add pg_main --type postgres --values @pg_main.json" />
        </Empty>
      )}
      {value && value.items.length > 0 && (
        <div class="card credentials" tabIndex={0} role="region" aria-label="Credentials">
          <table>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Type</th>
                <th scope="col">What it is</th>
                <th scope="col">Changed</th>
                <th scope="col">Last used</th>
                {mayAdmin && <th scope="col">Test</th>}
              </tr>
            </thead>
            <tbody>
              {value.items.map((one) => (
                <tr key={one.id} data-credential={one.name}>
                  <td>
                    <strong>{one.name}</strong>
                  </td>
                  <td>
                    <code>{one.type}</code>
                  </td>
                  <td>
                    {one.description}
                    {one.tags.length > 0 && <small> {one.tags.join(', ')}</small>}
                  </td>
                  <td>
                    <Timestamp at={one.updated_at} />
                  </td>
                  <td>{one.last_used_at ? <Timestamp at={one.last_used_at} /> : 'never'}</td>
                  {mayAdmin && (
                    <td>
                      <button type="button" onClick={() => setTested(one)} aria-label={`Test ${one.name}`}>
                        Test
                      </button>
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {making && <CredentialEditor onClose={() => (setMaking(false), again())} />}
      {tested && <CredentialTester of={tested} onClose={() => (setTested(undefined), again())} />}
    </>
  );
}
