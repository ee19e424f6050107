import { type JSX } from 'preact';

interface Props {
  readonly on: boolean;
  readonly onChange: (on: boolean) => void;
}

/** Switches coverage on: uncovered parts of the graph become pale. */
export function CoverageToggle({ on, onChange }: Props): JSX.Element {
  return (
    <label class="check coverage-toggle">
      <input type="checkbox" checked={on} onChange={(event) => onChange(event.currentTarget.checked)} />
      Coverage
    </label>
  );
}
