/** Options that several commands share. */
import { Option } from 'commander';

export function jsonOption(): Option {
  return new Option('--json', 'print one JSON document');
}

export function dataOption(): Option {
  return new Option('--data <folder>', 'the data folder of the run (default: NOETL_DATA_DIR or .noetl)');
}
