/** A dialog that confirms an action and asks for its inputs. */
import { type ComponentChildren, type JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ProblemNote } from '../parts/empty';
import { type ServerError } from '../server/api';

interface Props {
  readonly title: string;
  readonly children?: ComponentChildren;
  /** Label of the button. */
  readonly verb: string;
  readonly dangerous?: boolean;
  /** The action; if it fails, the dialog stays open with the error. */
  readonly onDo: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly wide?: boolean;
  readonly disabled?: boolean;
}

export function Dialog({ title, children, verb, onDo, onClose, ...more }: Props): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ServerError>();
  useEffect(() => dialog.current?.showModal(), []);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await onDo();
      onClose();
    } catch (problem) {
      setError(problem as ServerError);
      setBusy(false);
    }
  };
  return (
    <dialog ref={dialog} class={more.wide ? 'wide' : ''} aria-labelledby="dialog-title" onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <h2 id="dialog-title">{title}</h2>
        <div class="dialog-body">{children}</div>
        {error && <ProblemNote error={error} />}
        <div class="dialog-buttons">
          <button type="button" onClick={() => dialog.current?.close()}>
            Back
          </button>
          <button
            type="submit"
            class={more.dangerous ? 'danger' : 'primary'}
            disabled={busy || more.disabled}
          >
            {busy ? 'Working …' : verb}
          </button>
        </div>
      </form>
    </dialog>
  );
}
