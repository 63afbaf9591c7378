import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { createClient } from '../../../src/client/client.ts';
import { createOperatorClient } from '../../../src/client/operator-client.ts';
import type { ClientOptions } from '../../../src/client/send.ts';
import { code, table } from './markdown.ts';

type Parameter = { name?: string; in?: string; $ref?: string };
type Schema = { $ref?: string; properties?: Record<string, Schema>; required?: string[] };
type Operation = {
  summary: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
};
type Method = { path: string[]; node: ts.PropertyAssignment; made: ts.ArrowFunction };

const { paths, components } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
  components: { parameters: Record<string, Parameter>; schemas: Record<string, Schema> };
};

const introduction = `[The typed client](../guides/client.md) shows how to install and use \`@partner-signals/client\`. This page
lists every method with the request that it sends. Your editor shows the fields of each type, and the API reference at
\`/docs\` of a running service explains them.

| result | contains |
|---|---|
| \`One<T>\` | \`data\` and \`meta\` |
| \`Tagged<T>\` | \`data\`, \`meta\` and \`etag\`, which makes a later change conditional on this version |
| \`Pages<T>\` | a list that is read on demand: iterate over it, or call \`page()\`, \`pages()\` or \`csv()\` |

Every method also takes \`signal\`, an \`AbortSignal\`, in its last argument. Methods return promises, except those that return
\`Pages\`. Required fields are bold.`;

/** Every method of both clients from their source, with the operation that a call of it reaches. */
export async function clientMethods(): Promise<string[]> {
  return [
    introduction,
    `## Options\n\nBoth clients take these options:\n\n${optionsTable()}`,
    ...(await sectionsOf('createClient', 'src/client/client.ts', createClient)),
    ...(await sectionsOf('createOperatorClient', 'src/client/operator-client.ts', createOperatorClient)),
  ];
}

async function sectionsOf(
  name: string,
  file: string,
  create: (options: ClientOptions) => object,
): Promise<string[]> {
  const source = parse(file);
  const declaration = source.statements
    .filter(ts.isFunctionDeclaration)
    .find((candidate) => candidate.name?.text === name);
  const returned = declaration?.body?.statements.find(ts.isReturnStatement)?.expression;
  if (!declaration || !returned || !ts.isObjectLiteralExpression(returned))
    throw new Error(`${name} in ${file} does not return an object.`);
  const groups = new Map<string, string[][]>();
  for (const method of methodsOf(returned, [])) {
    const group = method.path.slice(0, -1).join('.');
    groups.set(group, [...(groups.get(group) ?? []), await rowOf(method, create)]);
  }
  return [
    `## ${code(name)}\n\n${commentOf(declaration)}`,
    ...[...groups].map(
      ([group, rows]) =>
        `${group === '' ? '' : `### ${code(group)}\n\n`}${table(['method', 'returns', 'does'], rows)}`,
    ),
  ];
}

function methodsOf(object: ts.ObjectLiteralExpression, path: string[]): Method[] {
  return object.properties.filter(ts.isPropertyAssignment).flatMap((node) => {
    const below = [...path, node.name.getText()];
    if (ts.isObjectLiteralExpression(node.initializer)) return methodsOf(node.initializer, below);
    return ts.isArrowFunction(node.initializer) ? [{ path: below, node, made: node.initializer }] : [];
  });
}

async function rowOf(method: Method, create: (options: ClientOptions) => object): Promise<string[]> {
  const parameters = method.made.parameters.filter(({ name }) => name.getText() !== 'call');
  const signature = `${method.path.join('.')}(${parameters.map(parameterText).join(', ')})`;
  return [code(signature), returnsOf(method.made), await doesOf(method, create)];
}

function parameterText({ name, type, questionToken, initializer }: ts.ParameterDeclaration): string {
  const optional = questionToken || initializer ? '?' : '';
  if (!ts.isObjectBindingPattern(name))
    return `${name.getText()}${optional}: ${plain(type?.getText() ?? '')}`;
  const own = name.elements.filter(({ dotDotDotToken }) => !dotDotDotToken);
  return `options${optional}: { ${own.map((element) => element.name.getText()).join(', ')} }`;
}

/** Every method is a single call of one of these. */
function returnsOf({ body }: ts.ArrowFunction): string {
  const call = body as ts.CallExpression;
  const item = plain(call.typeArguments?.[0]?.getText() ?? '');
  const returns: Record<string, string> = {
    one: code(`One<${item}>`),
    tagged: code(`Tagged<${item}>`),
    list: code(`Pages<${item}>`),
    csv: code('string'),
    none: 'nothing',
    load: code('IngestResult'),
  };
  const result = returns[call.expression.getText()];
  if (!result) throw new Error(`Unknown kind of call: ${call.getText()}`);
  return result;
}

async function doesOf(method: Method, create: (options: ClientOptions) => object): Promise<string> {
  const comment = commentOf(method.node);
  const { verb, path } = await requestOf(method, create);
  if (path.startsWith('/ingest/')) return `${comment} ${code('POST /ingest/v1/{kind}')}`;
  const template = Object.keys(paths).find((candidate) => isSame(candidate, path));
  const operation = template && paths[template]?.[verb.toLowerCase()];
  if (!operation) throw new Error(`No operation for ${verb} ${path}`);
  const query = (operation.parameters ?? [])
    .map(({ $ref, ...own }) => ($ref ? components.parameters[last($ref)] : own))
    .flatMap((parameter) => (parameter?.in === 'query' && parameter.name ? [code(parameter.name)] : []));
  const fields = fieldsOf(operation.requestBody?.content['application/json']?.schema);
  return [
    `${operation.summary.replace(/\.?$/, method.path.at(-1)?.endsWith('Csv') ? ', as CSV.' : '.')} ${comment}`.trim(),
    code(`${verb} ${template}`),
    ...(query.length > 0 ? [`Query: ${query.join(', ')}.`] : []),
    ...(fields.length > 0 ? [`Body: ${fields.join(', ')}.`] : []),
  ].join('<br>');
}

/** What a call sends, with the names of its arguments in place of identifiers. */
async function requestOf(
  { path, made }: Method,
  create: (options: ClientOptions) => object,
): Promise<{ verb: string; path: string }> {
  const sent: { verb: string; path: string }[] = [];
  const client = create({
    baseUrl: 'https://localhost',
    key: 'key',
    fetch: async (url, init) => {
      sent.push({ verb: init?.method ?? '', path: decodeURIComponent(new URL(String(url)).pathname) });
      return Response.json({ data: { errors: [] }, has_more: false });
    },
  });
  const method = path.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], client);
  const args = made.parameters.map(({ name, type }) => {
    if (name.getText() === 'kind') return 'partners';
    if (name.getText() === 'rows') return [{}];
    return type?.getText() === 'string' ? `{${name.getText()}}` : {};
  });
  const result = (method as (...given: unknown[]) => object)(...args);
  await ('page' in result ? (result as { page: () => Promise<unknown> }).page() : result);
  const [request] = sent;
  if (!request) throw new Error(`${path.join('.')} sends nothing.`);
  return request;
}

function isSame(template: string, path: string): boolean {
  const [a, b] = [template.split('/'), path.split('/')];
  return (
    a.length === b.length &&
    a.every((part, at) => part === b[at] || [part, b[at]].every((x) => x?.startsWith('{')))
  );
}

function fieldsOf(schema: Schema | undefined): string[] {
  const whole = schema?.$ref ? components.schemas[last(schema.$ref)] : schema;
  return Object.keys(whole?.properties ?? {}).map((name) =>
    whole?.required?.includes(name) ? `**${code(name)}**` : code(name),
  );
}

function optionsTable(): string {
  const source = parse('src/client/send.ts');
  const declaration = source.statements
    .filter(ts.isTypeAliasDeclaration)
    .find(({ name }) => name.text === 'ClientOptions');
  if (!declaration || !ts.isTypeLiteralNode(declaration.type))
    throw new Error('ClientOptions is not an object type.');
  return table(
    ['option', 'meaning'],
    declaration.type.members
      .filter(ts.isPropertySignature)
      .map((member) => [
        member.questionToken ? code(member.name.getText()) : `**${code(member.name.getText())}**`,
        commentOf(member),
      ]),
  );
}

function commentOf(node: ts.Node): string {
  return ts
    .getJSDocCommentsAndTags(node)
    .map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? '')
    .join(' ')
    .replace(/\s+/g, ' ');
}

function plain(type: string): string {
  return type.replaceAll('api.', '').replace(/\s+/g, ' ');
}

function last(ref: string): string {
  return ref.split('/').at(-1) ?? '';
}

function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
}
