export type Country = {
  code: string;
  /** What the deals there are sold in. */
  currency: 'EUR' | 'USD';
  /** The team that sells there. */
  region: 'Americas' | 'Asia-Pacific' | 'Europe';
  legalForm: string;
  registry: string;
};

const [many, some, few] = [4, 2, 1];

/** Each country occurs as often as its weight says. */
export const countries: readonly Country[] = (
  [
    [many, 'US', 'USD', 'Americas', 'Inc.', 'C'],
    [many, 'DE', 'EUR', 'Europe', 'GmbH', 'HRB'],
    [many, 'GB', 'EUR', 'Europe', 'Ltd', 'CRN'],
    [some, 'FR', 'EUR', 'Europe', 'SAS', 'RCS'],
    [some, 'NL', 'EUR', 'Europe', 'B.V.', 'KVK'],
    [some, 'CA', 'USD', 'Americas', 'Inc.', 'BN'],
    [some, 'SE', 'EUR', 'Europe', 'AB', 'ORG'],
    [some, 'AU', 'USD', 'Asia-Pacific', 'Pty Ltd', 'ACN'],
    [few, 'CH', 'EUR', 'Europe', 'AG', 'CHE'],
    [few, 'ES', 'EUR', 'Europe', 'S.L.', 'CIF'],
    [few, 'IT', 'EUR', 'Europe', 'S.r.l.', 'REA'],
    [few, 'BR', 'USD', 'Americas', 'Ltda.', 'CNPJ'],
    [few, 'IN', 'USD', 'Asia-Pacific', 'Pvt Ltd', 'CIN'],
    [few, 'SG', 'USD', 'Asia-Pacific', 'Pte. Ltd.', 'UEN'],
    [few, 'JP', 'USD', 'Asia-Pacific', 'K.K.', 'HJN'],
  ] as const
).flatMap(([weight, code, currency, region, legalForm, registry]) =>
  Array.from({ length: weight }, () => ({ code, currency, region, legalForm, registry })),
);
