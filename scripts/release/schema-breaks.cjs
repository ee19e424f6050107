// What would break those who rely on a released JSON Schema or OpenAPI document. What a release accepts may become more, and
// what it answers may get further fields: clients ignore what they do not know.
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** The schema behind references. */
function resolved(schema, root) {
  let at = schema ?? {};
  for (let depth = 0; at.$ref && depth < 50; depth++)
    at =
      at.$ref
        .slice(2)
        .split('/')
        .reduce((node, key) => node?.[key.replaceAll('~1', '/').replaceAll('~0', '~')], root) ?? {};
  return at;
}

const alternatives = ({ anyOf, oneOf }) => anyOf ?? oneOf;
const typesOf = ({ type }) => (type === undefined ? undefined : [type].flat());
/** `integer` is a `number`. */
const holds = (types, type) => types.includes(type) || (type === 'integer' && types.includes('number'));

/** Compares a schema of two documents; `sent` says whether clients send such values (else they receive them). */
class SchemaComparison {
  constructor(before, after, sent) {
    Object.assign(this, { before, after, sent, seen: new Map() });
  }

  /** @returns what breaks, each with its place */
  breaks(was, is, at) {
    const old = resolved(was, this.before);
    const now = resolved(is, this.after);
    // Schemas refer to themselves: what is being compared is not compared again.
    const known = this.seen.get(old) ?? new Set();
    if (known.has(now)) return [];
    this.seen.set(old, known.add(now));
    if (alternatives(old) || alternatives(now)) return this.ofAlternatives(old, now, at);
    return [
      ...this.ofTypes(old, now, at),
      ...this.ofValues(old, now, at),
      ...this.ofProperties(old, now, at),
      ...(old.items && now.items ? this.breaks(old.items, now.items, `${at}[]`) : []),
      ...this.ofOthers(old, now, at),
    ];
  }

  /** Each alternative of the side that gives has to fit one of the side that takes. */
  ofAlternatives(old, now, at) {
    const [giving, taking] = this.sent ? [old, now] : [now, old];
    const takers = alternatives(taking) ?? [taking];
    return (alternatives(giving) ?? [giving]).flatMap((given, index) => {
      const tried = takers.map((taken) => {
        const apart = new SchemaComparison(this.before, this.after, this.sent);
        apart.seen = new Map([...this.seen].map(([key, set]) => [key, new Set(set)]));
        return this.sent ? apart.breaks(given, taken, at) : apart.breaks(taken, given, at);
      });
      if (tried.some((found) => found.length === 0)) return [];
      if (takers.length === 1) return tried[0];
      return [`${at}: its alternative ${index + 1} ${this.sent ? 'is no longer accepted' : 'is new'}`];
    });
  }

  ofTypes(old, now, at) {
    const [given, taken] = (this.sent ? [old, now] : [now, old]).map(typesOf);
    const others = taken === undefined ? [] : (given ?? ['any']).filter((type) => !holds(taken, type));
    return others.map((type) => `${at}: ${type} ${this.sent ? 'is no longer accepted' : 'is a new type'}`);
  }

  ofValues(old, now, at) {
    const values = ({ enum: list, const: one }) => list ?? (one === undefined ? undefined : [one]);
    const [was, is] = [values(old), values(now)];
    // Answers may get further words, as they get further fields.
    if (!this.sent || is === undefined) return [];
    if (was === undefined) return [`${at}: only ${JSON.stringify(is)} is accepted now`];
    return was.filter((one) => !is.includes(one)).map((one) => `${at}: ${JSON.stringify(one)} is gone`);
  }

  ofProperties(old, now, at) {
    const [was, is] = [old.properties ?? {}, now.properties ?? {}];
    const [mustWas, mustIs] = [new Set(old.required), new Set(now.required)];
    const gone = Object.keys(was).filter((name) => !Object.hasOwn(is, name));
    const shared = Object.keys(was).filter((name) => Object.hasOwn(is, name));
    const stricter = this.sent ? [...mustIs].filter((name) => !mustWas.has(name)) : [];
    const unsure = this.sent ? [] : shared.filter((name) => mustWas.has(name) && !mustIs.has(name));
    return [
      ...gone.map((name) => `${at}.${name} is gone`),
      ...stricter.map((name) => `${at}.${name} is required now`),
      ...unsure.map((name) => `${at}.${name} may be missing now`),
      ...shared.flatMap((name) => this.breaks(was[name], is[name], `${at}.${name}`)),
    ];
  }

  ofOthers(old, now, at) {
    const [was, is] = [old.additionalProperties, now.additionalProperties];
    if (this.sent && was !== false && is === false && old.type === 'object')
      return [`${at}: other properties are no longer accepted`];
    return typeof was === 'object' && typeof is === 'object' ? this.breaks(was, is, `${at}.*`) : [];
  }
}

/** For a schema that clients, or authors, write values for. */
function schemaBreaks(before, after) {
  return new SchemaComparison(before, after, true).breaks(before, after, '');
}

function contentBreaks(was, is, at, compare) {
  return Object.entries(was?.content ?? {}).flatMap(([type, { schema }]) => {
    const now = is?.content?.[type];
    return now ? compare(schema, now.schema, `${at} ${type}`) : [`${at}: no ${type} any more`];
  });
}

function parameterBreaks(old, now, at, [before, after]) {
  const listed = (operation, root) =>
    new Map(
      (operation.parameters ?? []).map((each) => {
        const one = resolved(each, root);
        return [`${one.in} ${one.name}`, one];
      }),
    );
  const [was, is] = [listed(old, before), listed(now, after)];
  const added = [...is].filter(([name, { required }]) => required && !was.get(name)?.required);
  return [
    ...[...was.keys()].filter((name) => !is.has(name)).map((name) => `${at}: ${name} is gone`),
    ...added.map(([name]) => `${at}: ${name} is required now`),
    ...[...was]
      .filter(([name]) => is.has(name))
      .flatMap(([name, { schema }]) =>
        new SchemaComparison(before, after, true).breaks(schema, is.get(name).schema, `${at} ${name}`),
      ),
  ];
}

function bodyBreaks(old, now, at, [before, after]) {
  const [was, is] = [resolved(old.requestBody, before), resolved(now.requestBody, after)];
  const compare = (...args) => new SchemaComparison(before, after, true).breaks(...args);
  const stricter = is.required && !was.required ? [`${at}: a body is required now`] : [];
  return [...stricter, ...contentBreaks(was, is, `${at} body`, compare)];
}

function answerBreaks(old, now, at, [before, after]) {
  return Object.entries(old.responses ?? {}).flatMap(([status, answer]) => {
    const is = now.responses?.[status];
    if (!is) return status < '3' ? [`${at}: no answer ${status} any more`] : [];
    const compare = (...args) => new SchemaComparison(before, after, false).breaks(...args);
    return contentBreaks(resolved(answer, before), resolved(is, after), `${at} ${status}`, compare);
  });
}

/** @returns what breaks clients of the released document `before`, one line each */
function openApiBreaks(before, after) {
  return Object.entries(before.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).flatMap((method) => {
      const at = `${method.toUpperCase()} ${path}`;
      const now = after.paths[path]?.[method];
      if (!now) return [`${at} is gone`];
      const args = [item[method], now, at, [before, after]];
      return [...parameterBreaks(...args), ...bodyBreaks(...args), ...answerBreaks(...args)];
    }),
  );
}

module.exports = { openApiBreaks, schemaBreaks };
