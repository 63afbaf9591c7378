import { plannerFence } from './planner-fence.ts';

/** The related rows that items include, by field name, with their tables. */
const tables = {
  partner: 'partners',
  account: 'accounts',
  opportunity: 'opportunities',
  partner_account: 'partner_accounts',
};
type Summary = keyof typeof tables;
type Schema<Field extends string = string> = { properties: Record<Field, unknown> };

/**
 * The columns of a list item, in the order of its schema: those of its own row, and those of related rows, which are joined
 * under their field names. `computed` has expressions for fields that are not columns.
 */
export function itemColumns<Field extends string>(
  schema: Schema<Field>,
  alias: string,
  computed: Partial<Record<Field, string>> = {},
): string {
  return Object.entries<unknown>(schema.properties)
    .map(([field, inner]) => {
      if (field in computed) return `${computed[field as Field]} as ${field}`;
      return field in tables ? summaryColumns(field as Summary, inner as Schema) : `${alias}.${field}`;
    })
    .join(', ');
}

/** `partner.id as "partner.id", partner.name as "partner.name"` */
export function summaryColumns(summary: Summary, { properties }: Schema): string {
  return Object.keys(properties)
    .map((column) => `${summary}.${column} as "${summary}.${column}"`)
    .join(', ');
}

/** Joins the row that an item refers to by `id`, under the name of its summary. */
export function joinSummary(summary: Exclude<Summary, 'partner_account'>, id: string): string {
  return `cross join lateral (
    select * from ${tables[summary]} where org_id = $1 and id = ${id} ${plannerFence}) ${summary}`;
}

/** Converts a row of `itemColumns` to the contract: "partner.name" becomes the name of its partner. */
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

/** Split once: a page has 500 values but few columns. */
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
