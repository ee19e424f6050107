/** The page of a form: without scripts, for any browser. */
import { type FormField, formFields, type Json, type WaitForm } from '../../../language/plan';

/** What was sent, and why it was not taken. */
interface Refused {
  readonly given: Readonly<Record<string, unknown>>;
  readonly why: string;
}

export function answerPage(form: WaitForm, refused?: Refused): string {
  const title = form.title ?? 'A question';
  const reason = String(refused?.given['reason'] ?? '');
  return whole(
    title,
    `${refused ? `<p class="why" role="alert">${escaped(refused.why)}</p>` : ''}
    ${form.text === null ? '' : `<p class="text">${escaped(form.text)}</p>`}
    <form method="post">
      ${formFields(form)
        .map((field) => fieldOf(field, refused?.given))
        .join('')}
      <p><button name="verdict" value="answer">Answer</button></p>
      <fieldset><legend>Or reject it</legend>
        <label>Reason<input name="reason" maxlength="2000" value="${escaped(reason)}"></label>
        <p><button name="verdict" value="reject" formnovalidate>Reject</button></p>
      </fieldset>
    </form>`,
  );
}

export function notePage(title: string, text: string): string {
  return whole(title, `<p>${escaped(text)}</p>`);
}

const TYPES: Partial<Record<FormField['kind'], string>> = {
  integer: 'type="number" step="1"',
  number: 'type="number" step="any"',
};

function fieldOf(field: FormField, given: Refused['given'] | undefined): string {
  const { kind, label, required, description, options } = field;
  const before = given?.[`f.${field.name}`];
  const value = typeof before === 'string' ? before : textOf(field.default);
  const common = `name="f.${escaped(field.name)}"${required ? ' required' : ''}`;
  const choices = kind === 'boolean' ? [true, false] : options;
  const help = description === null ? '' : `<small>${escaped(description)}</small>`;
  const control = choices
    ? `<select ${common}><option value=""></option>${choices.map((one) => choice(kind, one, value)).join('')}</select>`
    : kind === 'integer' || kind === 'number'
      ? `<input ${common} ${TYPES[kind]} value="${escaped(value)}">`
      : `<textarea ${common} rows="2">\n${escaped(value)}</textarea>`;
  return `<label>${escaped(label)}${required ? ' *' : ''}${control}${help}</label>`;
}

function choice(kind: FormField['kind'], one: Json, value: string): string {
  const text = textOf(one);
  const shown = kind === 'boolean' ? (one === true ? 'Yes' : 'No') : text;
  return `<option value="${escaped(text)}"${text === value ? ' selected' : ''}>${escaped(shown)}</option>`;
}

function textOf(value: Json): string {
  return value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:36rem;margin:2rem auto;padding:0 1rem}
label{display:block;margin:1rem 0}input,select,textarea{display:block;width:100%;box-sizing:border-box;font:inherit;padding:.4rem}
button{font:inherit;padding:.4rem 1.2rem}.text{white-space:pre-wrap}.why{color:#a00}fieldset{margin-top:2rem}small{color:#555}`;

function whole(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">
  <title>${escaped(title)}</title><style>${STYLE}</style></head>
  <body><main><h1>${escaped(title)}</h1>
    ${body}
  </main></body>
</html>
`;
}
