import { type Static, Type } from 'typebox';
import { id, moment, nullableInteger, text } from './values/field.ts';

export const AuditEntrySchema = Type.Object(
  {
    request_id: id('request'),
    operator: text('Name of the operator key.', 'operations'),
    method: text('The HTTP method.', 'POST'),
    path: text('Path with its query string, up to 2,048 characters.', '/admin/v1/organizations'),
    address: text('IP address of the client.', '192.0.2.17'),
    at: moment('When the request arrived.', '2026-03-02T08:00:00.000Z'),
    status: nullableInteger('Status code of the response; null while the request runs.', 201),
  },
  { title: 'AuditEntry', description: 'One request made with an operator key.' },
);
export type AuditEntry = Static<typeof AuditEntrySchema>;
