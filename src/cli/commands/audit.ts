import type { Command } from 'commander';
import type { AuditEntry } from '../../client/types.ts';
import { operatorCommands } from '../commands.ts';
import type { Column } from '../terminal/table.ts';
import { utc } from '../terminal/values.ts';

export function auditCommand(): Command {
  const description = 'Show the audit log: every request made with an operator key, newest first.';
  return operatorCommands.list('audit', description, {
    examples: 'partner-signals audit --limit 100',
    columns,
    rows: (client, { limit }) => client.audit.list({ limit }),
  });
}

const columns: Column<AuditEntry>[] = [
  { head: 'WHEN (UTC)', value: ({ at }) => utc(at) },
  { head: 'OPERATOR', value: ({ operator }) => operator },
  { head: 'ADDRESS', value: ({ address }) => address, optional: true },
  { head: 'STATUS', value: ({ status }) => (status === null ? '…' : String(status)), right: true },
  { head: 'REQUEST', value: ({ method, path }) => `${method} ${path}`, shrink: true },
];
