import { type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { TextField } from '../parts/text-field';
import { Dialog } from './dialog';

interface Props {
  readonly title: string;
  readonly verb: string;
  /** What is stopped. */
  readonly what: string;
  readonly onCancel: (reason: string) => Promise<unknown>;
  readonly onClose: () => void;
}

/** Confirms the cancellation of runs and asks for a reason. */
export function CancelDialog({ what, onCancel, ...dialog }: Props): JSX.Element {
  const [reason, setReason] = useState('');
  return (
    <Dialog {...dialog} dangerous onDo={() => onCancel(reason)}>
      <p>{what} This cannot be undone.</p>
      <TextField label="Reason" maxLength={1000} value={reason} onInput={setReason} />
    </Dialog>
  );
}
