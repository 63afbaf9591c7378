/*
 * The columns of a table, each declared once with its PostgreSQL type and the type of its values. The list to select, the
 * record of a batch and the assignments of an upsert follow from this. Statements stay SQL.
 */
type Column<T> = { sql: string; value?: T };
type Columns = Record<string, Column<unknown>>;
export type Row<C extends { declared: Columns }> = {
  [K in keyof C['declared']]: C['declared'][K] extends Column<infer T> ? T : never;
};

const column =
  (sql: string) =>
  <T>(): Column<T> => ({ sql });
export const text = column('text') as <T extends string | null = string>() => Column<NoInfer<T>>;
export const textArray = column('text[]') as () => Column<string[]>;
export const int = column('int') as <T extends number = number>() => Column<NoInfer<T>>;
export const smallint = column('smallint') as <T extends number = number>() => Column<NoInfer<T>>;
export const real = column('real') as () => Column<number>;
export const numeric = column('numeric') as () => Column<number>;
export const boolean = column('boolean') as () => Column<boolean>;
export const jsonb = column('jsonb');
/** A day, as YYYY-MM-DD. */
export const date = column('date') as <T extends string | null = string>() => Column<NoInfer<T>>;
export const timestamptz = column('timestamptz') as <T extends Date | null = Date>() => Column<NoInfer<T>>;

export function columns<C extends Columns>(declared: C) {
  const names = Object.keys(declared);
  return {
    declared,
    /** `id, name` */
    list: names.join(', '),
    /** `a.id, a.name` */
    of: (alias: string) => names.map((name) => `${alias}.${name}`).join(', '),
    /** `(id text, name text)`, for `jsonb_to_recordset($2) as r …` */
    record: `(${names.map((name) => `${name} ${declared[name]?.sql}`).join(', ')})`,
    /**
     * `(select id, name from unnest($2::text[], $3::text[]) as r (id, name)) r`: PostgreSQL unpacks arrays faster than JSON.
     * It would flatten nested arrays, so inner arrays are sent as text.
     */
    unnest: (first: number) => {
      const isArray = (name: string) => declared[name]?.sql.endsWith('[]');
      const types = names.map((name) => (isArray(name) ? 'text' : declared[name]?.sql));
      const given = types.map((type, i) => `$${first + i}::${type}[]`).join(', ');
      const list = names.map((name) => (isArray(name) ? `${name}::${declared[name]?.sql}` : name));
      return `(select ${list.join(', ')} from unnest(${given}) as r (${names.join(', ')})) r`;
    },
    /** The values for `unnest`. */
    arrays: (rows: { [K in keyof C]: unknown }[]) => arraysOf(rows, ...names),
    /** `name = excluded.name`, for all columns except the key. */
    excluded: (...key: (keyof C & string)[]) => assign(names, key, 'excluded'),
    /** `name = r.name`: the same for an update from a batch. */
    from: (alias: string, ...key: (keyof C & string)[]) => assign(names, key, alias),
  };
}

/** One array per field, for `unnest`. */
export function arraysOf<Row>(rows: Row[], ...fields: (keyof Row)[]): string[] {
  return fields.map((field) => array(rows.map((row) => row[field])));
}

/** In PostgreSQL's array syntax; the driver's own conversion takes several times as long. */
export function array(values: unknown[]): string {
  return `{${values.map(element).join(',')}}`;
}

function element(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (value instanceof Date) return `"${value.toISOString()}"`;
  const text = textOf(value);
  return `"${/["\\]/.test(text) ? text.replace(/["\\]/g, '\\$&') : text}"`;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return array(value);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function assign(names: string[], key: string[], source: string): string {
  return names
    .filter((name) => !key.includes(name))
    .map((name) => `${name} = ${source}.${name}`)
    .join(', ');
}

/** The columns of a response whose fields have the names of columns. */
export function fieldsOf(schema: { properties: Record<string, unknown> }): string {
  return Object.keys(schema.properties).join(', ');
}
