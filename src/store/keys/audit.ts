import { type AuditEntry, AuditEntrySchema } from '../../contract/audit.ts';
import type { RequestId } from '../../contract/ids.ts';
import { fieldsOf } from '../db/columns.ts';
import type { Position } from '../db/cursor.ts';
import { all, type Reader, type Upkeep } from '../db/tx.ts';

/** Written before the operation runs, so that nothing an operator does goes unrecorded. */
export async function insertAudit(db: Upkeep, entry: Omit<AuditEntry, 'at' | 'status'>): Promise<void> {
  await db.query({
    name: 'insert_audit',
    writes: ['operator_audit'],
    text: `insert into operator_audit (request_id, operator, method, path, address) values ($1, $2, $3, $4, $5)`,
    values: [entry.request_id, entry.operator, entry.method, entry.path, entry.address],
  });
}

export async function settleAudit(db: Upkeep, requestId: RequestId, status: number): Promise<void> {
  await db.query({
    name: 'settle_audit',
    writes: ['operator_audit'],
    text: `update operator_audit set status = $2 where request_id = $1`,
    values: [requestId, status],
  });
}

export async function listAudit(db: Reader, limit: number, after: Position | null): Promise<AuditEntry[]> {
  return all<AuditEntry>(db, {
    name: `list_audit${after ? '_after' : ''}`,
    text: `
      select ${fieldsOf(AuditEntrySchema)} from operator_audit
      ${after ? 'where request_id < $2' : ''}
      order by request_id desc limit $1`,
    values: [limit, ...(after ?? [])],
  });
}
