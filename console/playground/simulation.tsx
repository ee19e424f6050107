/** Many runs with faults that seeds draw; each can be looked at. */
import { type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type FoundFault, type SimulationResult } from '../../src/offline/simulation';
import { Sign } from '../parts/status';
import { TextField } from '../parts/text-field';
import { type PlaygroundTexts, type SimulatedRun } from './protocol';
import { type Prover, useWork } from './prover';
import { Work } from './work';

interface SimulationProps {
  readonly texts: PlaygroundTexts;
  readonly prover: Prover;
  readonly onWrite: (faults: string) => void;
  readonly onShow: (title: string, run: () => Promise<SimulatedRun>) => void;
}

const HINT = `faults:
  all: { failures: 5%, lost: 2%, duplicates: 2%, delay: [0s, 2s] }
may_wait: true`;

export function SimulationPane({ texts, prover, onWrite, onShow }: SimulationProps): JSX.Element {
  const [first, setFirst] = useState('1');
  const [count, setCount] = useState('100');
  const work = useWork<SimulationResult>();
  const numbers = [Number(first), Number(count)] as const;
  const areNumbers = numbers.every((one) => Number.isSafeInteger(one) && one >= 0);
  const show = (seed: number): void =>
    onShow(`Simulation, seed ${String(seed)}`, () => prover.seed(texts, seed));
  return (
    <div class="playground-pane">
      <p class="hint">
        Runs of the playbook in which tools fail, are lost, answer late or twice. What happens follows from
        the seed; the mocks of the rehearsals answer.
      </p>
      <div class="filters">
        <TextField label="First seed" value={first} onInput={setFirst} pattern="\d+" />
        <TextField label="Runs, up to 1,000" value={count} onInput={setCount} pattern="\d+" />
        <button type="button" disabled={!areNumbers} onClick={() => show(numbers[0])}>
          See the first run
        </button>
      </div>
      <label>
        What goes wrong, and what must hold nevertheless (empty: typical faults)
        <textarea
          rows={5}
          spellcheck={false}
          placeholder={HINT}
          value={texts.faults}
          onInput={(event) => onWrite(event.currentTarget.value)}
        />
      </label>
      <Work
        label="Simulate"
        {...{ prover, work }}
        onStart={() => areNumbers && work.start(() => prover.simulate(texts, ...numbers))}
      />
      {work.answer && <Simulated result={work.answer} onSeed={show} />}
    </div>
  );
}

interface SimulatedProps {
  readonly result: SimulationResult;
  readonly onSeed: (seed: number) => void;
}

function Simulated({ result, onSeed }: SimulatedProps): JSX.Element {
  const ends = Object.entries(result.ends).filter(([, count]) => count > 0);
  return (
    <div class="rehearsed" role="status" data-runs={result.runs}>
      <p>
        <Sign look={result.ok ? 'done' : 'failed'} /> {result.runs} runs:{' '}
        {ends.map(([end, count]) => `${String(count)} ${end}`).join(', ')}
        {result.ok ? '; no fault found.' : '.'}
      </p>
      {result.causes.map(({ cause, message, count, seed }) => (
        <p key={cause}>
          {count} failed: <code>{cause}</code> {message} <SeedButton {...{ seed, onSeed }} />
        </p>
      ))}
      {result.faults.map((fault) => (
        <Fault key={fault.fault} {...{ fault, onSeed }} />
      ))}
    </div>
  );
}

function Fault({ fault, onSeed }: { fault: FoundFault } & Pick<SimulatedProps, 'onSeed'>): JSX.Element {
  const { what, count, seed, why, story, rehearsal } = fault;
  return (
    <div data-fault={fault.fault}>
      <p>
        <Sign look="failed" /> {what}: {count} runs <SeedButton {...{ seed, onSeed }} />
      </p>
      <ul>
        {[...why, ...story.map((one) => `${String(one.at_ms)} ms: ${one.what}`)].map((line, index) => (
          <li key={index}>{line}</li>
        ))}
      </ul>
      {rehearsal !== null && <pre class="diff">{rehearsal}</pre>}
    </div>
  );
}

function SeedButton({ seed, onSeed }: { seed: number } & Pick<SimulatedProps, 'onSeed'>): JSX.Element {
  return (
    <button type="button" class="link" onClick={() => onSeed(seed)}>
      See seed {seed}
    </button>
  );
}
