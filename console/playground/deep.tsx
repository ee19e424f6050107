/** What any run can come to, whatever its tools answer. */
import { type JSX } from 'preact';
import { Code } from '../parts/code';
import { type DeepAnswer, type DeepProblem, type SimulatedRun } from './protocol';
import { type Prover, useWork } from './prover';
import { Work } from './work';

interface DeepProps {
  readonly playbook: string;
  readonly prover: Prover;
  readonly onGo: (line: number, column: number) => void;
  readonly onShow: (title: string, run: () => Promise<SimulatedRun>) => void;
}

export function DeepPane({ playbook, prover, onGo, onShow }: DeepProps): JSX.Element {
  const work = useWork<DeepAnswer>();
  const { answer } = work;
  return (
    <div class="playground-pane">
      <p class="hint">
        Every state that a run can reach: every result of every task, every guard either way, every order.
      </p>
      <Work
        label="Check every state"
        {...{ prover, work }}
        onStart={() => work.start(() => prover.deep(playbook))}
      />
      {answer && (
        <div class="rehearsed" role="status" data-states={answer.states}>
          <p>
            {answer.findings.length === 0 ? 'Nothing found. ' : ''}
            {answer.states} states, loops and cycles up to {answer.bound} rounds
            {answer.complete ? '.' : '; not all were visited: what never happens is not reported.'}
          </p>
          {answer.findings.map((one, index) => (
            <Finding
              key={index}
              finding={one}
              onGo={onGo}
              onShow={(name) => onShow(name, () => prover.witness(playbook, name))}
            />
          ))}
          <details>
            <summary>What this rests on</summary>
            <ul>
              {[...answer.assumed, ...answer.notCovered.map((one) => `Not covered: ${one}`)].map((one) => (
                <li key={one}>{one}</li>
              ))}
            </ul>
          </details>
        </div>
      )}
    </div>
  );
}

interface FindingProps {
  readonly finding: DeepProblem;
  readonly onGo: DeepProps['onGo'];
  readonly onShow: (name: string) => void;
}

function Finding({ finding, onGo, onShow }: FindingProps): JSX.Element {
  const { code, severity, message, at, trace, shownBy } = finding;
  return (
    <div class={`finding ${severity}`} data-code={code}>
      <p>
        <button type="button" class="link" onClick={() => onGo(at[0], at[1])}>
          {at.join(':')}
        </button>{' '}
        <Code of={code} /> {message}
      </p>
      {trace.length > 0 && <p class="hint">When: {trace.join(' → ')}</p>}
      {shownBy.map((name, index) => (
        <button key={name} type="button" class="link" onClick={() => onShow(name)}>
          {index === 0 ? 'See the run' : 'and in the other order'}
        </button>
      ))}
    </div>
  );
}
