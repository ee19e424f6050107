import { type CodeEntry } from './entry';

/** NT1xxx: the text is no YAML document that JSON could carry. */
export const SYNTAX_CODES = {
  NT1001: {
    severity: 'error',
    title: 'YAML syntax',
    explanation:
      'The text is not YAML. Only syntax is reported until it is, since nothing else can be read with certainty.',
  },
  NT1002: {
    severity: 'error',
    title: 'Duplicate key',
    explanation:
      'A key stands twice in one mapping. Most readers of YAML silently keep the last one, so half of what was written would be lost.',
  },
  NT1003: {
    severity: 'error',
    title: 'Several documents',
    explanation: 'A file holds one playbook; a line `---` in its middle begins another document.',
  },
  NT1004: {
    severity: 'error',
    title: 'Tab as indentation',
    explanation: 'YAML is indented with spaces only.',
  },
  NT1005: {
    severity: 'error',
    title: 'Template without quotes',
    explanation:
      'A value that begins with `{{` is the start of a mapping to YAML. The whole value needs quotes.',
  },
  NT1006: {
    severity: 'error',
    title: 'Too large',
    explanation:
      'The text, or what its aliases unfold to, is larger than any playbook needs to be. Large data belongs into the payload or a store.',
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
      'The text holds a control character or half of a surrogate pair, which YAML, JSON or the database cannot carry.',
  },
  NT1009: {
    severity: 'error',
    title: 'Value outside of JSON',
    explanation:
      'Infinity, not-a-number, dates and binary data have no form in JSON, in which everything of an execution travels.',
  },
  NT1010: {
    severity: 'error',
    title: 'Key that is no text',
    explanation: 'Keys of mappings are texts; empty keys and collections as keys are refused.',
  },
  NT1011: {
    severity: 'error',
    title: 'Not a playbook',
    explanation: 'The document is empty, or a list or single value where a mapping is expected.',
  },
  NT1012: {
    severity: 'error',
    title: 'Alias without anchor',
    explanation: 'An alias `*name` repeats a value marked `&name` before it.',
  },
  NT1013: {
    severity: 'warning',
    title: 'Integer loses digits',
    explanation:
      'Integers above 2^53 cannot be carried exactly by JSON readers. Ids are texts: put them in quotes.',
  },
} as const satisfies Record<string, CodeEntry>;
