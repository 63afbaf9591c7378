import {
  document,
  type Operation,
  type Parameter,
  type Response,
  resolve,
  schemaErrors,
} from './api-document.ts';
import type { Answer } from './harness.ts';

type Sent = {
  method: string;
  path: string;
  headers: Record<string, unknown>;
  payload: string | Buffer | undefined;
  /** For a request with undescribed parts that the service may ignore. */
  isJunk: boolean | undefined;
};

/** Headers of HTTP itself and of proxies, which the document does not list. */
const plainHeaders =
  /^(accept|accept-encoding|authorization|connection|content-length|content-type|expect|host|origin|transfer-encoding|user-agent|x-forwarded-\w+)$/i;
/** Files, pages and the MCP endpoint, which are not part of the API. */
const pages = /^\/((docs|console|mcp)([/?]|$)|favicon[.]ico$|$)/;
const errorSchema = { $ref: '#/components/schemas/Error' };

/** Throws if an exchange does not match docs/openapi.json, so every request in every test also tests the document. */
export function checkConformance(sent: Sent, answer: Answer): void {
  const problems = problemsOf(sent, answer);
  if (problems.length === 0) return;
  const what = `${sent.method} ${sent.path} answered ${answer.status}, which docs/openapi.json does not describe`;
  throw new Error(
    `${what} (is it stale? UPDATE=1 npm test test/openapi/document):\n${problems.join('\n')}\n${answer.text.slice(0, 2000)}`,
  );
}

function problemsOf(sent: Sent, answer: Answer): string[] {
  const isHead = sent.method === 'HEAD';
  const operation = findOperation(isHead ? 'GET' : sent.method, sent.path);
  if (!operation) {
    if (sent.path === '/mcp' && answer.body?.jsonrpc === '2.0') return [];
    if (answer.status >= 400) return isHead ? [] : schemaErrors(errorSchema, answer.body, 'answer');
    return pages.test(sent.path) ? [] : ['the operation is not described'];
  }
  const found = operation.responses[answer.status];
  if (!found) return ['the status is not described'];
  const response = resolve<Response>(found);
  return [
    ...missingHeaders(response, answer),
    ...(isHead ? [] : bodyProblems(response, answer)),
    ...(answer.status < 300 && !sent.isJunk ? requestProblems(operation, sent, answer) : []),
  ];
}

function missingHeaders({ headers = {} }: Response, answer: Answer): string[] {
  return Object.entries(headers)
    .filter(([name, header]) => resolve(header).required && answer.headers[name.toLowerCase()] === undefined)
    .map(([name]) => `the header ${name} is missing`);
}

function bodyProblems({ content }: Response, answer: Answer): string[] {
  if (!content) return answer.text === '' ? [] : ['there should be no body'];
  const type = mediaType(answer.headers['content-type']);
  const media = content[type];
  if (!media) return [`the type ${type} is not described`];
  return schemaErrors(media.schema, type === 'application/json' ? answer.body : answer.text, 'answer');
}

/** Accepted requests must match the document; rejected rows can be anything. */
function requestProblems(operation: Operation, { path, headers, payload }: Sent, answer: Answer): string[] {
  const parameters = (operation.parameters ?? []).map((parameter) => resolve<Parameter>(parameter));
  const isKnown = (place: string, name: string) =>
    parameters.some((known) => known.in === place && known.name.toLowerCase() === name.toLowerCase());
  const query = [...new URL(path, 'https://localhost').searchParams.keys()];
  const named = Object.keys(headers).filter((name) => !plainHeaders.test(name));
  const type = mediaType(headers['content-type'] ?? 'application/json');
  const media = operation.requestBody?.content[type];
  const isRead = type === 'application/json' && !(answer.body?.data?.rejected > 0);
  return [
    ...query
      .filter((name) => !isKnown('query', name))
      .map((name) => `the parameter ${name} is not described`),
    ...named.filter((name) => !isKnown('header', name)).map((name) => `the header ${name} is not described`),
    ...(payload !== undefined && !media ? [`a body of the type ${type} is not described`] : []),
    ...(payload !== undefined && media && isRead
      ? schemaErrors(media.schema, JSON.parse(String(payload)), 'request')
      : []),
  ];
}

/** If several patterns match, the one with the fewest parameters applies. */
const routes = Object.entries(document.paths)
  .map(([path, operations]) => ({
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
    operations,
    parameters: path.split('{').length,
  }))
  .sort((a, b) => a.parameters - b.parameters);

function findOperation(method: string, path: string): Operation | undefined {
  const [bare = ''] = path.split('?', 1);
  if (!isDecodable(bare)) return undefined;
  return routes.find(({ pattern }) => pattern.test(bare))?.operations[method.toLowerCase()];
}

/** A path that cannot be decoded matches nothing. */
function isDecodable(path: string): boolean {
  try {
    return decodeURIComponent(path) !== '';
  } catch {
    return false;
  }
}

function mediaType(header: unknown): string {
  return (
    String(header ?? '')
      .split(';', 1)[0]
      ?.trim()
      .toLowerCase() ?? ''
  );
}
