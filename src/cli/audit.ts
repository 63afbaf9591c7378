import { Command } from 'commander';
import type { AuditEntry } from '../client/types.ts';
import { connectOperator, type OperatorConnection, withOperator } from './connection.ts';
import { type ListOptions, withExamples, withList, writeList } from './output.ts';
import type { Column } from './table.ts';
import { utc } from './values.ts';

export function auditCommand(): Command {
  const command = new Command('audit')
    .description('Show the audit log: every request made with an operator key, newest first.')
    .action(async (options: ListOptions & OperatorConnection) => {
      const operator = await connectOperator(options);
      await writeList(options, columns, (limit) => operator.audit.list({ limit }));
    });
  return withExamples(withOperator(withList(command)), 'partner-signals audit --limit 100');
}

const columns: Column<AuditEntry>[] = [
  { head: 'WHEN (UTC)', value: ({ at }) => utc(at) },
  { head: 'OPERATOR', value: ({ operator }) => operator },
  { head: 'ADDRESS', value: ({ address }) => address, optional: true },
  { head: 'STATUS', value: ({ status }) => (status === null ? '…' : String(status)), right: true },
  { head: 'REQUEST', value: ({ method, path }) => `${method} ${path}`, shrink: true },
];
