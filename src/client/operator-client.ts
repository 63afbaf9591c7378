import { caller, part } from './caller.ts';
import type { CallOptions, ClientOptions } from './send.ts';
import type * as api from './types.ts';

export type OperatorClient = ReturnType<typeof createOperatorClient>;

/** Everything that an operator can do; `key` is an operator key, not an API key. */
export function createOperatorClient(options: ClientOptions) {
  const { one, tagged, list, none } = caller(options);
  const organization = (id: string) => `/admin/v1/organizations/${part(id)}`;

  return {
    organizations: {
      list: (query: api.PageQuery = {}, call?: CallOptions) =>
        list<api.Organization>('/admin/v1/organizations', query, call),
      get: (id: string, call?: CallOptions) => one<api.Organization>('GET', organization(id), {}, call),
      create: (body: api.CreateOrganization, call?: CallOptions) =>
        one<api.Organization>('POST', '/admin/v1/organizations', { body }, call),
      change: (id: string, body: api.ChangeOrganization, call?: CallOptions) =>
        one<api.Organization>('PATCH', organization(id), { body }, call),
    },

    keys: {
      list: (orgId: string, query: api.PageQuery = {}, call?: CallOptions) =>
        list<api.ApiKey>(`${organization(orgId)}/keys`, query, call),
      /** The only response that contains the key itself. */
      create: (orgId: string, body: api.CreateApiKey, call?: CallOptions) =>
        one<api.NewApiKey>('POST', `${organization(orgId)}/keys`, { body }, call),
      revoke: (orgId: string, keyId: string, call?: CallOptions) =>
        none('DELETE', `${organization(orgId)}/keys/${part(keyId)}`, call),
    },

    settings: {
      get: (orgId: string, call?: CallOptions) =>
        tagged<api.SettingsVersion>('GET', `${organization(orgId)}/settings`, {}, call),
      /** `ifMatch` is the `etag` of the settings as you read them. The call fails if they have changed since. */
      replace: (orgId: string, body: api.Settings, { ifMatch, ...call }: CallOptions & { ifMatch: string }) =>
        tagged<api.SettingsVersion>(
          'PUT',
          `${organization(orgId)}/settings`,
          { body, headers: { 'If-Match': ifMatch } },
          call,
        ),
    },

    audit: {
      list: (query: api.PageQuery = {}, call?: CallOptions) =>
        list<api.AuditEntry>('/admin/v1/audit', query, call),
    },
  };
}
