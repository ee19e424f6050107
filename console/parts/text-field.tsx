import { type JSX } from 'preact';

type Input = JSX.IntrinsicElements['input'];
type Attribute = 'type' | 'name' | 'required' | 'placeholder' | 'pattern' | 'maxLength' | 'autocomplete';

interface Props extends Pick<Input, Attribute> {
  readonly label: string;
  readonly hint?: string;
  /** Id of a list of suggestions. */
  readonly list?: string;
  readonly value: string;
  readonly onInput: (text: string) => void;
}

/** A line to type into, under its label. */
export function TextField({ label, hint, onInput, ...input }: Props): JSX.Element {
  return (
    <label>
      {label}
      <input {...(input as Input)} onInput={(event) => onInput(event.currentTarget.value)} />
      {hint && <small>{hint}</small>}
    </label>
  );
}
