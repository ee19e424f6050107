/** Subscriptions at work: their state, what became of their messages, and those that could not be started. */
import { type JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { CommandHint, Empty, Loading, ProblemNote } from '../parts/empty';
import { StatusBadge } from '../parts/status';
import { Timestamp } from '../parts/when';
import { TRIGGER_MOVES, TRIGGER_VERBS } from '../../src/language/plan/triggers/moves';
import { type DeadLetterDocument, type SubscriptionDocument } from '../../src/server/facade/documents';
import { useDocument } from '../server/use';
import { useMay } from '../shell/session';
import { askAndTell } from '../shell/toast';

export default function TriggersPage(): JSX.Element {
  const { value, error, again } = useDocument<{ subscriptions: readonly SubscriptionDocument[] }>(
    '/api/subscriptions',
    5_000,
  );
  return (
    <>
      <header class="page-head">
        <h1>Triggers</h1>
      </header>
      {error && !value && <ProblemNote error={error} />}
      {!value && !error && <Loading />}
      {value?.subscriptions.length === 0 && (
        <Empty title="No messages start playbooks yet">
          <p>Register a subscription and activate it:</p>
          <CommandHint text="noetl-temporal register subscription.yaml && noetl-temporal trigger activate PATH" />
        </Empty>
      )}
      <ul class="cards">
        {value?.subscriptions.map((one) => (
          <Card key={one.subscription_id} one={one} onChange={again} />
        ))}
      </ul>
    </>
  );
}

/** Those that change something; a paused one is resumed. */
function verbsOf(state: SubscriptionDocument['state']): string[] {
  return TRIGGER_VERBS.filter((verb) => {
    const { from, to } = TRIGGER_MOVES[verb];
    const isAnother = state === 'PAUSED' ? 'activate' : 'resume';
    return from.includes(state) && to !== state && verb !== isAnother && state !== 'DEACTIVATED';
  });
}

interface CardProps {
  readonly one: SubscriptionDocument;
  readonly onChange: () => void;
}

function Card({ one, onChange }: CardProps): JSX.Element {
  const mayRun = useMay('run');
  const [open, setOpen] = useState(false);
  const { path, state, trouble, subscription_id: id } = one;
  const place = `/api/subscriptions/${id}`;
  return (
    <li class="card" data-subscription={path} data-state={state}>
      <div class="card-head">
        <h2>{path}</h2>
        <span class="hint">{one.address ?? one.source}</span>
        <StatusBadge status={state} />
        {mayRun && (
          <div class="actions push">
            {verbsOf(state).map((verb) => (
              <button
                key={verb}
                type="button"
                onClick={() => askAndTell(`${place}/${verb}`, `${path}: ${verb}.`, onChange)}
              >
                {verb[0]!.toUpperCase() + verb.slice(1)}
              </button>
            ))}
          </div>
        )}
      </div>
      {trouble && (
        <p class="failure" data-trouble>
          {trouble}
        </p>
      )}
      <p>
        {one.started} started, {one.duplicates} duplicates, {one.filtered} left out
        <Rate started={one.started} />
        {one.lag !== null && `, ${String(one.lag)} waiting`}
        {one.last_message_at && (
          <>
            , last <Timestamp at={one.last_message_at} />
          </>
        )}
      </p>
      {one.dead_letters > 0 && (
        <button type="button" class="link" aria-expanded={open} onClick={() => setOpen(!open)}>
          {one.dead_letters === 1 ? '1 dead letter' : `${String(one.dead_letters)} dead letters`}
        </button>
      )}
      {open && <DeadLetters place={`${place}/dead`} mayRun={mayRun} onChange={onChange} />}
    </li>
  );
}

/** Between two looks at the server. */
function Rate({ started }: { started: number }): JSX.Element | null {
  const last = useRef({ started, at: performance.now(), rate: 0 });
  const now = performance.now();
  if (now - last.current.at > 4_000) {
    const rate = ((started - last.current.started) * 1000) / (now - last.current.at);
    last.current = { started, at: now, rate };
  }
  const { rate } = last.current;
  return rate > 0 ? <>, {rate.toFixed(1)} a second</> : null;
}

interface LettersProps extends Pick<CardProps, 'onChange'> {
  readonly place: string;
  readonly mayRun: boolean;
}

function DeadLetters({ place, mayRun, onChange }: LettersProps): JSX.Element {
  const { value, error, again } = useDocument<{ dead_letters: readonly DeadLetterDocument[] }>(place, 5_000);
  const does = (verb: string, message: string): void =>
    askAndTell(`${place}/${verb}`, message, () => (again(), onChange()), { all: true });
  if (error) return <ProblemNote error={error} />;
  return (
    <>
      {mayRun && (
        <div class="actions">
          <button
            type="button"
            onClick={() => does('replay', 'They are started again; what fails again stays.')}
          >
            Replay all
          </button>
          <button type="button" class="danger-quiet" onClick={() => does('drop', 'They are forgotten.')}>
            Drop all
          </button>
        </div>
      )}
      <ul>
        {value?.dead_letters.map((letter) => (
          <li key={letter.dead_id}>
            <Timestamp at={letter.failed_at} /> <code class="code">{letter.code}</code> {letter.message_id}:{' '}
            {letter.error}
          </li>
        ))}
      </ul>
    </>
  );
}
