import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { unreachable, headerText as utf8Header } from '../../client/send.ts';
import { clientCommands } from '../commands.ts';
import { type ClientConnection, keyOf, reach } from '../connection.ts';
import { explain } from '../terminal/failure.ts';
import { note, writeLine } from '../terminal/output.ts';

type Id = string | number;
type Message = {
  jsonrpc: '2.0';
  id?: Id;
  method?: string;
  params?: { name?: string; uri?: string; requestId?: Id; _meta?: Record<string, unknown> };
};

export function mcpCommand(): Command {
  return clientCommands.command(
    'mcp',
    'Connect an assistant to the service over standard input and output (MCP).',
    {
      notes: `
Assistants start this command themselves: enter it in their settings. It sends each message to /mcp of the service.
See docs/guides/assistants.md.`,
      examples: `partner-signals mcp
    partner-signals mcp --base-url https://signals.example.com --actor "Ada"`,
      run: relay,
    },
  );
}

/** The service keeps no state between messages, so each line is a separate request. */
async function relay(options: ClientConnection): Promise<void> {
  const key = await keyOf(options);
  const { baseUrl, fetch } = await reach(options);
  const underWay = new Map<Id, AbortController>();
  const answers = new Set<Promise<void>>();
  let agreedVersion: string | undefined;

  async function answer(message: Message & { id: Id }): Promise<void> {
    const controller = new AbortController();
    underWay.set(message.id, controller);
    const reply = await post(message, controller.signal).catch((cause) => {
      const [line = ''] = explain(unreachable(baseUrl, cause)).lines;
      note(`${message.method}: ${line}`);
      return failure(message.id, line);
    });
    underWay.delete(message.id);
    if (controller.signal.aborted) return;
    if (message.method === 'initialize') agreedVersion = reply.result?.protocolVersion;
    await writeLine(JSON.stringify(reply));
  }

  async function post(message: Message & { id: Id }, signal: AbortSignal) {
    const response = await fetch(`${baseUrl}/mcp`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...(options.actor === undefined ? {} : { 'X-Actor': utf8Header(options.actor) }),
        ...protocolHeaders(message, agreedVersion),
      },
      body: JSON.stringify(message),
      signal,
    });
    const text = await response.text();
    const reply = parse(text);
    if (reply?.jsonrpc === '2.0') return reply;
    return failure(
      message.id,
      reply?.error?.message ?? `The service answered with status ${response.status}.`,
    );
  }

  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() === '') continue;
    const message = parse(line) as Message | undefined;
    if (message === undefined)
      await writeLine(JSON.stringify(failure(null, 'This line is not valid JSON.', -32700)));
    else if (message.method === 'notifications/cancelled')
      underWay.get(message.params?.requestId ?? '')?.abort();
    else if (message.id !== undefined && message.method !== undefined) {
      const done = answer(message as Message & { id: Id }).finally(() => answers.delete(done));
      answers.add(done);
    }
  }
  await Promise.all(answers);
}

/** Over HTTP, the protocol repeats parts of the message in headers. */
function protocolHeaders({ method = '', params }: Message, agreedVersion: string | undefined) {
  const version = params?._meta?.['io.modelcontextprotocol/protocolVersion'];
  if (typeof version !== 'string')
    return agreedVersion === undefined ? {} : { 'MCP-Protocol-Version': agreedVersion };
  const name = params?.name ?? params?.uri;
  return {
    'MCP-Protocol-Version': version,
    'Mcp-Method': method,
    ...(name === undefined ? {} : { 'Mcp-Name': headerText(name) }),
  };
}

function headerText(text: string): string {
  const plain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?');
  return plain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

function failure(id: Id | null, message: string, code = -32000) {
  return { jsonrpc: '2.0', id, error: { code, message } } as Reply;
}

type Reply = {
  jsonrpc?: string;
  id?: Id | null;
  result?: { protocolVersion?: string };
  error?: { code?: unknown; message?: string };
};

function parse(text: string): Reply | undefined {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
