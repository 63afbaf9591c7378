import { expect, test } from 'vitest';
import type { FactKind } from '../vocabulary.ts';
import { createColumnMap, missingFields } from './columns.ts';

function mapped(kind: FactKind, columns: string[], overrides: Record<string, string> = {}) {
  const map = createColumnMap(kind, overrides);
  map.see(columns);
  return { ...Object.fromEntries(map.columnOf), ignored: map.ignored() };
}

test('columns of Data Loader are found by the names of the API', () => {
  const columns = ['Id', 'AccountId', 'Name', 'StageName', 'Amount', 'CloseDate', 'IsClosed', 'IsWon'];
  const more = [
    'CreatedDate',
    'CurrencyIsoCode',
    'LastModifiedDate',
    'SystemModstamp',
    'IsDeleted',
    'OwnerId',
  ];
  expect(mapped('opportunities', [...columns, ...more])).toEqual({
    crm_id: 'Id',
    account_crm_id: 'AccountId',
    name: 'Name',
    stage: 'StageName',
    value: 'Amount',
    closed_date: 'CloseDate',
    is_closed: 'IsClosed',
    is_won: 'IsWon',
    opened_at: 'CreatedDate',
    currency: 'CurrencyIsoCode',
    source_updated_at: 'SystemModstamp',
    deleted: 'IsDeleted',
    ignored: ['LastModifiedDate', 'OwnerId'],
  });
});

test('columns of Salesforce reports are found by their labels', () => {
  const columns = ['Opportunity ID (18 Digit)', 'Account ID', 'Opportunity Name', 'Stage', 'Amount Currency'];
  expect(
    mapped('opportunities', [...columns, 'Amount', 'Close Date', 'Created Date', 'Won', 'Closed']),
  ).toEqual({
    crm_id: 'Opportunity ID (18 Digit)',
    account_crm_id: 'Account ID',
    name: 'Opportunity Name',
    stage: 'Stage',
    currency: 'Amount Currency',
    value: 'Amount',
    closed_date: 'Close Date',
    opened_at: 'Created Date',
    is_won: 'Won',
    is_closed: 'Closed',
    ignored: [],
  });
  expect(mapped('accounts', ['18 Char Account ID', 'Account Name', 'Billing Country', 'Website'])).toEqual({
    crm_id: '18 Char Account ID',
    name: 'Account Name',
    country: 'Billing Country',
    domain: 'Website',
    ignored: [],
  });
});

test('columns of HubSpot exports are found by their labels', () => {
  const companies = [
    'Record ID',
    'Company name',
    'Website URL',
    'Company Domain Name',
    'Country/Region',
    'City',
  ];
  expect(mapped('accounts', [...companies, 'Last Modified Date'])).toEqual({
    crm_id: 'Record ID',
    name: 'Company name',
    domain: 'Company Domain Name',
    country: 'Country/Region',
    source_updated_at: 'Last Modified Date',
    ignored: ['Website URL', 'City'],
  });
  const opportunities = [
    'Record ID',
    'Deal Name',
    'Deal Stage',
    'Amount',
    'Currency',
    'Close Date',
    'Create Date',
  ];
  const flags = ['Is Closed Won', 'Is closed lost', 'Is Deal Closed?'];
  const companyIds = ['Associated Company IDs', 'Associated Company IDs (Primary)'];
  expect(mapped('opportunities', [...opportunities, ...flags, ...companyIds])).toEqual({
    crm_id: 'Record ID',
    name: 'Deal Name',
    stage: 'Deal Stage',
    value: 'Amount',
    currency: 'Currency',
    closed_date: 'Close Date',
    opened_at: 'Create Date',
    is_won: 'Is Closed Won',
    is_lost: 'Is closed lost',
    is_closed: 'Is Deal Closed?',
    account_crm_id: 'Associated Company IDs (Primary)',
    ignored: ['Associated Company IDs'],
  });
});

test('our own names go before all others', () => {
  expect(mapped('accounts', ['Id', 'crm_id', 'Company', 'name', 'Website', 'domain'])).toEqual({
    crm_id: 'crm_id',
    name: 'name',
    domain: 'domain',
    ignored: ['Id', 'Company', 'Website'],
  });
});

test('a named column overrides, and an empty name leaves a field out', () => {
  const columns = ['Id', 'Name', 'Legal Name', 'Country'];
  expect(mapped('accounts', columns, { name: 'legal name', country: '' })).toEqual({
    crm_id: 'Id',
    name: 'Legal Name',
    ignored: ['Name', 'Country'],
  });
});

test('a column that shows itself later feeds only what nothing fed before', () => {
  const map = createColumnMap('accounts', {});
  map.see(['id', 'company']);
  map.see(['id', 'name', 'website']);
  expect(Object.fromEntries(map.columnOf)).toEqual({ crm_id: 'id', name: 'company', domain: 'website' });
});

test('missing fields are named; the stage can determine the status', () => {
  const fed = ['crm_id', 'name', 'value', 'stage'];
  expect(missingFields('opportunities', (field) => fed.includes(field))).toEqual([
    'account_crm_id',
    'opened_at',
  ]);
});
