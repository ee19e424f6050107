/** The versions of a playbook, and what is different between two of them. */
import { type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { diffLines } from 'diff';
import { Loading } from '../parts/empty';
import { fullMoment } from '../parts/time';
import { type CatalogVersion } from '../../src/server/facade/documents';
import { useContent } from '../server/use';

/** Lines shown around a difference. */
const AROUND = 3;

interface Line {
  readonly sign: '+' | '-' | ' ' | '…';
  readonly text: string;
}

export function VersionList({ versions }: { versions: readonly CatalogVersion[] }): JSX.Element {
  const [newer, setNewer] = useState(versions[0]?.version ?? 1);
  const [older, setOlder] = useState(versions[1]?.version ?? versions[0]?.version ?? 1);
  const find = (version: number): CatalogVersion | undefined =>
    versions.find((entry) => entry.version === version);
  const [before, after] = [useContent(find(older)?.catalog_id), useContent(find(newer)?.catalog_id)];
  if (before === undefined || after === undefined) return <Loading />;
  return (
    <div class="versions">
      <div class="filters">
        <Choice label="From" value={older} versions={versions} onChoose={setOlder} />
        <Choice label="To" value={newer} versions={versions} onChoose={setNewer} />
      </div>
      <Differences before={before} after={after} />
    </div>
  );
}

export function Differences({ before, after }: { before: string; after: string }): JSX.Element {
  const lines = linesOf(before, after);
  if (lines.every(({ sign }) => sign === ' ' || sign === '…')) return <p class="hint">No difference.</p>;
  return (
    <pre class="diff" tabIndex={0} aria-label="Differences">
      {lines.map(({ sign, text }, index) => (
        <span key={index} class={sign === '+' ? 'added' : sign === '-' ? 'removed' : ''}>
          {sign} {text}
          {'\n'}
        </span>
      ))}
    </pre>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: number;
  readonly versions: readonly CatalogVersion[];
  readonly onChoose: (version: number) => void;
}

function Choice({ label, value, versions, onChoose }: ChoiceProps): JSX.Element {
  return (
    <label class="check">
      {label}
      <select value={value} onChange={(event) => onChoose(Number(event.currentTarget.value))}>
        {versions.map((entry) => (
          <option key={entry.version} value={entry.version}>
            {entry.version} · {fullMoment(entry.created_at)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Line by line; long stretches of equal ones are left out. */
function linesOf(before: string, after: string): Line[] {
  const parts = diffLines(before, after);
  return parts.flatMap((part, index): Line[] => {
    const lines = part.value.replace(/\n$/, '').split('\n');
    if (part.added) return lines.map((text) => ({ sign: '+', text }));
    if (part.removed) return lines.map((text) => ({ sign: '-', text }));
    const head = index === 0 ? 0 : AROUND;
    const tail = index === parts.length - 1 ? 0 : AROUND;
    const equal = lines.map((text): Line => ({ sign: ' ', text }));
    if (lines.length <= head + tail + 1) return equal;
    const left = `${String(lines.length - head - tail)} equal lines`;
    return [...equal.slice(0, head), { sign: '…', text: left }, ...equal.slice(lines.length - tail)];
  });
}
