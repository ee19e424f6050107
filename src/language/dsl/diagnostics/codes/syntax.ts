import { type CodeEntry, error, warning } from './entry';

/** NT1xxx: not a YAML document representable in JSON. */
export const SYNTAX_CODES = {
  NT1001: error(
    'YAML syntax',
    'The text is not valid YAML. Until it is, only syntax errors are reported, because nothing else can be read reliably.',
  ),
  NT1002: error(
    'Duplicate key',
    'A mapping contains the same key twice. Most YAML parsers silently keep the last one, so half of the text would be lost.',
  ),
  NT1003: error(
    'Several documents',
    'A file contains one playbook; a line `---` in the middle starts another document.',
  ),
  NT1004: error('Tab as indentation', 'Indent YAML with spaces only.'),
  NT1005: error(
    'Template without quotes',
    'In YAML, a value that begins with `{{` starts a mapping. Quote the whole value.',
  ),
  NT1006: error(
    'Too large',
    'The text, or the expansion of its aliases, is larger than any playbook needs to be. Put large data into the payload or a store.',
  ),
  NT1007: error('Too deep', 'Values are nested more than 100 levels deep.'),
  NT1008: error(
    'Forbidden character',
    'The text contains a control character or an unpaired surrogate, which YAML, JSON or the database cannot represent.',
  ),
  NT1009: error(
    'Value outside of JSON',
    'JSON, the format of all data of an execution, cannot represent infinity, not-a-number, dates and binary data.',
  ),
  NT1010: error(
    'Key that is not a string',
    'Keys of mappings must be strings; empty keys and collections as keys are rejected.',
  ),
  NT1011: error(
    'Not a playbook',
    'The document is empty, or is a list or single value instead of a mapping.',
  ),
  NT1012: error(
    'Alias without anchor',
    'An alias `*name` repeats a value marked with `&name` earlier in the document; there is no such value.',
  ),
  NT1013: warning(
    'Integer beyond 2^53',
    'Numbers of JSON cannot hold it, so it is read as text with all its digits, as everywhere ([numbers](../expressions.md#numbers)). Ids are texts: quote them.',
  ),
  NT1014: warning(
    'Decimal loses digits',
    'Decimals are doubles, which hold 15 to 17 digits. As text, in quotes, it keeps all of them, for example for a `numeric` of SQL.',
  ),
  NT1015: warning(
    'Number with leading zeros',
    'YAML reads 00501 as the number 501. Postal codes, telephone numbers and article numbers are texts: quote them.',
  ),
} satisfies Record<string, CodeEntry>;
