/** Stores a credential, and tests one: on a worker, where it is used. */
import { type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { JsonField, jsonOf, jsonProblem } from '../parts/json-field';
import { isSecretKey, TOOL_KINDS } from '../../src/language/plan';
import { TextField } from '../parts/text-field';
import { type CredentialDocument, type CredentialTested } from '../../src/server/facade/documents';
import { askApi } from '../server/api';
import { runAddress } from '../shell/address';
import { Dialog } from '../shell/dialog';
import { say } from '../shell/toast';

/** Types of the kinds, with the fields of their first form. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    Object.values(TOOL_KINDS)
      .flatMap(({ credentials = [] }) => credentials)
      .map(({ names, forms }) => [names[0], (forms[0] ?? []).map(([field]) => field)]),
  ),
  custom: [],
};

export function CredentialEditor({ onClose }: { onClose: () => void }): JSX.Element {
  const [name, setName] = useState('');
  const [type, setType] = useState(Object.keys(FIELDS)[0] ?? '');
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const [more, setMore] = useState('{}');
  const [description, setDescription] = useState('');
  const [paths, setPaths] = useState('');
  const fields = FIELDS[type] ?? [];
  const store = async (): Promise<void> => {
    const given = Object.entries(typed).filter(([field, value]) => fields.includes(field) && value !== '');
    const data = { ...Object.fromEntries(given), ...jsonOf(more) };
    const bound = paths.split(/[\s,]+/).filter(Boolean);
    const body = {
      name,
      type,
      data,
      description: description || null,
      paths: bound.length > 0 ? bound : null,
    };
    const { note } = await askApi<{ note?: string }>('/api/credentials', { body });
    say(note ?? `${name} is stored.`);
  };
  return (
    <Dialog
      title="New credential"
      verb="Store"
      disabled={jsonProblem(more, true) !== undefined}
      onDo={store}
      onClose={onClose}
    >
      <TextField label="Name" required placeholder="pg_main" value={name} onInput={setName} />
      <label>
        Type
        <select name="type" value={type} onChange={(event) => setType(event.currentTarget.value)}>
          {Object.keys(FIELDS).map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      {fields.map((field) => (
        <TextField
          key={field}
          label={field}
          name={field}
          type={isSecretKey(field) || field === 'value' ? 'password' : 'text'}
          autocomplete="off"
          value={typed[field] ?? ''}
          onInput={(value) => setTyped({ ...typed, [field]: value })}
        />
      ))}
      <JsonField label="Other fields (JSON)" value={more} onInput={setMore} rows={2} mapping />
      <TextField label="What it is" value={description} onInput={setDescription} />
      <TextField
        label="Only for these playbooks"
        placeholder="team/*, jobs/nightly"
        hint="Paths; without any, all may use it"
        value={paths}
        onInput={setPaths}
      />
    </Dialog>
  );
}

interface TestProps {
  readonly of: CredentialDocument;
  readonly onClose: () => void;
}

export function CredentialTester({ of, onClose }: TestProps): JSX.Element {
  const [url, setUrl] = useState('');
  const test = async (): Promise<void> => {
    const body = url === '' ? {} : { url };
    const path = `/api/credentials/${encodeURIComponent(of.name)}/test`;
    const { ok, code, message, execution_id: id } = await askApi<CredentialTested>(path, { body });
    if (!ok) throw Object.assign(new Error(message ?? ''), { code: code ?? '' });
    say(`${of.name} connects.`, runAddress(id));
  };
  return (
    <Dialog title={`Test ${of.name}`} verb="Connect" onDo={test} onClose={onClose}>
      <p>A worker opens it and makes one harmless request: SELECT 1, or a GET.</p>
      <TextField
        label="Address"
        type="url"
        placeholder="https://api.example.com/me"
        hint="For credentials that name no server"
        value={url}
        onInput={setUrl}
      />
    </Dialog>
  );
}
