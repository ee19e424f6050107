import { type CodeEntry } from './entry';

/** NT1xxx: not a YAML document representable in JSON. */
export const SYNTAX_CODES = {
  NT1001: {
    severity: 'error',
    title: 'YAML syntax',
    explanation:
      'The text is not valid YAML. Until it is, only syntax errors are reported, because nothing else can be read reliably.',
  },
  NT1002: {
    severity: 'error',
    title: 'Duplicate key',
    explanation:
      'A mapping contains the same key twice. Most YAML parsers silently keep the last one, so half of the text would be lost.',
  },
  NT1003: {
    severity: 'error',
    title: 'Several documents',
    explanation: 'A file contains one playbook; a line `---` in the middle starts another document.',
  },
  NT1004: {
    severity: 'error',
    title: 'Tab as indentation',
    explanation: 'Indent YAML with spaces only.',
  },
  NT1005: {
    severity: 'error',
    title: 'Template without quotes',
    explanation: 'In YAML, a value that begins with `{{` starts a mapping. Quote the whole value.',
  },
  NT1006: {
    severity: 'error',
    title: 'Too large',
    explanation:
      'The text, or the expansion of its aliases, is larger than any playbook needs to be. Put large data into the payload or a store.',
  },
  NT1007: {
    severity: 'error',
    title: 'Too deep',
    explanation: 'Values are nested more than 100 levels deep.',
  },
  NT1008: {
    severity: 'error',
    title: 'Forbidden character',
    explanation:
      'The text contains a control character or an unpaired surrogate, which YAML, JSON or the database cannot represent.',
  },
  NT1009: {
    severity: 'error',
    title: 'Value outside of JSON',
    explanation:
      'JSON, the format of all data of an execution, cannot represent infinity, not-a-number, dates and binary data.',
  },
  NT1010: {
    severity: 'error',
    title: 'Key that is not a string',
    explanation: 'Keys of mappings must be strings; empty keys and collections as keys are rejected.',
  },
  NT1011: {
    severity: 'error',
    title: 'Not a playbook',
    explanation: 'The document is empty, or is a list or single value instead of a mapping.',
  },
  NT1012: {
    severity: 'error',
    title: 'Alias without anchor',
    explanation:
      'An alias `*name` repeats a value marked with `&name` earlier in the document; there is no such value.',
  },
  NT1013: {
    severity: 'warning',
    title: 'Integer loses digits',
    explanation: 'JSON parsers cannot represent integers above 2^53 exactly. Ids are texts: quote them.',
  },
} as const satisfies Record<string, CodeEntry>;
