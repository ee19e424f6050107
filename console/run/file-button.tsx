/** Opens history files. */
import { type JSX } from 'preact';

interface FileButtonProps {
  readonly label?: string;
  readonly onFiles: (files: readonly File[]) => void;
}

export function FileButton({ label = 'Choose a file', onFiles }: FileButtonProps): JSX.Element {
  return (
    <label class="button">
      {label}
      <input
        type="file"
        accept=".json,application/json"
        multiple
        class="unseen"
        onChange={(event) => onFiles([...(event.currentTarget.files ?? [])])}
      />
    </label>
  );
}
