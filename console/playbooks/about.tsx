/** What is known of a playbook besides its text: what it is for, how it does, what starts it, and whom it tells. */
import { type JSX } from 'preact';
import { type InputForm, type PlaybookOverview } from '../../src/server/facade/documents';
import { Numbers } from '../operations/charts';
import { Facts, Rows } from '../parts/rows';
import { useDocument } from '../server/use';

export function About({ of }: { of: PlaybookOverview }): JSX.Element {
  const { path, description, owner, on, limits, runs, schedules, subscriptions } = of;
  const { value: form } = useDocument<InputForm>(`/api/catalog/${path}/ui_schema`);
  const inputs = form?.fields.map(({ name, kind, description: says }) => ({ name, kind, says }));
  const place = encodeURIComponent(path);
  return (
    <div class="card" data-about={path}>
      {description && <p>{description}</p>}
      <Numbers runs={runs} list={`all=yes&path=${place}&since=30d&`} />
      <p class="hint">
        of the last 30 days, {runs.source === 'projection' ? 'from the projection' : 'from Temporal'}
        {!runs.complete && ', the newest of them'}
      </p>
      <Facts
        of={{
          Owner: owner,
          Inputs: inputs,
          Schedules: schedules,
          Triggers: subscriptions,
          Tells: on,
          Limits: limits,
        }}
      />
      <p class="hint">
        <a href={`/operations/limits?scope=${place}`}>Who holds its limits</a> ·{' '}
        <a href={`/operations/audit?about=${place}`}>Who did what with it</a>
      </p>
    </div>
  );
}

/** How long steps took, and which never ran. */
export function StepTimes({ of: { steps } }: { of: PlaybookOverview }): JSX.Element | null {
  if (!steps?.some(({ runs }) => runs > 0)) return null;
  const ran = steps.filter(({ runs }) => runs > 0).length;
  return (
    <>
      <h2>Steps of the last 100 runs</h2>
      <p class="hint">
        {ran} of {steps.length} ran{ran < steps.length && ': what never ran is not known to work'}.
      </p>
      <Rows
        label="Steps of the last 100 runs"
        rows={steps}
        keyOf={({ step }) => String(step)}
        columns={{
          ...{ Step: 'step', Runs: 'runs', Failed: 'failed' },
          ...{ 'Half within': 'p50', '95 % within': 'p95', Longest: 'longest' },
        }}
      />
    </>
  );
}
