import { AccountSummary, OpportunitySummary, PartnerSummary } from '../contract/signal.ts';
import { fence } from './fence.ts';

const summaries = {
  partner: { table: 'partners', schema: PartnerSummary },
  account: { table: 'accounts', schema: AccountSummary },
  opportunity: { table: 'opportunities', schema: OpportunitySummary },
};
type Summary = keyof typeof summaries;

/**
 * What a list item shows, in the order of its schema: columns of its own row, and of the rows that it refers to, which
 * `joinSummary` brings in. `computed` has the expressions of fields that are no column.
 */
export function itemColumns(
  schema: { properties: Record<string, unknown> },
  alias: string,
  computed: Record<string, string> = {},
): string {
  return Object.keys(schema.properties)
    .flatMap((field) => {
      if (field in summaries)
        return Object.keys(summaries[field as Summary].schema.properties).map(
          (column) => `${field}.${column} as "${field}.${column}"`,
        );
      return field in computed ? `${computed[field]} as ${field}` : `${alias}.${field}`;
    })
    .join(', ');
}

/** The row that an item refers to by `id`, under the name of its summary. */
export function joinSummary(summary: Summary, id: string): string {
  return `cross join lateral (
    select * from ${summaries[summary].table} where org_id = $1 and id = ${id} ${fence}) ${summary}`;
}

/** A row of `itemColumns` as the contract shows it: "partner.name" becomes the name of its partner. */
export function toItem<Item>(row: object): Item {
  const item: Record<string, unknown> = {};
  for (const [column, value] of Object.entries(row)) {
    const { name, field } = pathOf(column);
    if (field === undefined) item[name] = value;
    else {
      item[name] ??= {};
      (item[name] as Record<string, unknown>)[field] = value;
    }
  }
  return item as Item;
}

/** Split once: a page has 500 values, and there are few columns. */
const paths = new Map<string, { name: string; field: string | undefined }>();

function pathOf(column: string) {
  let path = paths.get(column);
  if (!path) {
    const [name = '', field] = column.split('.');
    path = { name, field };
    paths.set(column, path);
  }
  return path;
}
