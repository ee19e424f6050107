/** A run from a history file: no server is asked. */
import { type JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Empty, Loading, ProblemNote } from '../parts/empty';
import { dropped, droppedFiles, openFiles } from '../shell/drop';
import { FileButton } from './file-button';
import { NoLogs } from './logs';
import { useReader } from './reading';
import { RunView } from './view';

const NO_LINES: readonly string[] = [];

export default function FilePage(): JSX.Element {
  const [files, setFiles] = useState(droppedFiles.current);
  const [round, setRound] = useState(0);
  useEffect(() => {
    const follow = (): void => {
      setFiles(droppedFiles.current);
      setRound((before) => before + 1);
    };
    dropped.addEventListener('files', follow);
    return () => dropped.removeEventListener('files', follow);
  }, []);
  const { reading, explain, ask } = useReader(files && { files }, String(round));
  const [at, setAt] = useState<number>();
  const [selected, setSelected] = useState<string>();
  const { tape, plan, failed, over } = reading;
  return (
    <>
      <header class="page-head">
        <h1>{plan ? plan.metadata.path : 'A history file'}</h1>
        {files && <span class="count">{files.map((file) => file.name).join(', ')}</span>}
        <FileButton onFiles={openFiles} />
      </header>
      {failed && <ProblemNote error={failed} />}
      {!files && (
        <Empty title="Drop a history file here">
          <p>
            What <code>noetl-temporal run --history FILE</code> and{' '}
            <code>temporal workflow show --output json</code> write. It is read in this browser and goes
            nowhere.
          </p>
        </Empty>
      )}
      {files && !failed && !over && <Loading what="Reading the file" />}
      {tape && plan && over && (
        <RunView
          {...{ tape, plan, over, at, selected, ask }}
          lines={NO_LINES}
          decisions={reading.decisions}
          onExplain={() => explain(NO_LINES)}
          onMove={setAt}
          onSelect={setSelected}
          more={{ Logs: () => <NoLogs /> }}
        />
      )}
    </>
  );
}
