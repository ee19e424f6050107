import { render } from 'preact';
import { App } from './shell/app';
import { followLinks } from './shell/address';
import { applyTheme } from './shell/theme';

applyTheme();
followLinks();
const root = document.getElementById('console');
if (root) render(<App />, root);
