/** The parts of an OpenAPI document that we use. */
export type Schema = {
  title?: string;
  description?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  examples?: unknown[];
  [keyword: string]: unknown;
};

export type Header = { description?: string; required?: boolean; schema: Schema; example?: unknown };
export type Parameter = Header & { name: string; in: 'path' | 'query' | 'header' };
type Media = { schema: Schema; example?: unknown; examples?: Record<string, { value: unknown }> };
export type Content = Record<string, Media>;
export type Response = { description: string; headers?: Record<string, unknown>; content?: Content };

export type Operation = {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security?: Record<string, string[]>[];
  parameters?: Parameter[] | undefined;
  requestBody?: { description?: string; required: boolean; content: Content };
  responses: Record<string, Response>;
};

export type Document = {
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, unknown>>;
  [member: string]: unknown;
};
