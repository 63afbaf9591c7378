import { Type } from 'typebox';
import { id, moment, nullableInteger, text } from './field.ts';

export const AuditEntrySchema = Type.Object(
  {
    request_id: id('request'),
    operator: text('The name of the operator key.', 'operations'),
    method: text('The HTTP method.', 'POST'),
    path: text('The path with its query, at most 2,048 characters.', '/admin/v1/organizations'),
    address: text('The address that the request came from.', '192.0.2.17'),
    at: moment('When it came.', '2026-03-02T08:00:00.000Z'),
    status: nullableInteger('The status of the answer; null: the request has not ended.', 201),
  },
  { title: 'AuditEntry', description: 'One request made with an operator key.' },
);
