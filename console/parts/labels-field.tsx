import { type JSX } from 'preact';
import { type RunLabels, labelsIn } from '../../src/language/plan/labels';
import { TextField } from './text-field';

/** @param text `team=sales month=2026-11` */
export function labelsOf(text: string): RunLabels {
  return labelsIn(text.split(/[\s,]+/).filter(Boolean));
}

/** Labels of what is started; the server says what is wrong with them. */
export function LabelsField(props: {
  readonly value: string;
  readonly onInput: (text: string) => void;
}): JSX.Element {
  return (
    <TextField label="Labels" placeholder="team=sales" pattern="\s*([\w.\/\-]+=[^\s,]+[\s,]*)*" {...props} />
  );
}
