/** The place of an editor, which is loaded when it is first needed. */
import { type JSX } from 'preact';
import { Loading } from '../parts/empty';
import { NotLoaded } from '../shell/not-loaded';
import { type ShownMirror } from './mirror';

export function EditorHost({ host, shown, error }: Omit<ShownMirror, 'mirror'>): JSX.Element {
  return (
    <>
      <div class="editor-host" ref={host} />
      {!shown && !error && <Loading what="Loading the editor" />}
      {error !== undefined && <NotLoaded what="The editor" error={error} />}
    </>
  );
}
