import { type JSX } from 'preact';

interface Props {
  readonly label: string;
  readonly checked: boolean;
  readonly onCheck: (checked: boolean) => void;
}

export function CheckBox({ label, checked, onCheck }: Props): JSX.Element {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={(event) => onCheck(event.currentTarget.checked)} />
      {label}
    </label>
  );
}
