import { type JSX } from 'preact';

interface ChipsProps<T extends string> {
  /** What is chosen, for those who do not see it. */
  readonly label: string;
  /** Values, with their words; a value alone is its own word. */
  readonly of: readonly (T | readonly [T, string])[];
  readonly isChosen: (value: T) => boolean;
  readonly onChoose: (value: T) => void;
}

/** A few values beside each other, each on or off. */
export function Chips<T extends string>({ label, of, isChosen, onChoose }: ChipsProps<T>): JSX.Element {
  return (
    <div class="chips" role="group" aria-label={label}>
      {of.map((one) => {
        const [value, words] = typeof one === 'string' ? [one, one] : one;
        return (
          <button
            key={value}
            type="button"
            class="chip"
            aria-pressed={isChosen(value)}
            onClick={() => onChoose(value)}
          >
            {words}
          </button>
        );
      })}
    </div>
  );
}
