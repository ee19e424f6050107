/** `kind: Mcp`: a server of tools, as a resource of the catalog. It is not run; routes and playbooks read it. */
import { isMap, parseDocument } from 'yaml';
import { catalogPath, compact, type Json, pathProblem } from '../plan';
import { checkEntry } from './check/secrets';
import { type Diagnostic, Findings, type Report } from './diagnostics/diagnostic';
import { readResource, type Resource } from './resource';
import { compileTrigger } from './subscription/compile';
import { checkSchemaShape, head } from './schema/check';
import * as field from './schema/fields';
import { type SchemaShape, shape } from './schema/shape';
import { LineIndex } from './yaml/lines';
import {
  asMap,
  asText,
  child,
  entriesOf,
  entry,
  itemsOf,
  type MapNode,
  presentValue,
  type YamlNode,
} from './yaml/node';
import { parseYaml } from './yaml/parse';

const DISCOVERY: SchemaShape = shape('`discovery`', 'open', {
  refresh_via: field.anyTextField('The path of the playbook whose result has `tools`.'),
  tools_list_url: field.anyTextField('An address that is asked for the tools, by MCP or by a GET.'),
});

/** Other keys are for the playbooks of its lifecycle. */
const SPEC: SchemaShape = shape('`spec`', 'open', {
  endpoint: field.anyTextField('The address of the server.'),
  url: field.anyTextField('Alias of `endpoint`.'),
  server: field.anyTextField('Instead of an address: the name under which workers know the server.'),
  transport: field.keyword(['streamable-http', 'http', 'sse', 'stdio'], 'How it is spoken to.'),
  tools: field.listField('any', 'Its tools: names, or mappings with a `name`.'),
  lifecycle: field.anyMappingField('From a verb to the path of the playbook that does it.'),
  discovery: field.nestedField(() => DISCOVERY, 'Where `discover` finds the tools.'),
  auth: field.either(['text', 'mapping'], 'The name of the credential for the server.'),
});

const MCP: SchemaShape = shape('an Mcp resource', 'open', {
  metadata: field.required(field.anyMappingField('Name, path and description.')),
  spec: field.required(field.nestedField(() => SPEC, 'The server.')),
});

/** A document that is no playbook, checked. */
export interface CheckedResource {
  /** Absent if there are errors. */
  readonly metadata?: Pick<Resource, 'version'> & { readonly name: string; readonly path: string };
  readonly diagnostics: Diagnostic[];
}

/** All diagnostics of a resource; undefined if it is a playbook, or of a kind of which nothing is known. */
export function checkResource(
  text: string,
  options: Parameters<typeof compileTrigger>[1] = {},
): CheckedResource | undefined {
  const { resource } = readResource(text);
  const kind = resource?.kind?.toLowerCase();
  if (kind === 'subscription') {
    const { trigger, diagnostics } = compileTrigger(text, options);
    return { ...(trigger && { metadata: trigger.metadata }), diagnostics };
  }
  if (!resource || kind !== 'mcp') return undefined;
  const findings = new Findings(new LineIndex(text), options);
  const root = parseYaml(text, findings, { name: 'resource', startsWith: '`apiVersion: noetl.io/v2`' })!;
  checkMcp(root, findings);
  const { name = '', path = name, version } = resource;
  const diagnostics = findings.list();
  return { ...(!findings.hasErrors && { metadata: { name, path, ...compact({ version }) } }), diagnostics };
}

function checkMcp(root: MapNode, report: Report): void {
  checkSchemaShape(root, MCP, report);
  const metadata = asMap(child(root, 'metadata'));
  const path = presentValue(metadata, 'path') ?? presentValue(metadata, 'name');
  if (metadata && !path)
    report.add('NT2005', head(metadata), 'an Mcp resource needs a path', 'write `metadata: {path: mcp/…}`');
  const spec = asMap(child(root, 'spec'));
  const discovery = asMap(child(spec, 'discovery'));
  const url = entry(spec, 'url');
  if (url && entry(spec, 'endpoint'))
    report.add('NT2006', url.at, '`url` is another name of `endpoint`', 'keep one of them');
  for (const each of [child(spec, 'endpoint'), url?.value, child(discovery, 'tools_list_url')])
    checkUrl(each, report);
  const verbs = entriesOf(child(spec, 'lifecycle')).map(({ value }) => value);
  for (const each of [path, presentValue(discovery, 'refresh_via'), ...verbs]) checkPath(each, report);
  for (const tool of itemsOf(child(spec, 'tools')))
    if (asText(tool) === undefined && asText(child(asMap(tool), 'name')) === undefined)
      report.add('NT2005', tool, 'a tool has a name', 'write its name, or `{name: …, description: …}`');
  for (const each of entriesOf(child(spec, 'auth'))) checkEntry(each, report);
}

function checkPath(node: YamlNode | undefined, report: Report): void {
  if (!node) return;
  const path = asText(node);
  const problem = path === undefined ? 'is a text' : pathProblem(catalogPath(path));
  if (problem) report.add('NT2062', node, `the path ${problem}`, 'names separated by slashes: `mcp/shop`');
}

/** One that is completed when it is deployed has a template or `${NAME}`. */
function checkUrl(node: YamlNode | undefined, report: Report): void {
  const url = asText(node);
  if (url === undefined || /^https?:\/\/[^\s/]|\{\{|\$\{/i.test(url)) return;
  report.add('NT2004', node!, `\`${url}\` is no address of a server`, 'write `http://…` or `https://…`');
}

/** The text of a resource with these tools; its comments stay. */
export function withTools(text: string, tools: readonly Json[]): string {
  const document = parseDocument(text, { uniqueKeys: false, merge: true });
  if (isMap(document.get('spec', true))) document.setIn(['spec', 'tools'], document.createNode(tools));
  else document.set('spec', { ...(document.toJS() as { spec?: object }).spec, tools });
  return document.toString({ lineWidth: 0 });
}
