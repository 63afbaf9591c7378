import { Type } from 'typebox';
import { Timestamp } from './envelope.ts';

export const AuditEntrySchema = Type.Object({
  request_id: Type.String(),
  operator: Type.String(),
  method: Type.String(),
  path: Type.String(),
  address: Type.String(),
  at: Timestamp,
  status: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'null: the request has not ended.',
  }),
});
