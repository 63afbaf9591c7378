import { fileURLToPath } from 'node:url';
import { Client as NewClient, StreamableHTTPClientTransport as NewHttp } from '@modelcontextprotocol/client';
import { StdioClientTransport as NewStdio } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { cliFor } from '../cli/cli.ts';
import { trustingFetch } from '../client/trusting-fetch.ts';
import type { TestService } from '../harness.ts';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export const ways = [
  { protocol: '2026-07-28', over: 'HTTP' },
  { protocol: '2025-11-25', over: 'HTTP' },
  { protocol: '2026-07-28', over: 'standard input and output' },
  { protocol: '2025-11-25', over: 'standard input and output' },
] as const;
type Way = (typeof ways)[number];

// biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the service sent, and the test says what it should be
export type Content = any;
type ToolAnswer = { text: string; data: Content; isError: boolean };

/** A client of either protocol version, with what both support. */
export type Assistant = {
  client: OldClient | NewClient;
  call(name: string, args?: Record<string, unknown>, options?: { signal?: AbortSignal }): Promise<ToolAnswer>;
  toolNames(): Promise<string[]>;
  close(): Promise<void>;
};

export async function connect(
  { protocol, over }: Way,
  service: TestService,
  key: string,
  { actor, confirm }: { actor?: string; confirm?: (message: string) => 'accept' | 'decline' } = {},
): Promise<Assistant> {
  const info = { name: 'test-assistant', version: '1.0.0' };
  const cli = over === 'HTTP' ? null : await cliFor(service, key);
  const isNew = protocol === '2026-07-28';
  const client = isNew
    ? new NewClient(info, {
        versionNegotiation: { mode: { pin: protocol } },
        capabilities: confirm ? { elicitation: {} } : {},
      })
    : new OldClient(info);
  if (client instanceof NewClient && confirm)
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      const action = confirm(params.message);
      return action === 'accept' ? { action, content: {} } : { action };
    });
  const http = {
    fetch: trustingFetch(service.ca),
    requestInit: { headers: { authorization: `Bearer ${key}`, ...(actor && { 'x-actor': actor }) } },
  };
  const stdio = cli && {
    command: process.execPath,
    args: [main, 'mcp', ...(actor ? ['--actor', actor] : [])],
    env: cli.env,
    cwd: cli.dir,
    stderr: 'ignore' as const,
  };
  const url = new URL(`${service.url}/mcp`);
  if (client instanceof NewClient) await client.connect(stdio ? new NewStdio(stdio) : new NewHttp(url, http));
  // The types of the two packages differ in what may be undefined.
  else await client.connect((stdio ? new OldStdio(stdio) : new OldHttp(url, http)) as never);

  return {
    client,
    async call(name, args = {}, options = {}) {
      const params = { name, arguments: args };
      const result = (
        client instanceof NewClient
          ? await client.callTool(params, options)
          : await client.callTool(params, undefined, options)
      ) as Content;
      const text = result.content.map((part: Content) => part.text).join('\n');
      return { text, data: result.structuredContent, isError: result.isError === true };
    },
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    async close() {
      await client.close();
      await cli?.close();
    },
  };
}
