import { queryOptions } from '@tanstack/react-query';
import type { Client } from '../../src/client/client.ts';
import { pages } from '../session/queries.ts';

export function currentSettings({ settings }: Client) {
  return queryOptions({ queryKey: ['settings'], queryFn: ({ signal }) => settings.get({ signal }) });
}

export function settingsVersions({ settings }: Client) {
  return pages(['settings-versions'], (page, call) => settings.versions({ ...page, limit: 20 }, call));
}
