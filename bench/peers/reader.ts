export type Owner = { orgId: string; key: string };

/** A server that reads pages of 25 signals. */
export type Reader = { name: string; pid: number; page(owner: Owner): Promise<string>; stop(): void };
