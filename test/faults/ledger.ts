export type AcknowledgedFact = {
  org: string;
  kind: 'accounts' | 'opportunities' | 'partner_accounts' | 'activities';
  key: string;
  /** Only for an opportunity. */
  status?: 'open' | 'won';
};
export type AcknowledgedChange = { org: string; signal: string; note: string; state: string };

/** Everything that the service has acknowledged and must never lose. */
export class Ledger {
  readonly #facts = new Map<string, AcknowledgedFact>();
  readonly changes: AcknowledgedChange[] = [];

  /** A later version of a fact replaces the earlier one. */
  fact(fact: AcknowledgedFact): void {
    this.#facts.set(`${fact.org} ${fact.kind} ${fact.key}`, fact);
  }

  change(change: AcknowledgedChange): void {
    this.changes.push(change);
  }

  facts(): AcknowledgedFact[] {
    return [...this.#facts.values()];
  }

  get size(): number {
    return this.#facts.size + this.changes.length;
  }
}
