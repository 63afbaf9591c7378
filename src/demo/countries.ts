export type Country = {
  code: string;
  currency: string;
  /** Roughly, so that deals have a similar size everywhere. */
  unitsPerDollar: number;
  legalForm: string;
  registry: string;
};

const [many, some, few] = [4, 2, 1];

/** Each country occurs as often as its weight says. */
export const countries: readonly Country[] = (
  [
    [many, 'US', 'USD', 1, 'Inc.', 'C'],
    [many, 'DE', 'EUR', 0.9, 'GmbH', 'HRB'],
    [many, 'GB', 'GBP', 0.8, 'Ltd', 'CRN'],
    [some, 'FR', 'EUR', 0.9, 'SAS', 'RCS'],
    [some, 'NL', 'EUR', 0.9, 'B.V.', 'KVK'],
    [some, 'CA', 'CAD', 1.4, 'Inc.', 'BN'],
    [some, 'SE', 'SEK', 10, 'AB', 'ORG'],
    [some, 'AU', 'AUD', 1.5, 'Pty Ltd', 'ACN'],
    [few, 'CH', 'CHF', 0.9, 'AG', 'CHE'],
    [few, 'ES', 'EUR', 0.9, 'S.L.', 'CIF'],
    [few, 'IT', 'EUR', 0.9, 'S.r.l.', 'REA'],
    [few, 'BR', 'BRL', 5, 'Ltda.', 'CNPJ'],
    [few, 'IN', 'INR', 85, 'Pvt Ltd', 'CIN'],
    [few, 'SG', 'SGD', 1.3, 'Pte. Ltd.', 'UEN'],
    [few, 'JP', 'JPY', 150, 'K.K.', 'HJN'],
  ] as const
).flatMap(([weight, code, currency, unitsPerDollar, legalForm, registry]) =>
  Array.from({ length: weight }, () => ({ code, currency, unitsPerDollar, legalForm, registry })),
);
