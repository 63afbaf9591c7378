import { caller, part } from './caller.ts';
import type { CallOptions, ClientOptions } from './send.ts';
import type {
  ApiKey,
  AuditEntry,
  ChangeOrganization,
  CreateApiKey,
  CreateOrganization,
  List,
  NewApiKey,
  Organization,
  PageQuery,
  Settings,
  SettingsVersion,
} from './types.ts';

export type OperatorClient = ReturnType<typeof createOperatorClient>;

/** Everything that an operator can do; `key` is the operator's, never that of an organization. */
export function createOperatorClient(options: ClientOptions) {
  const { one, list, none } = caller(options);
  const organization = (id: string) => `/admin/v1/organizations/${part(id)}`;

  return {
    organizations: {
      list: (query: PageQuery = {}, call?: CallOptions) =>
        list<List<Organization>>('/admin/v1/organizations', query, call),
      get: (id: string, call?: CallOptions) => one<Organization>('GET', organization(id), {}, call),
      create: (body: CreateOrganization, call?: CallOptions) =>
        one<Organization>('POST', '/admin/v1/organizations', { body }, call),
      change: (id: string, body: ChangeOrganization, call?: CallOptions) =>
        one<Organization>('PATCH', organization(id), { body }, call),
    },

    keys: {
      list: (orgId: string, query: PageQuery = {}, call?: CallOptions) =>
        list<List<ApiKey>>(`${organization(orgId)}/keys`, query, call),
      /** The only answer that holds the key itself. */
      create: (orgId: string, body: CreateApiKey, call?: CallOptions) =>
        one<NewApiKey>('POST', `${organization(orgId)}/keys`, { body }, call),
      revoke: (orgId: string, keyId: string, call?: CallOptions) =>
        none('DELETE', `${organization(orgId)}/keys/${part(keyId)}`, call),
    },

    settings: {
      get: (orgId: string, call?: CallOptions) =>
        one<SettingsVersion>('GET', `${organization(orgId)}/settings`, {}, call),
      replace: (orgId: string, body: Settings, call?: CallOptions) =>
        one<SettingsVersion>('PUT', `${organization(orgId)}/settings`, { body }, call),
    },

    audit: {
      list: (query: PageQuery = {}, call?: CallOptions) =>
        list<List<AuditEntry>>('/admin/v1/audit', query, call),
    },
  };
}
