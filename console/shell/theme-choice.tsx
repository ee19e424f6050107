import { type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { setTheme, type Theme, themeNow } from './theme';

const THEMES = [
  ['system', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;

export function ThemeChoice(): JSX.Element {
  const [theme, setShown] = useState(themeNow);
  const choose = (chosen: Theme): void => {
    setTheme(chosen);
    setShown(chosen);
  };
  return (
    <div class="chips" role="group" aria-label="Theme">
      {THEMES.map(([name, label]) => (
        <button
          key={name}
          type="button"
          class="chip"
          aria-pressed={theme === name}
          onClick={() => choose(name)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}
