/** Lists for those who operate, a tab each. */
import { type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { CommandHint, Empty, Loading, ProblemNote } from '../parts/empty';
import { type TableRow, Rows } from '../parts/rows';
import { askApi } from '../server/api';
import { useLoaded } from '../server/use';
import { go, withQuery } from '../shell/address';
import { Dialog } from '../shell/dialog';
import { useSession } from '../shell/session';
import { say } from '../shell/toast';
import { type OperationsList, LISTS, type RowAct } from './lists';

const EVERY_MS = 5_000;

interface Props {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

export default function OperationsPage({ path: [, chosen = ''], query }: Props): JSX.Element {
  const { scopes } = useSession();
  const shown = Object.entries(LISTS).filter(([, { scope }]) => !scope || scopes.includes(scope));
  const [name, list] = shown.find(([one]) => one === chosen) ?? shown[0]!;
  return (
    <>
      <header class="page-head">
        <h1>{list.title}</h1>
      </header>
      <nav class="tabs" aria-label="Operations">
        {shown.map(([one, { title }]) => (
          <a key={one} href={`/operations/${one}`} aria-current={one === name ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
      <List key={name} list={list} query={query} />
    </>
  );
}

function List({ list, query }: { list: OperationsList; query: URLSearchParams }): JSX.Element {
  const { value, error, again } = useLoaded(
    (signal) => list.load(query, signal),
    [query.toString()],
    EVERY_MS,
  );
  const { scopes } = useSession();
  const [pending, setPending] = useState<{ act: RowAct; row: TableRow }>();
  const acts = list.acts.filter(({ scope }) => scopes.includes(scope));
  const buttons = (row: TableRow): JSX.Element[] =>
    acts
      .filter(({ when }) => when(row))
      .map((act) => (
        <button key={act.label} type="button" onClick={() => setPending({ act, row })}>
          {act.label}
        </button>
      ));
  const [title, says, command] = list.none;
  return (
    <>
      <Filters of={list.filters} query={query} />
      {error && !value && <ProblemNote error={error} />}
      {!value && !error && <Loading />}
      {value?.length === 0 && (
        <Empty title={title}>
          <p>{says}</p>
          {command && <CommandHint text={command} />}
        </Empty>
      )}
      {value && value.length > 0 && (
        <Rows
          label={list.title}
          rows={value}
          keyOf={list.keyOf}
          columns={{ ...list.columns, ...(acts.length > 0 && { Do: buttons }) }}
        />
      )}
      {pending && (
        <Dialog
          title={`${pending.act.label}: ${list.keyOf(pending.row)}?`}
          verb={pending.act.label}
          onDo={async () => {
            await askApi(...pending.act.ask(pending.row));
            say(pending.act.message);
            again();
          }}
          onClose={() => setPending(undefined)}
        />
      )}
    </>
  );
}

function Filters({ of, query }: { of: OperationsList['filters']; query: URLSearchParams }): JSX.Element {
  return (
    <div class="filters" role="search" aria-label="What is listed">
      {Object.entries(of).map(([name, words]) => {
        const common = { key: name, 'aria-label': name, value: query.get(name) ?? '' };
        const change = (event: Event): void =>
          go(withQuery({ [name]: (event.currentTarget as HTMLInputElement).value }), true);
        if (words.length === 0)
          return <input {...common} type="search" placeholder={name} onChange={change} />;
        return (
          <select {...common} onChange={change}>
            <option value="">any {name}</option>
            {words.map((word) => (
              <option key={word}>{word}</option>
            ))}
          </select>
        );
      })}
    </div>
  );
}
