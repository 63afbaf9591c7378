// Made of docs/openapi.json. Renew it with: UPDATE=1 npm test test/openapi/client-types
export type components = {
    schemas: {
        /** @example acc_01khry0x43e9tbm3v1x2c4d5f6 */
        AccountId: string;
        /**
         * @example {
         *       "crm_id": "0015e00001AbCdE",
         *       "name": "Harbour Mills",
         *       "domain": "harbourmills.example",
         *       "extra_domains": [
         *         "harbourmills-group.example"
         *       ],
         *       "country": "NO",
         *       "registry_number": "918273645",
         *       "source_updated_at": "2026-02-25T06:10:00Z"
         *     }
         */
        AccountRow: {
            /**
             * @description The identifier in your CRM.
             * @example 0015e00001AbCdE
             */
            crm_id: string;
            /**
             * @description What people call it.
             * @example Harbour Mills
             */
            name: string;
            /**
             * @description A host name, a URL or an e-mail address.
             * @example harbourmills.example
             */
            domain?: string | null;
            /**
             * @description Further domains of the same company.
             * @example [
             *       "harbourmills-group.example"
             *     ]
             */
            extra_domains?: string[] | null;
            /**
             * @description ISO 3166-1 alpha-2
             * @example NO
             */
            country?: string | null;
            /**
             * @description The number in the register of companies of the country.
             * @example 918273645
             */
            registry_number?: string | null;
            /** @description The crm_id of the account that the facts move to. */
            merged_into?: string | null;
            /**
             * Format: date-time
             * @description When the source last changed it. A version older than the one held here changes nothing.
             * @example 2026-02-25T06:10:00Z
             */
            source_updated_at?: string | null;
            /** @description true withdraws the fact; then the key is enough. */
            deleted?: boolean | null;
        };
        /**
         * @example {
         *       "id": "acc_01khry0x43e9tbm3v1x2c4d5f6",
         *       "name": "Harbour Mills",
         *       "crm_id": "0015e00001AbCdE"
         *     }
         */
        AccountSummary: {
            id: components["schemas"]["AccountId"];
            /**
             * @description The name in the CRM.
             * @example Harbour Mills
             */
            name: string;
            /**
             * @description The identifier in the organization's CRM.
             * @example 0015e00001AbCdE
             */
            crm_id: string;
        };
        /**
         * @example {
         *       "crm_id": "0015e00001AbCdE",
         *       "source_updated_at": "2026-02-25T06:10:00Z",
         *       "deleted": true
         *     }
         */
        AccountWithdrawal: {
            /** @description Ignored, whatever it is. */
            name?: unknown;
            /** @description Ignored, whatever it is. */
            domain?: unknown;
            /** @description Ignored, whatever it is. */
            extra_domains?: unknown;
            /** @description Ignored, whatever it is. */
            country?: unknown;
            /** @description Ignored, whatever it is. */
            registry_number?: unknown;
            /**
             * @description The identifier in your CRM.
             * @example 0015e00001AbCdE
             */
            crm_id: string;
            /** @description The crm_id of the account that the facts move to. */
            merged_into?: string | null;
            /**
             * Format: date-time
             * @description When the source last changed it. A version older than the one held here changes nothing.
             * @example 2026-02-25T06:10:00Z
             */
            source_updated_at?: string | null;
            /**
             * @description Withdraws the fact.
             * @constant
             */
            deleted: true;
        };
        /**
         * @description Something that a partner did on an account.
         * @example {
         *       "id": "act_01khry0x46e9tbm3v1x2c4d5f6",
         *       "kind": "joint_meeting",
         *       "occurred_at": "2026-02-24T13:00:00.000Z",
         *       "recorded_at": "2026-02-25T06:13:20.000Z",
         *       "summary": "Sizing workshop with the plant managers",
         *       "actor": "Ines Marlow",
         *       "source": "crm",
         *       "opportunity_id": "opp_01khry0x44e9tbm3v1x2c4d5f6"
         *     }
         */
        Activity: {
            id: components["schemas"]["ActivityId"];
            /**
             * @description What the partner did.
             * @example joint_meeting
             * @enum {string}
             */
            kind: "deal_registration" | "referral" | "introduction" | "joint_meeting" | "exec_intro" | "proposal_support" | "technical_validation" | "co_sell_share" | "marketplace_offer" | "content_touch" | "event_attendance" | "integration_usage" | "marketplace_listing";
            /**
             * Format: date-time
             * @description When it happened.
             * @example 2026-02-24T13:00:00.000Z
             */
            occurred_at: string;
            /**
             * Format: date-time
             * @description When the service learned of it.
             * @example 2026-02-25T06:13:20.000Z
             */
            recorded_at: string;
            /**
             * @description What happened, in the words of the source.
             * @example Sizing workshop with the plant managers
             */
            summary: string;
            /**
             * @description The person who did it.
             * @example Ines Marlow
             */
            actor: string | null;
            /**
             * @description The system that it came from.
             * @example crm
             */
            source: string | null;
            /**
             * @description The deal that the source named.
             * @example opp_01khry0x44e9tbm3v1x2c4d5f6
             */
            opportunity_id: string | null;
        };
        /** @example act_01khry0x46e9tbm3v1x2c4d5f6 */
        ActivityId: string;
        /**
         * @description What a partner did; the kind says which tier of credit it can support.
         * @example joint_meeting
         * @enum {string}
         */
        ActivityKind: "deal_registration" | "referral" | "introduction" | "joint_meeting" | "exec_intro" | "proposal_support" | "technical_validation" | "co_sell_share" | "marketplace_offer" | "content_touch" | "event_attendance" | "integration_usage" | "marketplace_listing";
        /**
         * @example {
         *       "external_id": "meeting-20260224-1",
         *       "partner_external_id": "zephyr-cloud",
         *       "account_crm_id": "0015e00001AbCdE",
         *       "opportunity_crm_id": "0065e00002XyZaB",
         *       "kind": "joint_meeting",
         *       "occurred_at": "2026-02-24T13:00:00Z",
         *       "summary": "Sizing workshop with the plant managers",
         *       "actor": "Ines Marlow",
         *       "source": "crm",
         *       "source_updated_at": "2026-02-25T06:10:00Z"
         *     }
         */
        ActivityRow: {
            /**
             * @description Your own identifier of the activity.
             * @example meeting-20260224-1
             */
            external_id: string;
            /**
             * @description The partner, which must be known.
             * @example zephyr-cloud
             */
            partner_external_id: string;
            /**
             * @description The account, which must be known. This or domain is required.
             * @example 0015e00001AbCdE
             */
            account_crm_id?: string | null;
            /** @description Finds the account where account_crm_id is absent. */
            domain?: string | null;
            /**
             * @description The deal, which must be known.
             * @example 0065e00002XyZaB
             */
            opportunity_crm_id?: string | null;
            kind: components["schemas"]["ActivityKind"];
            /**
             * Format: date-time
             * @description When it happened; at most 5 minutes ahead of now.
             * @example 2026-02-24T13:00:00Z
             */
            occurred_at: string;
            /**
             * Format: date-time
             * @description When the source learned of it; counts only where the settings trust sources.
             */
            recorded_at?: string | null;
            /**
             * @description What happened.
             * @example Sizing workshop with the plant managers
             */
            summary: string;
            /**
             * @description The person who did it.
             * @example Ines Marlow
             */
            actor?: string | null;
            /**
             * @description The system that it comes from.
             * @example crm
             */
            source?: string | null;
            /**
             * Format: date-time
             * @description When the source last changed it. A version older than the one held here changes nothing.
             * @example 2026-02-25T06:10:00Z
             */
            source_updated_at?: string | null;
            /** @description true withdraws the fact; then the key is enough. */
            deleted?: boolean | null;
        };
        /**
         * @example {
         *       "external_id": "meeting-20260224-1",
         *       "source_updated_at": "2026-02-25T06:10:00Z",
         *       "deleted": true
         *     }
         */
        ActivityWithdrawal: {
            /** @description Ignored, whatever it is. */
            partner_external_id?: unknown;
            /** @description Ignored, whatever it is. */
            account_crm_id?: unknown;
            /** @description Ignored, whatever it is. */
            domain?: unknown;
            /** @description Ignored, whatever it is. */
            opportunity_crm_id?: unknown;
            /** @description Ignored, whatever it is. */
            kind?: unknown;
            /** @description Ignored, whatever it is. */
            occurred_at?: unknown;
            /** @description Ignored, whatever it is. */
            recorded_at?: unknown;
            /** @description Ignored, whatever it is. */
            summary?: unknown;
            /** @description Ignored, whatever it is. */
            actor?: unknown;
            /** @description Ignored, whatever it is. */
            source?: unknown;
            /**
             * @description Your own identifier of the activity.
             * @example meeting-20260224-1
             */
            external_id: string;
            /**
             * Format: date-time
             * @description When the source last changed it. A version older than the one held here changes nothing.
             * @example 2026-02-25T06:10:00Z
             */
            source_updated_at?: string | null;
            /**
             * @description Withdraws the fact.
             * @constant
             */
            deleted: true;
        };
        /**
         * @description An API key of an organization, without the key itself.
         * @example {
         *       "id": "key_01khry0x41e9tbm3v1x2c4d5f6",
         *       "name": "CRM integration",
         *       "scopes": [
         *         "write",
         *         "ingest"
         *       ],
         *       "created_at": "2026-01-12T08:05:00.000Z",
         *       "expires_at": "2027-01-12T00:00:00.000Z",
         *       "last_used_at": "2026-03-02T09:30:00.000Z",
         *       "exposed_at": null
         *     }
         */
        ApiKey: {
            id: components["schemas"]["KeyId"];
            /**
             * @description What it is for.
             * @example CRM integration
             */
            name: string;
            /**
             * @description read: GET of /v1. write: includes read. admin: includes write, decides disputes. ingest: /ingest/v1 only.
             * @default [
             *       "write"
             *     ]
             * @example [
             *       "write",
             *       "ingest"
             *     ]
             */
            scopes: components["schemas"]["Scope"][];
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-12T08:05:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it stops working; null: never.
             * @example 2027-01-12T00:00:00.000Z
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description Its last request, to within ten seconds; null: none yet.
             * @example 2026-03-02T09:30:00.000Z
             */
            last_used_at: string | null;
            /**
             * Format: date-time
             * @description When it was first sent over plain HTTP, where anyone may have read it.
             * @example null
             */
            exposed_at: string | null;
        };
        /**
         * @description The members come in this order, as compact JSON.
         * @example {
         *       "event": "attribution.created",
         *       "data": {
         *         "id": "atr_01khry0x47e9tbm3v1x2c4d5f6",
         *         "tier": "co_sell",
         *         "status": "active",
         *         "partner": {
         *           "id": "prt_01khry0x42e9tbm3v1x2c4d5f6",
         *           "name": "Zephyr Cloud",
         *           "type": "technology_partner"
         *         },
         *         "account": {
         *           "id": "acc_01khry0x43e9tbm3v1x2c4d5f6",
         *           "name": "Harbour Mills",
         *           "crm_id": "0015e00001AbCdE"
         *         },
         *         "opportunity": {
         *           "id": "opp_01khry0x44e9tbm3v1x2c4d5f6",
         *           "name": "Harbour Mills renewal",
         *           "value": 48000,
         *           "stage": "proposal"
         *         },
         *         "closed_date": "2026-02-27",
         *         "dispute_status": "none",
         *         "policy_version": 1,
         *         "created_at": "2026-02-27T17:20:00.000Z",
         *         "updated_at": "2026-02-27T17:20:00.000Z"
         *       },
         *       "timestamp": "2026-02-25T06:13:20.417Z",
         *       "signature": "sha256=096bec4aed7b4374a1a94ea5f2394ba0052806fb84a3c549ca610ca30e9c130c"
         *     }
         */
        AttributionCreatedPayload: {
            /**
             * @description What happened.
             * @constant
             */
            event: "attribution.created";
            data: components["schemas"]["AttributionRecord"];
            /**
             * Format: date-time
             * @description When it happened.
             * @example 2026-02-25T06:13:20.417Z
             */
            timestamp: string;
            /**
             * @description HMAC-SHA256 of the body without this member.
             * @example sha256=0000000000000000000000000000000000000000000000000000000000000000
             */
            signature: string;
        };
        /**
         * @description Something that happened; data is the resource as it was then.
         * @example {
         *       "id": "evt_01khry0x4be9tbm3v1x2c4d5f6",
         *       "event": "attribution.created",
         *       "data": {
         *         "id": "atr_01khry0x47e9tbm3v1x2c4d5f6",
         *         "tier": "co_sell",
         *         "status": "active",
         *         "partner": {
         *           "id": "prt_01khry0x42e9tbm3v1x2c4d5f6",
         *           "name": "Zephyr Cloud",
         *           "type": "technology_partner"
         *         },
         *         "account": {
         *           "id": "acc_01khry0x43e9tbm3v1x2c4d5f6",
         *           "name": "Harbour Mills",
         *           "crm_id": "0015e00001AbCdE"
         *         },
         *         "opportunity": {
         *           "id": "opp_01khry0x44e9tbm3v1x2c4d5f6",
         *           "name": "Harbour Mills renewal",
         *           "value": 48000,
         *           "stage": "proposal"
         *         },
         *         "closed_date": "2026-02-27",
         *         "dispute_status": "none",
         *         "policy_version": 1,
         *         "created_at": "2026-02-27T17:20:00.000Z",
         *         "updated_at": "2026-02-27T17:20:00.000Z"
         *       },
         *       "timestamp": "2026-02-25T06:13:20.417Z"
         *     }
         */
        AttributionEvent: {
            id: components["schemas"]["EventId"];
            /**
             * @description What happened.
             * @enum {string}
             */
            event: "attribution.created" | "attribution.updated";
            data: components["schemas"]["AttributionRecord"];
            /**
             * Format: date-time
             * @description When it happened.
             * @example 2026-02-25T06:13:20.417Z
             */
            timestamp: string;
        };
        /** @example atr_01khry0x47e9tbm3v1x2c4d5f6 */
        AttributionId: string;
        /**
         * @description The settings that decide credit.
         * @example {
         *       "attribution": {
         *         "sourced": {
         *           "lookback_days": 180,
         *           "lock_days": 14
         *         },
         *         "influenced": {
         *           "window_days": 90
         *         }
         *       },
         *       "pre_intent": {
         *         "half_life_days": 14,
         *         "threshold": 4,
         *         "weights": {
         *           "sourced": 3,
         *           "co_sell": 2,
         *           "influenced": 1
         *         },
         *         "life_days": 14
         *       }
         *     }
         */
        AttributionPolicy: {
            attribution: components["schemas"]["AttributionSettings"];
            pre_intent: components["schemas"]["PreIntentSettings"];
        };
        /**
         * @description Credits a closed deal to a partner at a tier.
         * @example {
         *       "id": "atr_01khry0x47e9tbm3v1x2c4d5f6",
         *       "tier": "co_sell",
         *       "status": "active",
         *       "partner": {
         *         "id": "prt_01khry0x42e9tbm3v1x2c4d5f6",
         *         "name": "Zephyr Cloud",
         *         "type": "technology_partner"
         *       },
         *       "account": {
         *         "id": "acc_01khry0x43e9tbm3v1x2c4d5f6",
         *         "name": "Harbour Mills",
         *         "crm_id": "0015e00001AbCdE"
         *       },
         *       "opportunity": {
         *         "id": "opp_01khry0x44e9tbm3v1x2c4d5f6",
         *         "name": "Harbour Mills renewal",
         *         "value": 48000,
         *         "stage": "proposal"
         *       },
         *       "closed_date": "2026-02-27",
         *       "dispute_status": "none",
         *       "policy_version": 1,
         *       "created_at": "2026-02-27T17:20:00.000Z",
         *       "updated_at": "2026-02-27T17:20:00.000Z"
         *     }
         */
        AttributionRecord: {
            id: components["schemas"]["AttributionId"];
            tier: components["schemas"]["AttributionTier"];
            /**
             * @description reversed: the deal is not won any more, or the evidence is gone.
             * @enum {string}
             */
            status: "active" | "reversed";
            partner: components["schemas"]["PartnerSummary"];
            account: components["schemas"]["AccountSummary"];
            opportunity: components["schemas"]["OpportunitySummary"];
            /**
             * Format: date
             * @description The UTC day on which the deal was won.
             * @example 2026-02-27
             */
            closed_date: string;
            /**
             * @description Of its latest dispute.
             * @enum {string}
             */
            dispute_status: "none" | "open" | "accepted" | "rejected" | "withdrawn";
            /**
             * @description The version of the organization's settings that made it.
             * @example 1
             */
            policy_version: number;
            /**
             * Format: date-time
             * @description When the credit was given.
             * @example 2026-02-27T17:20:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed.
             * @example 2026-02-27T17:20:00.000Z
             */
            updated_at: string;
        };
        /**
         * @description An attribution record in full.
         * @example {
         *       "id": "atr_01khry0x47e9tbm3v1x2c4d5f6",
         *       "tier": "co_sell",
         *       "status": "active",
         *       "partner": {
         *         "id": "prt_01khry0x42e9tbm3v1x2c4d5f6",
         *         "name": "Zephyr Cloud",
         *         "type": "technology_partner"
         *       },
         *       "account": {
         *         "id": "acc_01khry0x43e9tbm3v1x2c4d5f6",
         *         "name": "Harbour Mills",
         *         "crm_id": "0015e00001AbCdE"
         *       },
         *       "opportunity": {
         *         "id": "opp_01khry0x44e9tbm3v1x2c4d5f6",
         *         "name": "Harbour Mills renewal",
         *         "value": 48000,
         *         "stage": "proposal"
         *       },
         *       "closed_date": "2026-02-27",
         *       "dispute_status": "none",
         *       "policy_version": 1,
         *       "created_at": "2026-02-27T17:20:00.000Z",
         *       "updated_at": "2026-02-27T17:20:00.000Z",
         *       "evidence_log": [
         *         {
         *           "id": "evd_01khry0x48e9tbm3v1x2c4d5f6",
         *           "kind": "joint_meeting",
         *           "tier_supported": "co_sell",
         *           "occurred_at": "2026-02-24T13:00:00.000Z",
         *           "recorded_at": "2026-02-25T06:13:20.000Z",
         *           "summary": "Sizing workshop with the plant managers",
         *           "activity_id": "act_01khry0x46e9tbm3v1x2c4d5f6",
         *           "signal_id": "sig_01khry0x45e9tbm3v1x2c4d5f6",
         *           "counted": true,
         *           "reason": "Joint meeting while the deal was open, 3 days before the deal was closed."
         *         }
         *       ],
         *       "dispute_history": []
         *     }
         */
        AttributionRecordDetail: {
            id: components["schemas"]["AttributionId"];
            tier: components["schemas"]["AttributionTier"];
            /**
             * @description reversed: the deal is not won any more, or the evidence is gone.
             * @enum {string}
             */
            status: "active" | "reversed";
            partner: components["schemas"]["PartnerSummary"];
            account: components["schemas"]["AccountSummary"];
            opportunity: components["schemas"]["OpportunitySummary"];
            /**
             * Format: date
             * @description The UTC day on which the deal was won.
             * @example 2026-02-27
             */
            closed_date: string;
            /**
             * @description Of its latest dispute.
             * @enum {string}
             */
            dispute_status: "none" | "open" | "accepted" | "rejected" | "withdrawn";
            /**
             * @description The version of the organization's settings that made it.
             * @example 1
             */
            policy_version: number;
            /**
             * Format: date-time
             * @description When the credit was given.
             * @example 2026-02-27T17:20:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed.
             * @example 2026-02-27T17:20:00.000Z
             */
            updated_at: string;
            /** @description Oldest first. */
            evidence_log: components["schemas"]["Evidence"][];
            /**
             * @description Oldest first.
             * @example []
             */
            dispute_history: components["schemas"]["Dispute"][];
        };
        /**
         * @example {
         *       "sourced": {
         *         "lookback_days": 180,
         *         "lock_days": 14
         *       },
         *       "influenced": {
         *         "window_days": 90
         *       }
         *     }
         */
        AttributionSettings: {
            sourced: {
                /**
                 * @description How long before the opening of a deal a sourcing activity may lie.
                 * @example 180
                 */
                lookback_days: number;
                /**
                 * @description How long after the opening a sourcing activity may still be recorded.
                 * @example 14
                 */
                lock_days: number;
            };
            influenced: {
                /**
                 * @description How long before the closing of a deal an activity counts as influence.
                 * @example 90
                 */
                window_days: number;
            };
        };
        /**
         * @description What another policy would change.
         * @example {
         *       "deals": 12,
         *       "before": [
         *         {
         *           "tier": "co_sell",
         *           "currency": "EUR",
         *           "records": 4,
         *           "value": 192000
         *         }
         *       ],
         *       "after": [
         *         {
         *           "tier": "co_sell",
         *           "currency": "EUR",
         *           "records": 4,
         *           "value": 192000
         *         }
         *       ],
         *       "changed": 1,
         *       "changes": [
         *         {
         *           "record_id": "atr_01khry0x47e9tbm3v1x2c4d5f6",
         *           "partner": {
         *             "id": "prt_01khry0x42e9tbm3v1x2c4d5f6",
         *             "name": "Zephyr Cloud",
         *             "type": "technology_partner"
         *           },
         *           "opportunity": {
         *             "id": "opp_01khry0x44e9tbm3v1x2c4d5f6",
         *             "name": "Harbour Mills renewal",
         *             "value": 48000,
         *             "stage": "proposal"
         *           },
         *           "closed_date": "2026-02-27",
         *           "tier_before": "co_sell",
         *           "tier_after": "influenced"
         *         }
         *       ]
         *     }
         */
        AttributionSimulation: {
            /**
             * @description Won deals of the period that were looked at.
             * @example 12
             */
            deals: number;
            /** @description By tier and currency, as it is. */
            before: {
                tier: components["schemas"]["AttributionTier"];
                /**
                 * @description ISO 4217; null where the CRM gave none.
                 * @example EUR
                 */
                currency: string | null;
                /**
                 * @description Active records of the tier.
                 * @example 4
                 */
                records: number;
                /**
                 * @description Their value as credited.
                 * @example 192000
                 */
                value: number;
            }[];
            /** @description By tier and currency, as it would be. */
            after: {
                tier: components["schemas"]["AttributionTier"];
                /**
                 * @description ISO 4217; null where the CRM gave none.
                 * @example EUR
                 */
                currency: string | null;
                /**
                 * @description Active records of the tier.
                 * @example 4
                 */
                records: number;
                /**
                 * @description Their value as credited.
                 * @example 192000
                 */
                value: number;
            }[];
            /**
             * @description Records that would differ.
             * @example 1
             */
            changed: number;
            /** @description Newest deals first; at most 1,000 are listed. */
            changes: {
                /**
                 * @description null: the record would be new.
                 * @example atr_01khry0x47e9tbm3v1x2c4d5f6
                 */
                record_id: string | null;
                partner: components["schemas"]["PartnerSummary"];
                opportunity: components["schemas"]["OpportunitySummary"];
                /**
                 * Format: date
                 * @description The UTC day on which the deal was won.
                 * @example 2026-02-27
                 */
                closed_date: string;
                /**
                 * @description null: no credit.
                 * @example co_sell
                 * @enum {string|null}
                 */
                tier_before: "sourced" | "co_sell" | "influenced" | null;
                /**
                 * @description null: no credit.
                 * @example influenced
                 * @enum {string|null}
                 */
                tier_after: "sourced" | "co_sell" | "influenced" | null;
            }[];
        };
        /**
         * @description The credit of the active records.
         * @example {
         *       "totals": [
         *         {
         *           "currency": "EUR",
         *           "deals": 4,
         *           "credits": 5,
         *           "net_value": 192000,
         *           "gross_value": 240000
         *         }
         *       ],
         *       "by_partner": [
         *         {
         *           "partner": {
         *             "id": "prt_01khry0x42e9tbm3v1x2c4d5f6",
         *             "name": "Zephyr Cloud",
         *             "type": "technology_partner"
         *           },
         *           "currency": "EUR",
         *           "deals": 4,
         *           "credits": 5,
         *           "net_value": 192000,
         *           "gross_value": 240000
         *         }
         *       ],
         *       "by_tier": [
         *         {
         *           "tier": "co_sell",
         *           "currency": "EUR",
         *           "deals": 4,
         *           "credits": 5,
         *           "net_value": 192000,
         *           "gross_value": 240000
         *         }
         *       ],
         *       "by_month": [
         *         {
         *           "month": "2026-02",
         *           "currency": "EUR",
         *           "deals": 4,
         *           "credits": 5,
         *           "net_value": 192000,
         *           "gross_value": 240000
         *         }
         *       ]
         *     }
         */
        AttributionSummary: {
            /** @description By currency. */
            totals: {
                /**
                 * @description ISO 4217; null where the CRM gave none.
                 * @example EUR
                 */
                currency: string | null;
                /**
                 * @description Deals, each counted once.
                 * @example 4
                 */
                deals: number;
                /**
                 * @description Records: a deal credited to two partners has two.
                 * @example 5
                 */
                credits: number;
                /**
                 * @description The value of the deals, each once.
                 * @example 192000
                 */
                net_value: number;
                /**
                 * @description The value as credited: once for each record.
                 * @example 240000
                 */
                gross_value: number;
            }[];
            /** @description By partner and currency. */
            by_partner: {
                partner: components["schemas"]["PartnerSummary"];
                /**
                 * @description ISO 4217; null where the CRM gave none.
                 * @example EUR
                 */
                currency: string | null;
                /**
                 * @description Deals, each counted once.
                 * @example 4
                 */
                deals: number;
                /**
                 * @description Records: a deal credited to two partners has two.
                 * @example 5
                 */
                credits: number;
                /**
                 * @description The value of the deals, each once.
                 * @example 192000
                 */
                net_value: number;
                /**
                 * @description The value as credited: once for each record.
                 * @example 240000
                 */
                gross_value: number;
            }[];
            /** @description By tier and currency. */
            by_tier: {
                tier: components["schemas"]["AttributionTier"];
                /**
                 * @description ISO 4217; null where the CRM gave none.
                 * @example EUR
                 */
                currency: string | null;
                /**
                 * @description Deals, each counted once.
                 * @example 4
                 */
                deals: number;
                /**
                 * @description Records: a deal credited to two partners has two.
                 * @example 5
                 */
                credits: number;
                /**
                 * @description The value of the deals, each once.
                 * @example 192000
                 */
                net_value: number;
                /**
                 * @description The value as credited: once for each record.
                 * @example 240000
                 */
                gross_value: number;
            }[];
            /** @description By month of closing and currency. */
            by_month: {
                /**
                 * @description YYYY-MM
                 * @example 2026-02
                 */
                month: string;
                /**
                 * @description ISO 4217; null where the CRM gave none.
                 * @example EUR
                 */
                currency: string | null;
                /**
                 * @description Deals, each counted once.
                 * @example 4
                 */
                deals: number;
                /**
                 * @description Records: a deal credited to two partners has two.
                 * @example 5
                 */
                credits: number;
                /**
                 * @description The value of the deals, each once.
                 * @example 192000
                 */
                net_value: number;
                /**
                 * @description The value as credited: once for each record.
                 * @example 240000
                 */
                gross_value: number;
            }[];
        };
        /**
         * @description What the partner did for the deal: sourced is the strongest, influenced the weakest.
         * @example co_sell
         * @enum {string}
         */
        AttributionTier: "sourced" | "co_sell" | "influenced";
        /**
         * @description The members come in this order, as compact JSON.
         * @example {
         *       "event": "attribution.updated",
         *       "data": {
         *         "id": "atr_01khry0x47e9tbm3v1x2c4d5f6",
         *         "tier": "co_sell",
         *         "status": "active",
         *         "partner": {
         *           "id": "prt_01khry0x42e9tbm3v1x2c4d5f6",
         *           "name": "Zephyr Cloud",
         *           "type": "technology_partner"
         *         },
         *         "account": {
         *           "id": "acc_01khry0x43e9tbm3v1x2c4d5f6",
         *           "name": "Harbour Mills",
         *           "crm_id": "0015e00001AbCdE"
         *         },
         *         "opportunity": {
         *           "id": "opp_01khry0x44e9tbm3v1x2c4d5f6",
         *           "name": "Harbour Mills renewal",
         *           "value": 48000,
         *           "stage": "proposal"
         *         },
         *         "closed_date": "2026-02-27",
         *         "dispute_status": "none",
         *         "policy_version": 1,
         *         "created_at": "2026-02-27T17:20:00.000Z",
         *         "updated_at": "2026-02-27T17:20:00.000Z"
         *       },
         *       "timestamp": "2026-02-25T06:13:20.417Z",
         *       "signature": "sha256=dc5c6a1d0cd625f8114195b6557306343e886198edf48b8efe376532a291c686"
         *     }
         */
        AttributionUpdatedPayload: {
            /**
             * @description What happened.
             * @constant
             */
            event: "attribution.updated";
            data: components["schemas"]["AttributionRecord"];
            /**
             * Format: date-time
             * @description When it happened.
             * @example 2026-02-25T06:13:20.417Z
             */
            timestamp: string;
            /**
             * @description HMAC-SHA256 of the body without this member.
             * @example sha256=0000000000000000000000000000000000000000000000000000000000000000
             */
            signature: string;
        };
        /**
         * @description One request made with an operator key.
         * @example {
         *       "request_id": "req_01khry0x4de9tbm3v1x2c4d5f6",
         *       "operator": "operations",
         *       "method": "POST",
         *       "path": "/admin/v1/organizations",
         *       "address": "192.0.2.17",
         *       "at": "2026-03-02T08:00:00.000Z",
         *       "status": 201
         *     }
         */
        AuditEntry: {
            request_id: components["schemas"]["RequestId"];
            /**
             * @description The name of the operator key.
             * @example operations
             */
            operator: string;
            /**
             * @description The HTTP method.
             * @example POST
             */
            method: string;
            /**
             * @description The path with its query, at most 2,048 characters.
             * @example /admin/v1/organizations
             */
            path: string;
            /**
             * @description The address that the request came from.
             * @example 192.0.2.17
             */
            address: string;
            /**
             * Format: date-time
             * @description When it came.
             * @example 2026-03-02T08:00:00.000Z
             */
            at: string;
            /**
             * @description The status of the answer; null: the request has not ended.
             * @example 201
             */
            status: number | null;
        };
        /**
         * @example {
         *       "name": "Fernleaf Software",
         *       "plan": "standard"
         *     }
         */
        ChangeOrganization: {
            /**
             * @description What people call it.
             * @example Fernleaf Software
             */
            name?: string;
            plan?: components["schemas"]["Plan"];
        };
        /**
         * @example {
         *       "state": "in_progress",
         *       "note": "Joint call on Thursday"
         *     }
         */
        ChangeSignal: {
            state?: components["schemas"]["SignalState"];
            /**
             * @description Kept in the history, with or without a change of state.
             * @example Joint call on Thursday
             */
            note?: string;
        };
        /**
         * @example {
         *       "url": "https://receiver.example/hooks/partner-signals",
         *       "events": [
         *         "signal.created",
         *         "attribution.created"
         *       ],
         *       "status": "enabled"
         *     }
         */
        ChangeWebhook: {
            /**
             * @description An https: URL that is reachable from the internet, without credentials. Ports of other protocols, such as 22 or 25, are refused.
             * @example https://receiver.example/hooks/partner-signals
             */
            url?: string;
            /**
             * @description The kinds of event that it gets.
             * @example [
             *       "signal.created",
             *       "attribution.created"
             *     ]
             */
            events?: components["schemas"]["WebhookEvent"][];
            status?: components["schemas"]["WebhookStatus"];
        };
        /**
         * @description The key that made the change, and the person behind it.
         * @example {
         *       "key_id": "key_01khry0x41e9tbm3v1x2c4d5f6",
         *       "key_name": "CRM integration",
         *       "actor": "Noor Halvorsen"
         *     }
         */
        ChangedBy: {
            key_id: components["schemas"]["KeyId"];
            /**
             * @description The name of the key.
             * @example CRM integration
             */
            key_name: string;
            /**
             * @description The person behind the key: the header X-Actor.
             * @example Noor Halvorsen
             */
            actor: string | null;
        };
        /**
         * @example {
         *       "name": "CRM integration",
         *       "scopes": [
         *         "write",
         *         "ingest"
         *       ],
         *       "expires_at": "2027-01-12T00:00:00Z"
         *     }
         */
        CreateApiKey: {
            /**
             * @description What it is for.
             * @example CRM integration
             */
            name: string;
            /**
             * @description read: GET of /v1. write: includes read. admin: includes write, decides disputes. ingest: /ingest/v1 only.
             * @default [
             *       "write"
             *     ]
             * @example [
             *       "write",
             *       "ingest"
             *     ]
             */
            scopes?: components["schemas"]["Scope"][];
            /**
             * Format: date-time
             * @description ISO 8601; must lie in the future. Absent: never.
             * @example 2027-01-12T00:00:00Z
             */
            expires_at?: string;
        };
        /**
         * @example {
         *       "name": "Fernleaf Software",
         *       "plan": "standard"
         *     }
         */
        CreateOrganization: {
            /**
             * @description What people call it.
             * @example Fernleaf Software
             */
            name: string;
            plan: components["schemas"]["Plan"];
        };
        /**
         * @description One event on its way to one webhook.
         * @example {
         *       "id": "dlv_01khry0x4ce9tbm3v1x2c4d5f6",
         *       "webhook_id": "whk_01khry0x4ae9tbm3v1x2c4d5f6",
         *       "event_id": "evt_01khry0x4be9tbm3v1x2c4d5f6",
         *       "status": "pending",
         *       "attempts": 1,
         *       "next_attempt_at": "2026-02-25T06:13:26.000Z",
         *       "response_code": 503,
         *       "response_body": "try again later",
         *       "error": "the receiver answered 503",
         *       "latency_ms": 84,
         *       "created_at": "2026-02-25T06:13:20.000Z",
         *       "attempted_at": "2026-02-25T06:13:21.000Z"
         *     }
         */
        Delivery: {
            id: components["schemas"]["DeliveryId"];
            webhook_id: components["schemas"]["WebhookId"];
            /**
             * @description The event; null for a test.
             * @example evt_01khry0x4be9tbm3v1x2c4d5f6
             */
            event_id: string | null;
            /**
             * @description failed: given up, after the last retry or because the webhook was disabled.
             * @enum {string}
             */
            status: "pending" | "delivered" | "failed";
            /**
             * @description Requests made so far.
             * @example 1
             */
            attempts: number;
            /**
             * Format: date-time
             * @description When the next request is due; null: none is.
             * @example 2026-02-25T06:13:26.000Z
             */
            next_attempt_at: string | null;
            /**
             * @description The status of the last answer.
             * @example 503
             */
            response_code: number | null;
            /**
             * @description The first 1 KiB of the last answer.
             * @example try again later
             */
            response_body: string | null;
            /**
             * @description What went wrong at the last attempt.
             * @example the receiver answered 503
             */
            error: string | null;
            /**
             * @description How long the last attempt took.
             * @example 84
             */
            latency_ms: number | null;
            /**
             * Format: date-time
             * @description When it was queued.
             * @example 2026-02-25T06:13:20.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the last attempt was made.
             * @example 2026-02-25T06:13:21.000Z
             */
            attempted_at: string | null;
        };
        /** @example dlv_01khry0x4ce9tbm3v1x2c4d5f6 */
        DeliveryId: string;
        /**
         * @description A claim that a record should have another tier.
         * @example {
         *       "id": "dsp_01khry0x49e9tbm3v1x2c4d5f6",
         *       "record_id": "atr_01khry0x47e9tbm3v1x2c4d5f6",
         *       "status": "open",
         *       "claimed_tier": "sourced",
         *       "tier_at_opening": "co_sell",
         *       "justification": "We registered this deal on 12 January.",
         *       "opened_by": {
         *         "key_id": "key_01khry0x41e9tbm3v1x2c4d5f6",
         *         "key_name": "CRM integration",
         *         "actor": "Noor Halvorsen"
         *       },
         *       "opened_at": "2026-03-01T10:00:00.000Z",
         *       "resolved_by": null,
         *       "resolved_at": null,
         *       "resolution_note": null
         *     }
         */
        Dispute: {
            id: components["schemas"]["DisputeId"];
            record_id: components["schemas"]["AttributionId"];
            status: components["schemas"]["DisputeStatus"];
            claimed_tier: components["schemas"]["AttributionTier"];
            tier_at_opening: components["schemas"]["AttributionTier"];
            /**
             * @description Why the other tier is right.
             * @example We registered this deal on 12 January.
             */
            justification: string;
            opened_by: components["schemas"]["ChangedBy"];
            /**
             * Format: date-time
             * @description When it was opened.
             * @example 2026-03-01T10:00:00.000Z
             */
            opened_at: string;
            /**
             * @description Who resolved it; null while it is open.
             * @example null
             */
            resolved_by: {
                key_id: components["schemas"]["KeyId"];
                /**
                 * @description The name of the key.
                 * @example CRM integration
                 */
                key_name: string;
                /**
                 * @description The person behind the key: the header X-Actor.
                 * @example Noor Halvorsen
                 */
                actor: string | null;
            } | null;
            /**
             * Format: date-time
             * @description When it was resolved; null while it is open.
             * @example null
             */
            resolved_at: string | null;
            /**
             * @description The note of whoever resolved it.
             * @example null
             */
            resolution_note: string | null;
        };
        /** @example dsp_01khry0x49e9tbm3v1x2c4d5f6 */
        DisputeId: string;
        /** @enum {string} */
        DisputeStatus: "open" | "accepted" | "rejected" | "withdrawn";
        /**
         * @description Takes no fields.
         * @example {}
         */
        Empty: Record<string, never>;
        /**
         * @description The answer to every request that fails.
         * @example {
         *       "error": {
         *         "code": "invalid_request",
         *         "message": "There is no such signal.",
         *         "request_id": "req_01khry0x4de9tbm3v1x2c4d5f6"
         *       }
         *     }
         */
        Error: {
            error: {
                code: components["schemas"]["ErrorCode"];
                /**
                 * @description What went wrong, for people.
                 * @example There is no such signal.
                 */
                message: string;
                request_id: components["schemas"]["RequestId"];
                /** @description One entry for each bad field, all of them at once. */
                details?: components["schemas"]["ErrorDetail"][];
            };
        };
        /**
         * @description What went wrong, for programs; each code has one status.
         * @enum {string}
         */
        ErrorCode: "invalid_request" | "invalid_cursor" | "unauthorized" | "forbidden" | "https_required" | "not_found" | "method_not_allowed" | "invalid_transition" | "dispute_already_open" | "dispute_closed" | "sourced_taken" | "limit_reached" | "idempotency_conflict" | "precondition_failed" | "payload_too_large" | "unsupported_media_type" | "rate_limited" | "internal_error" | "unavailable";
        /**
         * @example {
         *       "field": "limit",
         *       "code": "out_of_range",
         *       "message": "must be <= 100"
         *     }
         */
        ErrorDetail: {
            /**
             * @description The field, parameter or header, with dots to what lies inside it.
             * @example limit
             */
            field: string;
            /**
             * @description What is wrong with it, for programs.
             * @example out_of_range
             */
            code: string;
            /**
             * @description What is wrong with it, for people.
             * @example must be <= 100
             */
            message: string;
        };
        /** @description Something that happened. */
        Event: components["schemas"]["SignalEvent"] | components["schemas"]["AttributionEvent"];
        /** @example evt_01khry0x4be9tbm3v1x2c4d5f6 */
        EventId: string;
        /**
         * @description One line of the evidence for a record.
         * @example {
         *       "id": "evd_01khry0x48e9tbm3v1x2c4d5f6",
         *       "kind": "joint_meeting",
         *       "tier_supported": "co_sell",
         *       "occurred_at": "2026-02-24T13:00:00.000Z",
         *       "recorded_at": "2026-02-25T06:13:20.000Z",
         *       "summary": "Sizing workshop with the plant managers",
         *       "activity_id": "act_01khry0x46e9tbm3v1x2c4d5f6",
         *       "signal_id": "sig_01khry0x45e9tbm3v1x2c4d5f6",
         *       "counted": true,
         *       "reason": "Joint meeting while the deal was open, 3 days before the deal was closed."
         *     }
         */
        Evidence: {
            id: components["schemas"]["EvidenceId"];
            /**
             * @description The kind of activity, pre_intent, or dispute.
             * @example joint_meeting
             * @enum {string}
             */
            kind: "deal_registration" | "referral" | "introduction" | "joint_meeting" | "exec_intro" | "proposal_support" | "technical_validation" | "co_sell_share" | "marketplace_offer" | "content_touch" | "event_attendance" | "integration_usage" | "marketplace_listing" | "pre_intent" | "dispute";
            /**
             * @description The tier that it can prove; null: none.
             * @example co_sell
             * @enum {string|null}
             */
            tier_supported: "sourced" | "co_sell" | "influenced" | null;
            /**
             * Format: date-time
             * @description When it happened.
             * @example 2026-02-24T13:00:00.000Z
             */
            occurred_at: string;
            /**
             * Format: date-time
             * @description When the service learned of it.
             * @example 2026-02-25T06:13:20.000Z
             */
            recorded_at: string;
            /**
             * @description What happened.
             * @example Sizing workshop with the plant managers
             */
            summary: string;
            /**
             * @description The activity, where it is one.
             * @example act_01khry0x46e9tbm3v1x2c4d5f6
             */
            activity_id: string | null;
            /**
             * @description The signal, where it is one.
             * @example sig_01khry0x45e9tbm3v1x2c4d5f6
             */
            signal_id: string | null;
            /**
             * @description Whether it counts.
             * @example true
             */
            counted: boolean;
            /**
             * @description Why it counts, or why not.
             * @example Joint meeting while the deal was open, 3 days before the deal was closed.
             */
            reason: string;
        };
        /** @example evd_01khry0x48e9tbm3v1x2c4d5f6 */
        EvidenceId: string;
        /**
         * @description What came of the rows.
         * @example {
         *       "received": 2,
         *       "created": 1,
         *       "updated": 0,
         *       "unchanged": 0,
         *       "rejected": 1,
         *       "errors": [
         *         {
         *           "index": 1,
         *           "field": "stage",
         *           "code": "required",
         *           "message": "is required"
         *         }
         *       ]
         *     }
         */
        IngestResult: {
            /**
             * @description Rows in the request.
             * @example 2
             */
            received: number;
            /**
             * @description Facts that were not known.
             * @example 1
             */
            created: number;
            /**
             * @description Facts that changed, withdrawals included.
             * @example 0
             */
            updated: number;
            /**
             * @description Facts that said nothing new.
             * @example 0
             */
            unchanged: number;
            /**
             * @description Rows with an error; none of them was applied.
             * @example 1
             */
            rejected: number;
            /** @description One per bad field. Of a stream the first 10000 are listed. */
            errors: components["schemas"]["RowError"][];
        };
        /** @example key_01khry0x41e9tbm3v1x2c4d5f6 */
        KeyId: string;
        /**
         * @description About the answer itself. The request id finds it in the log of the service.
         * @example {
         *       "request_id": "req_01khry0x4de9tbm3v1x2c4d5f6",
         *       "timestamp": "2026-03-02T09:30:00.000Z"
         *     }
         */
        Meta: {
            request_id: components["schemas"]["RequestId"];
            /**
             * Format: date-time
             * @description When it was answered.
             * @example 2026-03-02T09:30:00.000Z
             */
            timestamp: string;
        };
        /**
         * @example {
         *       "id": "key_01khry0x41e9tbm3v1x2c4d5f6",
         *       "name": "CRM integration",
         *       "scopes": [
         *         "write",
         *         "ingest"
         *       ],
         *       "created_at": "2026-01-12T08:05:00.000Z",
         *       "expires_at": "2027-01-12T00:00:00.000Z",
         *       "key": "psk_00000000000000000000000000000000sample"
         *     }
         */
        NewApiKey: {
            id: components["schemas"]["KeyId"];
            /**
             * @description What it is for.
             * @example CRM integration
             */
            name: string;
            /**
             * @description read: GET of /v1. write: includes read. admin: includes write, decides disputes. ingest: /ingest/v1 only.
             * @default [
             *       "write"
             *     ]
             * @example [
             *       "write",
             *       "ingest"
             *     ]
             */
            scopes: components["schemas"]["Scope"][];
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-12T08:05:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it stops working; null: never.
             * @example 2027-01-12T00:00:00.000Z
             */
            expires_at: string | null;
            /**
             * @description Shown in this answer only; the service keeps no copy.
             * @example psk_00000000000000000000000000000000sample
             */
            key: string;
        };
        /**
         * @example {
         *       "id": "whk_01khry0x4ae9tbm3v1x2c4d5f6",
         *       "url": "https://receiver.example/hooks/partner-signals",
         *       "events": [
         *         "signal.created",
         *         "attribution.created"
         *       ],
         *       "status": "enabled",
         *       "disabled_reason": null,
         *       "created_at": "2026-02-01T12:00:00.000Z",
         *       "updated_at": "2026-02-01T12:00:00.000Z",
         *       "secret": "whsec_cGFydG5lci1zaWduYWxzLWV4YW1wbGUtc2VjcmV0IQ=="
         *     }
         */
        NewWebhook: {
            id: components["schemas"]["WebhookId"];
            /**
             * @description Where the events go.
             * @example https://receiver.example/hooks/partner-signals
             */
            url: string;
            /**
             * @description The kinds of event that it gets.
             * @example [
             *       "signal.created",
             *       "attribution.created"
             *     ]
             */
            events: components["schemas"]["WebhookEvent"][];
            status: components["schemas"]["WebhookStatus"];
            /**
             * @description Why it is disabled.
             * @example null
             */
            disabled_reason: string | null;
            /**
             * Format: date-time
             * @description When it was registered.
             * @example 2026-02-01T12:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed.
             * @example 2026-02-01T12:00:00.000Z
             */
            updated_at: string;
            /**
             * @description Only where the service made it, and only in this answer.
             * @example whsec_cGFydG5lci1zaWduYWxzLWV4YW1wbGUtc2VjcmV0IQ==
             */
            secret?: string;
        };
        /**
         * @example {
         *       "claimed_tier": "sourced",
         *       "justification": "We registered this deal on 12 January."
         *     }
         */
        OpenDispute: {
            claimed_tier: components["schemas"]["AttributionTier"];
            /**
             * @description Why the other tier is right.
             * @example We registered this deal on 12 January.
             */
            justification: string;
        };
        /** @example opp_01khry0x44e9tbm3v1x2c4d5f6 */
        OpportunityId: string;
        /**
         * @example {
         *       "crm_id": "0065e00002XyZaB",
         *       "account_crm_id": "0015e00001AbCdE",
         *       "name": "Harbour Mills renewal",
         *       "value": 48000,
         *       "currency": "EUR",
         *       "stage": "proposal",
         *       "status": "open",
         *       "opened_at": "2026-01-20",
         *       "source_updated_at": "2026-02-25T06:10:00Z"
         *     }
         */
        OpportunityRow: {
            /**
             * @description The identifier in your CRM.
             * @example 0065e00002XyZaB
             */
            crm_id: string;
            /**
             * @description The account of the deal, which must be known.
             * @example 0015e00001AbCdE
             */
            account_crm_id: string;
            /**
             * @description What people call it.
             * @example Harbour Mills renewal
             */
            name: string;
            /**
             * @description In the currency given.
             * @example 48000
             */
            value: number;
            /**
             * @description ISO 4217
             * @example EUR
             */
            currency?: string | null;
            /**
             * @description As your CRM names it.
             * @example proposal
             */
            stage: string;
            /**
             * @description Whether it is still open, and how it ended.
             * @enum {string}
             */
            status: "open" | "won" | "lost";
            /**
             * @description A day or a moment; only its UTC day counts.
             * @example 2026-01-20
             */
            opened_at: string;
            /**
             * Format: date
             * @description The day on which it ended; required when won.
             */
            closed_date?: string | null;
            /**
             * Format: date-time
             * @description When the source last changed it. A version older than the one held here changes nothing.
             * @example 2026-02-25T06:10:00Z
             */
            source_updated_at?: string | null;
            /** @description true withdraws the fact; then the key is enough. */
            deleted?: boolean | null;
        };
        /**
         * @example {
         *       "id": "opp_01khry0x44e9tbm3v1x2c4d5f6",
         *       "name": "Harbour Mills renewal",
         *       "value": 48000,
         *       "stage": "proposal"
         *     }
         */
        OpportunitySummary: {
            id: components["schemas"]["OpportunityId"];
            /**
             * @description The name in the CRM.
             * @example Harbour Mills renewal
             */
            name: string;
            /**
             * @description The value of the deal, in its own currency.
             * @example 48000
             */
            value: number;
            /**
             * @description The stage in the CRM; prospective where there is no deal yet.
             * @example proposal
             */
            stage: string;
        };
        /**
         * @example {
         *       "crm_id": "0065e00002XyZaB",
         *       "source_updated_at": "2026-02-25T06:10:00Z",
         *       "deleted": true
         *     }
         */
        OpportunityWithdrawal: {
            /** @description Ignored, whatever it is. */
            account_crm_id?: unknown;
            /** @description Ignored, whatever it is. */
            name?: unknown;
            /** @description Ignored, whatever it is. */
            value?: unknown;
            /** @description Ignored, whatever it is. */
            currency?: unknown;
            /** @description Ignored, whatever it is. */
            stage?: unknown;
            /** @description Ignored, whatever it is. */
            status?: unknown;
            /** @description Ignored, whatever it is. */
            opened_at?: unknown;
            /** @description Ignored, whatever it is. */
            closed_date?: unknown;
            /**
             * @description The identifier in your CRM.
             * @example 0065e00002XyZaB
             */
            crm_id: string;
            /**
             * Format: date-time
             * @description When the source last changed it. A version older than the one held here changes nothing.
             * @example 2026-02-25T06:10:00Z
             */
            source_updated_at?: string | null;
            /**
             * @description Withdraws the fact.
             * @constant
             */
            deleted: true;
        };
        /**
         * @description A tenant: its data, keys and limits are its own.
         * @example {
         *       "id": "org_01khry0x40e9tbm3v1x2c4d5f6",
         *       "name": "Fernleaf Software",
         *       "plan": "standard",
         *       "created_at": "2026-01-12T08:00:00.000Z",
         *       "updated_at": "2026-01-12T08:00:00.000Z"
         *     }
         */
        Organization: {
            id: components["schemas"]["OrganizationId"];
            /**
             * @description What people call it.
             * @example Fernleaf Software
             */
            name: string;
            plan: components["schemas"]["Plan"];
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-12T08:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When its name or plan last changed.
             * @example 2026-01-12T08:00:00.000Z
             */
            updated_at: string;
        };
        /** @example org_01khry0x40e9tbm3v1x2c4d5f6 */
        OrganizationId: string;
        /**
         * @description An account of the organization that is also one of the partner's.
         * @example {
         *       "account": {
         *         "id": "acc_01khry0x43e9tbm3v1x2c4d5f6",
         *         "name": "Harbour Mills",
         *         "crm_id": "0015e00001AbCdE"
         *       },
         *       "partner_account": {
         *         "external_id": "zc-4471",
         *         "name": "Harbour Mills Ltd",
         *         "relationship": "customer"
         *       },
         *       "matched_by": "domain",
         *       "key": "domain:harbourmills.example",
         *       "confidence": 0.95,
         *       "matched_at": "2026-02-11T10:05:00.000Z"
         *     }
         */
        Overlap: {
            account: components["schemas"]["AccountSummary"];
            /** @description The partner's own account. */
            partner_account: {
                /**
                 * @description The identifier in the partner's data.
                 * @example zc-4471
                 */
                external_id: string;
                /**
                 * @description Its name there.
                 * @example Harbour Mills Ltd
                 */
                name: string;
                /**
                 * @description What the account is to the partner.
                 * @enum {string}
                 */
                relationship: "customer" | "open_opportunity" | "prospect";
            };
            /**
             * @description The kind of key that the two have in common, the strongest that holds.
             * @example domain
             * @enum {string}
             */
            matched_by: "registry_number" | "domain" | "extra_domain" | "name";
            /**
             * @description What the two have in common.
             * @example domain:harbourmills.example
             */
            key: string;
            /**
             * @description How sure that kind of match is.
             * @example 0.95
             */
            confidence: number;
            /**
             * Format: date-time
             * @description Since when they match.
             * @example 2026-02-11T10:05:00.000Z
             */
            matched_at: string;
        };
        /**
         * @description A partner organization.
         * @example {
         *       "id": "prt_01khry0x42e9tbm3v1x2c4d5f6",
         *       "name": "Zephyr Cloud",
         *       "type": "technology_partner",
         *       "tier": 2
         *     }
         */
        Partner: {
            id: components["schemas"]["PartnerId"];
            /**
             * @description What people call it.
             * @example Zephyr Cloud
             */
            name: string;
            type: components["schemas"]["PartnerType"];
            tier: components["schemas"]["PartnerTier"];
        };
        /**
         * @example {
         *       "partner_external_id": "zephyr-cloud",
         *       "external_id": "zc-4471",
         *       "name": "Harbour Mills Ltd",
         *       "domain": "www.harbourmills.example",
         *       "country": "NO",
         *       "registry_number": "918273645",
         *       "relationship": "customer",
         *       "source_updated_at": "2026-02-25T06:10:00Z"
         *     }
         */
        PartnerAccountRow: {
            /**
             * @description The partner, which must be known.
             * @example zephyr-cloud
             */
            partner_external_id: string;
            /**
             * @description The identifier in the partner's data.
             * @example zc-4471
             */
            external_id: string;
            /**
             * @description What people call it.
             * @example Harbour Mills Ltd
             */
            name: string;
            /**
             * @description A host name, a URL or an e-mail address.
             * @example www.harbourmills.example
             */
            domain?: string | null;
            /**
             * @description ISO 3166-1 alpha-2
             * @example NO
             */
            country?: string | null;
            /**
             * @description The number in the register of companies of the country.
             * @example 918273645
             */
            registry_number?: string | null;
            /**
             * @description What the account is to the partner.
             * @enum {string}
             */
            relationship: "customer" | "open_opportunity" | "prospect";
            /**
             * Format: date-time
             * @description When the source last changed it. A version older than the one held here changes nothing.
             * @example 2026-02-25T06:10:00Z
             */
            source_updated_at?: string | null;
            /** @description true withdraws the fact; then the key is enough. */
            deleted?: boolean | null;
        };
        /**
         * @example {
         *       "partner_external_id": "zephyr-cloud",
         *       "external_id": "zc-4471",
         *       "source_updated_at": "2026-02-25T06:10:00Z",
         *       "deleted": true
         *     }
         */
        PartnerAccountWithdrawal: {
            /** @description Ignored, whatever it is. */
            name?: unknown;
            /** @description Ignored, whatever it is. */
            domain?: unknown;
            /** @description Ignored, whatever it is. */
            country?: unknown;
            /** @description Ignored, whatever it is. */
            registry_number?: unknown;
            /** @description Ignored, whatever it is. */
            relationship?: unknown;
            /**
             * @description The partner, which must be known.
             * @example zephyr-cloud
             */
            partner_external_id: string;
            /**
             * @description The identifier in the partner's data.
             * @example zc-4471
             */
            external_id: string;
            /**
             * Format: date-time
             * @description When the source last changed it. A version older than the one held here changes nothing.
             * @example 2026-02-25T06:10:00Z
             */
            source_updated_at?: string | null;
            /**
             * @description Withdraws the fact.
             * @constant
             */
            deleted: true;
        };
        /**
         * @description Something that a partner did, with the account.
         * @example {
         *       "id": "act_01khry0x46e9tbm3v1x2c4d5f6",
         *       "kind": "joint_meeting",
         *       "occurred_at": "2026-02-24T13:00:00.000Z",
         *       "recorded_at": "2026-02-25T06:13:20.000Z",
         *       "summary": "Sizing workshop with the plant managers",
         *       "actor": "Ines Marlow",
         *       "source": "crm",
         *       "opportunity_id": "opp_01khry0x44e9tbm3v1x2c4d5f6",
         *       "account": {
         *         "id": "acc_01khry0x43e9tbm3v1x2c4d5f6",
         *         "name": "Harbour Mills",
         *         "crm_id": "0015e00001AbCdE"
         *       }
         *     }
         */
        PartnerActivity: {
            id: components["schemas"]["ActivityId"];
            /**
             * @description What the partner did.
             * @example joint_meeting
             * @enum {string}
             */
            kind: "deal_registration" | "referral" | "introduction" | "joint_meeting" | "exec_intro" | "proposal_support" | "technical_validation" | "co_sell_share" | "marketplace_offer" | "content_touch" | "event_attendance" | "integration_usage" | "marketplace_listing";
            /**
             * Format: date-time
             * @description When it happened.
             * @example 2026-02-24T13:00:00.000Z
             */
            occurred_at: string;
            /**
             * Format: date-time
             * @description When the service learned of it.
             * @example 2026-02-25T06:13:20.000Z
             */
            recorded_at: string;
            /**
             * @description What happened, in the words of the source.
             * @example Sizing workshop with the plant managers
             */
            summary: string;
            /**
             * @description The person who did it.
             * @example Ines Marlow
             */
            actor: string | null;
            /**
             * @description The system that it came from.
             * @example crm
             */
            source: string | null;
            /**
             * @description The deal that the source named.
             * @example opp_01khry0x44e9tbm3v1x2c4d5f6
             */
            opportunity_id: string | null;
            account: components["schemas"]["AccountSummary"];
        };
        /**
         * @description A partner in full.
         * @example {
         *       "id": "prt_01khry0x42e9tbm3v1x2c4d5f6",
         *       "name": "Zephyr Cloud",
         *       "type": "technology_partner",
         *       "tier": 2,
         *       "co_sell_density_score": 37.5,
         *       "co_sell_density": {
         *         "co_sold_opportunities": 3,
         *         "shared_open_opportunities": 8,
         *         "window_days": 90
         *       },
         *       "active_signal_count": 5,
         *       "domain": "zephyrcloud.example",
         *       "created_at": "2026-01-12T08:30:00.000Z",
         *       "updated_at": "2026-02-20T16:45:00.000Z"
         *     }
         */
        PartnerDetail: {
            id: components["schemas"]["PartnerId"];
            /**
             * @description What people call it.
             * @example Zephyr Cloud
             */
            name: string;
            type: components["schemas"]["PartnerType"];
            tier: components["schemas"]["PartnerTier"];
            /**
             * @description 100 × co_sold_opportunities / shared_open_opportunities, one decimal; 0 where none are shared.
             * @example 37.5
             */
            co_sell_density_score: number;
            /** @description What the score is made of. */
            co_sell_density: {
                /**
                 * @description Of these, the ones on which it has such an activity.
                 * @example 3
                 */
                co_sold_opportunities: number;
                /**
                 * @description Open opportunities on accounts that match the partner, or on which it has a co-sell or sourcing activity in the window.
                 * @example 8
                 */
                shared_open_opportunities: number;
                /**
                 * @description How far back an activity counts.
                 * @example 90
                 */
                window_days: number;
            };
            /**
             * @description Signals that are new or in_progress.
             * @example 5
             */
            active_signal_count: number;
            /**
             * @description The registrable domain.
             * @example zephyrcloud.example
             */
            domain: string | null;
            /**
             * Format: date-time
             * @description When the partner was first loaded.
             * @example 2026-01-12T08:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When a fact about it last changed.
             * @example 2026-02-20T16:45:00.000Z
             */
            updated_at: string;
        };
        /** @example prt_01khry0x42e9tbm3v1x2c4d5f6 */
        PartnerId: string;
        /**
         * @example {
         *       "external_id": "zephyr-cloud",
         *       "name": "Zephyr Cloud",
         *       "type": "technology_partner",
         *       "tier": 2,
         *       "domain": "zephyrcloud.example",
         *       "source_updated_at": "2026-02-25T06:10:00Z"
         *     }
         */
        PartnerRow: {
            /**
             * @description Your own identifier of the partner.
             * @example zephyr-cloud
             */
            external_id: string;
            /**
             * @description What people call it.
             * @example Zephyr Cloud
             */
            name: string;
            type: components["schemas"]["PartnerType"];
            tier: components["schemas"]["PartnerTier"];
            /**
             * @description A host name, a URL or an e-mail address.
             * @example zephyrcloud.example
             */
            domain?: string | null;
            /**
             * Format: date-time
             * @description When the source last changed it. A version older than the one held here changes nothing.
             * @example 2026-02-25T06:10:00Z
             */
            source_updated_at?: string | null;
            /** @description true withdraws the fact; then the key is enough. */
            deleted?: boolean | null;
        };
        /**
         * @example {
         *       "id": "prt_01khry0x42e9tbm3v1x2c4d5f6",
         *       "name": "Zephyr Cloud",
         *       "type": "technology_partner"
         *     }
         */
        PartnerSummary: {
            id: components["schemas"]["PartnerId"];
            /**
             * @description What people call it.
             * @example Zephyr Cloud
             */
            name: string;
            type: components["schemas"]["PartnerType"];
        };
        /**
         * @description The tier in the partner programme, 1 is the highest.
         * @example 2
         */
        PartnerTier: number;
        /**
         * @description The type of partner; gsi is a global systems integrator.
         * @example technology_partner
         * @enum {string}
         */
        PartnerType: "solution_provider" | "technology_partner" | "hyperscaler" | "gsi";
        /**
         * @example {
         *       "external_id": "zephyr-cloud",
         *       "source_updated_at": "2026-02-25T06:10:00Z",
         *       "deleted": true
         *     }
         */
        PartnerWithdrawal: {
            /** @description Ignored, whatever it is. */
            name?: unknown;
            /** @description Ignored, whatever it is. */
            type?: unknown;
            /** @description Ignored, whatever it is. */
            tier?: unknown;
            /** @description Ignored, whatever it is. */
            domain?: unknown;
            /**
             * @description Your own identifier of the partner.
             * @example zephyr-cloud
             */
            external_id: string;
            /**
             * Format: date-time
             * @description When the source last changed it. A version older than the one held here changes nothing.
             * @example 2026-02-25T06:10:00Z
             */
            source_updated_at?: string | null;
            /**
             * @description Withdraws the fact.
             * @constant
             */
            deleted: true;
        };
        /**
         * @description Sets the limits of the organization: standard 60 requests a minute, 10,000 a day and 25 webhooks; enterprise 300, 100,000 and 250.
         * @enum {string}
         */
        Plan: "standard" | "enterprise";
        /**
         * @example {
         *       "half_life_days": 14,
         *       "threshold": 4,
         *       "weights": {
         *         "sourced": 3,
         *         "co_sell": 2,
         *         "influenced": 1
         *       },
         *       "life_days": 14
         *     }
         */
        PreIntentSettings: {
            /**
             * @description After this many days an activity weighs half.
             * @example 14
             */
            half_life_days: number;
            /**
             * @description The decayed weight at which a pre-intent signal fires.
             * @example 4
             */
            threshold: number;
            weights: {
                /**
                 * @description Weight of a fresh activity of a sourcing kind.
                 * @example 3
                 */
                sourced: number;
                /**
                 * @description Weight of a fresh activity of a co-sell kind.
                 * @example 2
                 */
                co_sell: number;
                /**
                 * @description Weight of a fresh activity of an influencing kind.
                 * @example 1
                 */
                influenced: number;
            };
            /**
             * @description A pre-intent signal lives this long after the last activity.
             * @example 14
             */
            life_days: number;
        };
        /**
         * @example {
         *       "since": "2026-02-25T00:00:00Z",
         *       "until": "2026-02-26T00:00:00Z",
         *       "only": "failed"
         *     }
         */
        RedeliverEvents: {
            /**
             * Format: date-time
             * @description Events from this moment on.
             * @example 2026-02-25T00:00:00Z
             */
            since: string;
            /**
             * Format: date-time
             * @description Events before this moment.
             * @example 2026-02-26T00:00:00Z
             */
            until: string;
            /**
             * @description failed: deliveries that failed for good. missed: these, and events from a time when the webhook was disabled. all: every event it subscribes to.
             * @enum {string}
             */
            only: "failed" | "missed" | "all";
        };
        /**
         * @example {
         *       "queued": 3
         *     }
         */
        Redelivered: {
            /**
             * @description Deliveries that were queued.
             * @example 3
             */
            queued: number;
        };
        /**
         * @example {
         *       "url": "https://receiver.example/hooks/partner-signals",
         *       "events": [
         *         "signal.created",
         *         "attribution.created"
         *       ]
         *     }
         */
        RegisterWebhook: {
            /**
             * @description An https: URL that is reachable from the internet, without credentials. Ports of other protocols, such as 22 or 25, are refused.
             * @example https://receiver.example/hooks/partner-signals
             */
            url: string;
            /**
             * @description The kinds of event that it gets.
             * @example [
             *       "signal.created",
             *       "attribution.created"
             *     ]
             */
            events: components["schemas"]["WebhookEvent"][];
            /** @description Printable ASCII without spaces. Absent: one of the form `whsec_…` is made and shown in this answer only. */
            secret?: string;
        };
        /** @example req_01khry0x4de9tbm3v1x2c4d5f6 */
        RequestId: string;
        /**
         * @example {
         *       "status": "accepted",
         *       "note": "The registration is on file."
         *     }
         */
        ResolveDispute: {
            /**
             * @description How it ends.
             * @enum {string}
             */
            status: "accepted" | "rejected" | "withdrawn";
            /**
             * @description Why it ends so.
             * @example The registration is on file.
             */
            note?: string;
        };
        /**
         * @example {
         *       "overlap_seconds": 86400
         *     }
         */
        RotateWebhookSecret: {
            /** @description Printable ASCII without spaces. Absent: one of the form `whsec_…` is made and shown in this answer only. */
            secret?: string;
            /**
             * @description So long both secrets sign.
             * @default 86400
             * @example 86400
             */
            overlap_seconds?: number;
        };
        /**
         * @example {
         *       "index": 1,
         *       "field": "stage",
         *       "code": "required",
         *       "message": "is required"
         *     }
         */
        RowError: {
            /**
             * @description The row, counted from 0.
             * @example 1
             */
            index: number;
            /**
             * @description The field of the row; row where it is the row as a whole.
             * @example stage
             */
            field: string;
            /**
             * @description What is wrong with it, for programs.
             * @example required
             */
            code: string;
            /**
             * @description What is wrong with it, for people.
             * @example is required
             */
            message: string;
        };
        /** @enum {string} */
        Scope: "read" | "write" | "ingest" | "admin";
        /**
         * @example {
         *       "status": "ok"
         *     }
         */
        ServiceStatus: {
            /**
             * @description It is.
             * @constant
             */
            status: "ok";
        };
        /**
         * @description Every number that the rules and the attribution policy use; the example holds the defaults.
         * @example {
         *       "signals": {
         *         "overlap": {
         *           "life_days": 90,
         *           "return_days": 90
         *         },
         *         "co_sell": {
         *           "window_days": 30,
         *           "life_days": 30
         *         },
         *         "pre_intent": {
         *           "half_life_days": 14,
         *           "threshold": 4,
         *           "weights": {
         *             "sourced": 3,
         *             "co_sell": 2,
         *             "influenced": 1
         *           },
         *           "life_days": 14
         *         },
         *         "quiet_days": 14
         *       },
         *       "attribution": {
         *         "sourced": {
         *           "lookback_days": 180,
         *           "lock_days": 14
         *         },
         *         "influenced": {
         *           "window_days": 90
         *         }
         *       },
         *       "density": {
         *         "window_days": 90
         *       },
         *       "trust_source_recorded_at": false
         *     }
         */
        Settings: {
            signals: {
                overlap: {
                    /**
                     * @description An overlap signal lives this long after it fires.
                     * @example 90
                     */
                    life_days: number;
                    /**
                     * @description A match that ends and comes back within this time is not new.
                     * @example 90
                     */
                    return_days: number;
                };
                co_sell: {
                    /**
                     * @description How old the newest co-sell or sourcing activity may be for a signal to fire.
                     * @example 30
                     */
                    window_days: number;
                    /**
                     * @description A co-sell signal lives this long after the last such activity.
                     * @example 30
                     */
                    life_days: number;
                };
                pre_intent: components["schemas"]["PreIntentSettings"];
                /**
                 * @description After it is handled or has expired, the same signal stays quiet this long.
                 * @example 14
                 */
                quiet_days: number;
            };
            attribution: components["schemas"]["AttributionSettings"];
            density: {
                /**
                 * @description How far back co-sell activity counts for the co-sell density score.
                 * @example 90
                 */
                window_days: number;
            };
            /**
             * @description Whether the time of recording that a source gives counts instead of the time of ingest.
             * @example false
             */
            trust_source_recorded_at: boolean;
        };
        /**
         * @description The settings of an organization, at one version.
         * @example {
         *       "version": 1,
         *       "settings": {
         *         "signals": {
         *           "overlap": {
         *             "life_days": 90,
         *             "return_days": 90
         *           },
         *           "co_sell": {
         *             "window_days": 30,
         *             "life_days": 30
         *           },
         *           "pre_intent": {
         *             "half_life_days": 14,
         *             "threshold": 4,
         *             "weights": {
         *               "sourced": 3,
         *               "co_sell": 2,
         *               "influenced": 1
         *             },
         *             "life_days": 14
         *           },
         *           "quiet_days": 14
         *         },
         *         "attribution": {
         *           "sourced": {
         *             "lookback_days": 180,
         *             "lock_days": 14
         *           },
         *           "influenced": {
         *             "window_days": 90
         *           }
         *         },
         *         "density": {
         *           "window_days": 90
         *         },
         *         "trust_source_recorded_at": false
         *       },
         *       "created_at": "2026-01-12T08:00:00.000Z",
         *       "created_by": "operations"
         *     }
         */
        SettingsVersion: {
            /**
             * @description Counts up from 1; what a record or a reason names.
             * @example 1
             */
            version: number;
            settings: components["schemas"]["Settings"];
            /**
             * Format: date-time
             * @description When it came into force.
             * @example 2026-01-12T08:00:00.000Z
             */
            created_at: string;
            /**
             * @description The operator who made it.
             * @example operations
             */
            created_by: string;
        };
        /**
         * @description Tells that a partner can help on a deal.
         * @example {
         *       "id": "sig_01khry0x45e9tbm3v1x2c4d5f6",
         *       "type": "co_sell",
         *       "state": "new",
         *       "partner": {
         *         "id": "prt_01khry0x42e9tbm3v1x2c4d5f6",
         *         "name": "Zephyr Cloud",
         *         "type": "technology_partner"
         *       },
         *       "account": {
         *         "id": "acc_01khry0x43e9tbm3v1x2c4d5f6",
         *         "name": "Harbour Mills",
         *         "crm_id": "0015e00001AbCdE"
         *       },
         *       "opportunity": {
         *         "id": "opp_01khry0x44e9tbm3v1x2c4d5f6",
         *         "name": "Harbour Mills renewal",
         *         "value": 48000,
         *         "stage": "proposal"
         *       },
         *       "fired_at": "2026-02-25T06:13:20.000Z",
         *       "recommended_action": "This week the account owner and the partner manager should plan the next call with Zephyr Cloud: the newest evidence is the joint meeting of 2026-02-24 and the deal is in the stage proposal."
         *     }
         */
        Signal: {
            id: components["schemas"]["SignalId"];
            type: components["schemas"]["SignalType"];
            state: components["schemas"]["SignalState"];
            partner: components["schemas"]["PartnerSummary"];
            account: components["schemas"]["AccountSummary"];
            opportunity: components["schemas"]["OpportunitySummary"];
            /**
             * Format: date-time
             * @description When it fired; never changes.
             * @example 2026-02-25T06:13:20.000Z
             */
            fired_at: string;
            /**
             * @description Who should do what next and why, in one sentence.
             * @example This week the account owner and the partner manager should plan the next call with Zephyr Cloud: the newest evidence is the joint meeting of 2026-02-24 and the deal is in the stage proposal.
             */
            recommended_action: string;
        };
        /**
         * @description How many signals are in each state.
         * @example {
         *       "new": 3,
         *       "in_progress": 3,
         *       "handled": 3,
         *       "expired": 3
         *     }
         */
        SignalCounts: {
            /** @example 3 */
            new: number;
            /** @example 3 */
            in_progress: number;
            /** @example 3 */
            handled: number;
            /** @example 3 */
            expired: number;
        };
        /**
         * @description The members come in this order, as compact JSON.
         * @example {
         *       "event": "signal.created",
         *       "data": {
         *         "id": "sig_01khry0x45e9tbm3v1x2c4d5f6",
         *         "type": "co_sell",
         *         "state": "new",
         *         "partner": {
         *           "id": "prt_01khry0x42e9tbm3v1x2c4d5f6",
         *           "name": "Zephyr Cloud",
         *           "type": "technology_partner"
         *         },
         *         "account": {
         *           "id": "acc_01khry0x43e9tbm3v1x2c4d5f6",
         *           "name": "Harbour Mills",
         *           "crm_id": "0015e00001AbCdE"
         *         },
         *         "opportunity": {
         *           "id": "opp_01khry0x44e9tbm3v1x2c4d5f6",
         *           "name": "Harbour Mills renewal",
         *           "value": 48000,
         *           "stage": "proposal"
         *         },
         *         "fired_at": "2026-02-25T06:13:20.000Z",
         *         "recommended_action": "This week the account owner and the partner manager should plan the next call with Zephyr Cloud: the newest evidence is the joint meeting of 2026-02-24 and the deal is in the stage proposal."
         *       },
         *       "timestamp": "2026-02-25T06:13:20.417Z",
         *       "signature": "sha256=d43374c5e38ee4d0f603178e7a79ce578fd567364f3985a6535814d2876571f6"
         *     }
         */
        SignalCreatedPayload: {
            /**
             * @description What happened.
             * @constant
             */
            event: "signal.created";
            data: components["schemas"]["Signal"];
            /**
             * Format: date-time
             * @description When it happened.
             * @example 2026-02-25T06:13:20.417Z
             */
            timestamp: string;
            /**
             * @description HMAC-SHA256 of the body without this member.
             * @example sha256=0000000000000000000000000000000000000000000000000000000000000000
             */
            signature: string;
        };
        /**
         * @description A signal in full.
         * @example {
         *       "id": "sig_01khry0x45e9tbm3v1x2c4d5f6",
         *       "type": "co_sell",
         *       "state": "new",
         *       "partner": {
         *         "id": "prt_01khry0x42e9tbm3v1x2c4d5f6",
         *         "name": "Zephyr Cloud",
         *         "type": "technology_partner"
         *       },
         *       "account": {
         *         "id": "acc_01khry0x43e9tbm3v1x2c4d5f6",
         *         "name": "Harbour Mills",
         *         "crm_id": "0015e00001AbCdE"
         *       },
         *       "opportunity": {
         *         "id": "opp_01khry0x44e9tbm3v1x2c4d5f6",
         *         "name": "Harbour Mills renewal",
         *         "value": 48000,
         *         "stage": "proposal"
         *       },
         *       "fired_at": "2026-02-25T06:13:20.000Z",
         *       "recommended_action": "This week the account owner and the partner manager should plan the next call with Zephyr Cloud: the newest evidence is the joint meeting of 2026-02-24 and the deal is in the stage proposal.",
         *       "expires_at": "2026-03-26T00:00:00.000Z",
         *       "updated_at": "2026-03-02T09:30:00.000Z",
         *       "reasons": [
         *         {
         *           "rule": "co_sell",
         *           "rule_version": 1,
         *           "activity_ids": [
         *             "act_01khry0x46e9tbm3v1x2c4d5f6"
         *           ],
         *           "detail": "The newest co-sell or sourcing activity is a joint meeting on 2026-02-24 (1 counted, window 30 days, life 30 days)."
         *         }
         *       ],
         *       "activity_log": [
         *         {
         *           "id": "act_01khry0x46e9tbm3v1x2c4d5f6",
         *           "kind": "joint_meeting",
         *           "occurred_at": "2026-02-24T13:00:00.000Z",
         *           "recorded_at": "2026-02-25T06:13:20.000Z",
         *           "summary": "Sizing workshop with the plant managers",
         *           "actor": "Ines Marlow",
         *           "source": "crm",
         *           "opportunity_id": "opp_01khry0x44e9tbm3v1x2c4d5f6"
         *         }
         *       ],
         *       "history": [
         *         {
         *           "from": "new",
         *           "to": "new",
         *           "note": "Joint call on Thursday",
         *           "changed_by": {
         *             "key_id": "key_01khry0x41e9tbm3v1x2c4d5f6",
         *             "key_name": "CRM integration",
         *             "actor": "Noor Halvorsen"
         *           },
         *           "changed_at": "2026-03-02T09:30:00.000Z"
         *         }
         *       ]
         *     }
         */
        SignalDetail: {
            id: components["schemas"]["SignalId"];
            type: components["schemas"]["SignalType"];
            state: components["schemas"]["SignalState"];
            partner: components["schemas"]["PartnerSummary"];
            account: components["schemas"]["AccountSummary"];
            opportunity: components["schemas"]["OpportunitySummary"];
            /**
             * Format: date-time
             * @description When it fired; never changes.
             * @example 2026-02-25T06:13:20.000Z
             */
            fired_at: string;
            /**
             * @description Who should do what next and why, in one sentence.
             * @example This week the account owner and the partner manager should plan the next call with Zephyr Cloud: the newest evidence is the joint meeting of 2026-02-24 and the deal is in the stage proposal.
             */
            recommended_action: string;
            /**
             * Format: date-time
             * @description When it expires unless somebody takes it up.
             * @example 2026-03-26T00:00:00.000Z
             */
            expires_at: string;
            /**
             * Format: date-time
             * @description When it last changed.
             * @example 2026-03-02T09:30:00.000Z
             */
            updated_at: string;
            /** @description Why it fired. */
            reasons: {
                rule: components["schemas"]["SignalType"];
                /**
                 * @description The version of the organization's settings that applied.
                 * @example 1
                 */
                rule_version: number;
                /** @description The activities that counted. */
                activity_ids: components["schemas"]["ActivityId"][];
                /**
                 * @description The rule and its numbers, in one sentence.
                 * @example The newest co-sell or sourcing activity is a joint meeting on 2026-02-24 (1 counted, window 30 days, life 30 days).
                 */
                detail: string;
            }[];
            /** @description Every activity of this partner on this account, newest first. */
            activity_log: components["schemas"]["Activity"][];
            /** @description Changes of state and notes, oldest first; a note alone has from equal to to. changed_by holds nulls where the service itself made the change. */
            history: {
                from: components["schemas"]["SignalState"];
                to: components["schemas"]["SignalState"];
                /**
                 * @description The note of the change.
                 * @example Joint call on Thursday
                 */
                note: string | null;
                changed_by: {
                    /**
                     * @description The key of the request.
                     * @example key_01khry0x41e9tbm3v1x2c4d5f6
                     */
                    key_id: string | null;
                    /**
                     * @description Its name.
                     * @example CRM integration
                     */
                    key_name: string | null;
                    /**
                     * @description The person behind the key: the header X-Actor.
                     * @example Noor Halvorsen
                     */
                    actor: string | null;
                };
                /**
                 * Format: date-time
                 * @description When.
                 * @example 2026-03-02T09:30:00.000Z
                 */
                changed_at: string;
            }[];
        };
        /**
         * @description Something that happened; data is the resource as it was then.
         * @example {
         *       "id": "evt_01khry0x4be9tbm3v1x2c4d5f6",
         *       "event": "signal.created",
         *       "data": {
         *         "id": "sig_01khry0x45e9tbm3v1x2c4d5f6",
         *         "type": "co_sell",
         *         "state": "new",
         *         "partner": {
         *           "id": "prt_01khry0x42e9tbm3v1x2c4d5f6",
         *           "name": "Zephyr Cloud",
         *           "type": "technology_partner"
         *         },
         *         "account": {
         *           "id": "acc_01khry0x43e9tbm3v1x2c4d5f6",
         *           "name": "Harbour Mills",
         *           "crm_id": "0015e00001AbCdE"
         *         },
         *         "opportunity": {
         *           "id": "opp_01khry0x44e9tbm3v1x2c4d5f6",
         *           "name": "Harbour Mills renewal",
         *           "value": 48000,
         *           "stage": "proposal"
         *         },
         *         "fired_at": "2026-02-25T06:13:20.000Z",
         *         "recommended_action": "This week the account owner and the partner manager should plan the next call with Zephyr Cloud: the newest evidence is the joint meeting of 2026-02-24 and the deal is in the stage proposal."
         *       },
         *       "timestamp": "2026-02-25T06:13:20.417Z"
         *     }
         */
        SignalEvent: {
            id: components["schemas"]["EventId"];
            /**
             * @description What happened.
             * @enum {string}
             */
            event: "signal.created" | "signal.updated";
            data: components["schemas"]["Signal"];
            /**
             * Format: date-time
             * @description When it happened.
             * @example 2026-02-25T06:13:20.417Z
             */
            timestamp: string;
        };
        /** @example sig_01khry0x45e9tbm3v1x2c4d5f6 */
        SignalId: string;
        /**
         * @description Where the work on it stands; expired also is what has been dismissed.
         * @enum {string}
         */
        SignalState: "new" | "in_progress" | "handled" | "expired";
        /**
         * @example {
         *       "total": 36,
         *       "by_type": {
         *         "co_sell": {
         *           "new": 3,
         *           "in_progress": 3,
         *           "handled": 3,
         *           "expired": 3
         *         },
         *         "overlap": {
         *           "new": 3,
         *           "in_progress": 3,
         *           "handled": 3,
         *           "expired": 3
         *         },
         *         "pre_intent": {
         *           "new": 3,
         *           "in_progress": 3,
         *           "handled": 3,
         *           "expired": 3
         *         }
         *       }
         *     }
         */
        SignalSummary: {
            /**
             * @description All signals, of all types and states.
             * @example 36
             */
            total: number;
            by_type: {
                co_sell: components["schemas"]["SignalCounts"];
                overlap: components["schemas"]["SignalCounts"];
                pre_intent: components["schemas"]["SignalCounts"];
            };
        };
        /**
         * @description co_sell: the partner works on an open deal. overlap: the account is one of the partner’s, too. pre_intent: the partner is active where there is no deal yet.
         * @enum {string}
         */
        SignalType: "co_sell" | "overlap" | "pre_intent";
        /**
         * @example {
         *       "policy": {
         *         "attribution": {
         *           "sourced": {
         *             "lookback_days": 180,
         *             "lock_days": 14
         *           },
         *           "influenced": {
         *             "window_days": 90
         *           }
         *         },
         *         "pre_intent": {
         *           "half_life_days": 14,
         *           "threshold": 4,
         *           "weights": {
         *             "sourced": 3,
         *             "co_sell": 2,
         *             "influenced": 1
         *           },
         *           "life_days": 14
         *         }
         *       },
         *       "closed_after": "2025-12-31",
         *       "closed_before": "2026-04-01"
         *     }
         */
        SimulateAttribution: {
            policy: components["schemas"]["AttributionPolicy"];
            /**
             * @description Deals closed after this date, itself not included. YYYY-MM-DD, or a timestamp whose UTC date is used.
             * @example 2025-12-31
             */
            closed_after?: string;
            /**
             * @description Deals closed before this date, itself not included. YYYY-MM-DD, or a timestamp whose UTC date is used.
             * @example 2026-04-01
             */
            closed_before?: string;
        };
        /**
         * @description An address that events are sent to.
         * @example {
         *       "id": "whk_01khry0x4ae9tbm3v1x2c4d5f6",
         *       "url": "https://receiver.example/hooks/partner-signals",
         *       "events": [
         *         "signal.created",
         *         "attribution.created"
         *       ],
         *       "status": "enabled",
         *       "disabled_reason": null,
         *       "created_at": "2026-02-01T12:00:00.000Z",
         *       "updated_at": "2026-02-01T12:00:00.000Z"
         *     }
         */
        Webhook: {
            id: components["schemas"]["WebhookId"];
            /**
             * @description Where the events go.
             * @example https://receiver.example/hooks/partner-signals
             */
            url: string;
            /**
             * @description The kinds of event that it gets.
             * @example [
             *       "signal.created",
             *       "attribution.created"
             *     ]
             */
            events: components["schemas"]["WebhookEvent"][];
            status: components["schemas"]["WebhookStatus"];
            /**
             * @description Why it is disabled.
             * @example null
             */
            disabled_reason: string | null;
            /**
             * Format: date-time
             * @description When it was registered.
             * @example 2026-02-01T12:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed.
             * @example 2026-02-01T12:00:00.000Z
             */
            updated_at: string;
        };
        /** @enum {string} */
        WebhookEvent: "signal.created" | "attribution.created" | "attribution.updated";
        /** @example whk_01khry0x4ae9tbm3v1x2c4d5f6 */
        WebhookId: string;
        /**
         * @description disabled: nothing is sent to it.
         * @enum {string}
         */
        WebhookStatus: "enabled" | "disabled";
        ListSignalsQuery: {
            /** @description co_sell: the partner works on an open deal. overlap: the account is one of the partner’s, too. pre_intent: the partner is active where there is no deal yet. */
            type?: components["schemas"]["SignalType"];
            /** @description Where the work on it stands; expired also is what has been dismissed. */
            state?: components["schemas"]["SignalState"];
            /** @description Only signals for this partner. */
            partner_id?: string;
            /** @description Only signals for this CRM account. */
            account_id?: string;
            /**
             * @description Results per page.
             * @default 25
             */
            limit?: number;
            /** @description The `next_cursor` of the page before, with the same filters. */
            cursor?: string;
        };
        ListPartnersQuery: {
            /** @description The type of partner; gsi is a global systems integrator. */
            type?: components["schemas"]["PartnerType"];
            /** @description The tier in the partner programme, 1 is the highest. */
            tier?: components["schemas"]["PartnerTier"];
            /**
             * @description Results per page.
             * @default 25
             */
            limit?: number;
            /** @description The `next_cursor` of the page before, with the same filters. */
            cursor?: string;
        };
        ListPartnerActivitiesQuery: {
            /**
             * @description Results per page.
             * @default 25
             */
            limit?: number;
            /** @description The `next_cursor` of the page before, with the same filters. */
            cursor?: string;
        };
        ListPartnerOverlapsQuery: {
            /**
             * @description Results per page.
             * @default 25
             */
            limit?: number;
            /** @description The `next_cursor` of the page before, with the same filters. */
            cursor?: string;
        };
        ListAttributionRecordsQuery: {
            /** @description Only records of this partner. */
            partner_id?: string;
            /** @description What the partner did for the deal: sourced is the strongest, influenced the weakest. */
            tier?: components["schemas"]["AttributionTier"];
            /** @description Deals closed after this date, itself not included. YYYY-MM-DD, or a timestamp whose UTC date is used. */
            closed_after?: string;
            /** @description Deals closed before this date, itself not included. YYYY-MM-DD, or a timestamp whose UTC date is used. */
            closed_before?: string;
            /**
             * @description Results per page.
             * @default 25
             */
            limit?: number;
            /** @description The `next_cursor` of the page before, with the same filters. */
            cursor?: string;
        };
        GetAttributionSummaryQuery: {
            /** @description Only records of this partner. */
            partner_id?: string;
            /** @description What the partner did for the deal: sourced is the strongest, influenced the weakest. */
            tier?: components["schemas"]["AttributionTier"];
            /** @description Deals closed after this date, itself not included. YYYY-MM-DD, or a timestamp whose UTC date is used. */
            closed_after?: string;
            /** @description Deals closed before this date, itself not included. YYYY-MM-DD, or a timestamp whose UTC date is used. */
            closed_before?: string;
        };
        ListWebhooksQuery: {
            /**
             * @description Results per page.
             * @default 25
             */
            limit?: number;
            /** @description The `next_cursor` of the page before, with the same filters. */
            cursor?: string;
        };
        ListDeliveriesQuery: {
            /**
             * @description Results per page.
             * @default 25
             */
            limit?: number;
            /** @description The `next_cursor` of the page before, with the same filters. */
            cursor?: string;
        };
        ListEventsQuery: {
            /**
             * @description Results per page.
             * @default 25
             */
            limit?: number;
            /** @description The `next_cursor` of the page before, with the same filters. */
            cursor?: string;
        };
        IngestPartnersQuery: {
            /** @description For a first load: events are logged and delivered to nobody. */
            backfill?: boolean;
        };
        IngestAccountsQuery: {
            /** @description For a first load: events are logged and delivered to nobody. */
            backfill?: boolean;
        };
        IngestOpportunitiesQuery: {
            /** @description For a first load: events are logged and delivered to nobody. */
            backfill?: boolean;
        };
        IngestPartnerAccountsQuery: {
            /** @description For a first load: events are logged and delivered to nobody. */
            backfill?: boolean;
        };
        IngestActivitiesQuery: {
            /** @description For a first load: events are logged and delivered to nobody. */
            backfill?: boolean;
        };
        ListOrganizationsQuery: {
            /**
             * @description Results per page.
             * @default 25
             */
            limit?: number;
            /** @description The `next_cursor` of the page before, with the same filters. */
            cursor?: string;
        };
        ListApiKeysQuery: {
            /**
             * @description Results per page.
             * @default 25
             */
            limit?: number;
            /** @description The `next_cursor` of the page before, with the same filters. */
            cursor?: string;
        };
        ListAuditEntriesQuery: {
            /**
             * @description Results per page.
             * @default 25
             */
            limit?: number;
            /** @description The `next_cursor` of the page before, with the same filters. */
            cursor?: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
};
export type AccountId = components['schemas']['AccountId'];
export type AccountRow = components['schemas']['AccountRow'];
export type AccountSummary = components['schemas']['AccountSummary'];
export type AccountWithdrawal = components['schemas']['AccountWithdrawal'];
export type Activity = components['schemas']['Activity'];
export type ActivityId = components['schemas']['ActivityId'];
export type ActivityKind = components['schemas']['ActivityKind'];
export type ActivityRow = components['schemas']['ActivityRow'];
export type ActivityWithdrawal = components['schemas']['ActivityWithdrawal'];
export type ApiKey = components['schemas']['ApiKey'];
export type AttributionCreatedPayload = components['schemas']['AttributionCreatedPayload'];
export type AttributionEvent = components['schemas']['AttributionEvent'];
export type AttributionId = components['schemas']['AttributionId'];
export type AttributionPolicy = components['schemas']['AttributionPolicy'];
export type AttributionRecord = components['schemas']['AttributionRecord'];
export type AttributionRecordDetail = components['schemas']['AttributionRecordDetail'];
export type AttributionSettings = components['schemas']['AttributionSettings'];
export type AttributionSimulation = components['schemas']['AttributionSimulation'];
export type AttributionSummary = components['schemas']['AttributionSummary'];
export type AttributionTier = components['schemas']['AttributionTier'];
export type AttributionUpdatedPayload = components['schemas']['AttributionUpdatedPayload'];
export type AuditEntry = components['schemas']['AuditEntry'];
export type ChangeOrganization = components['schemas']['ChangeOrganization'];
export type ChangeSignal = components['schemas']['ChangeSignal'];
export type ChangeWebhook = components['schemas']['ChangeWebhook'];
export type ChangedBy = components['schemas']['ChangedBy'];
export type CreateApiKey = components['schemas']['CreateApiKey'];
export type CreateOrganization = components['schemas']['CreateOrganization'];
export type Delivery = components['schemas']['Delivery'];
export type DeliveryId = components['schemas']['DeliveryId'];
export type Dispute = components['schemas']['Dispute'];
export type DisputeId = components['schemas']['DisputeId'];
export type DisputeStatus = components['schemas']['DisputeStatus'];
export type Empty = components['schemas']['Empty'];
export type Error = components['schemas']['Error'];
export type ErrorCode = components['schemas']['ErrorCode'];
export type ErrorDetail = components['schemas']['ErrorDetail'];
export type Event = components['schemas']['Event'];
export type EventId = components['schemas']['EventId'];
export type Evidence = components['schemas']['Evidence'];
export type EvidenceId = components['schemas']['EvidenceId'];
export type IngestResult = components['schemas']['IngestResult'];
export type KeyId = components['schemas']['KeyId'];
export type Meta = components['schemas']['Meta'];
export type NewApiKey = components['schemas']['NewApiKey'];
export type NewWebhook = components['schemas']['NewWebhook'];
export type OpenDispute = components['schemas']['OpenDispute'];
export type OpportunityId = components['schemas']['OpportunityId'];
export type OpportunityRow = components['schemas']['OpportunityRow'];
export type OpportunitySummary = components['schemas']['OpportunitySummary'];
export type OpportunityWithdrawal = components['schemas']['OpportunityWithdrawal'];
export type Organization = components['schemas']['Organization'];
export type OrganizationId = components['schemas']['OrganizationId'];
export type Overlap = components['schemas']['Overlap'];
export type Partner = components['schemas']['Partner'];
export type PartnerAccountRow = components['schemas']['PartnerAccountRow'];
export type PartnerAccountWithdrawal = components['schemas']['PartnerAccountWithdrawal'];
export type PartnerActivity = components['schemas']['PartnerActivity'];
export type PartnerDetail = components['schemas']['PartnerDetail'];
export type PartnerId = components['schemas']['PartnerId'];
export type PartnerRow = components['schemas']['PartnerRow'];
export type PartnerSummary = components['schemas']['PartnerSummary'];
export type PartnerTier = components['schemas']['PartnerTier'];
export type PartnerType = components['schemas']['PartnerType'];
export type PartnerWithdrawal = components['schemas']['PartnerWithdrawal'];
export type Plan = components['schemas']['Plan'];
export type PreIntentSettings = components['schemas']['PreIntentSettings'];
export type RedeliverEvents = components['schemas']['RedeliverEvents'];
export type Redelivered = components['schemas']['Redelivered'];
export type RegisterWebhook = components['schemas']['RegisterWebhook'];
export type RequestId = components['schemas']['RequestId'];
export type ResolveDispute = components['schemas']['ResolveDispute'];
export type RotateWebhookSecret = components['schemas']['RotateWebhookSecret'];
export type RowError = components['schemas']['RowError'];
export type Scope = components['schemas']['Scope'];
export type ServiceStatus = components['schemas']['ServiceStatus'];
export type Settings = components['schemas']['Settings'];
export type SettingsVersion = components['schemas']['SettingsVersion'];
export type Signal = components['schemas']['Signal'];
export type SignalCounts = components['schemas']['SignalCounts'];
export type SignalCreatedPayload = components['schemas']['SignalCreatedPayload'];
export type SignalDetail = components['schemas']['SignalDetail'];
export type SignalEvent = components['schemas']['SignalEvent'];
export type SignalId = components['schemas']['SignalId'];
export type SignalState = components['schemas']['SignalState'];
export type SignalSummary = components['schemas']['SignalSummary'];
export type SignalType = components['schemas']['SignalType'];
export type SimulateAttribution = components['schemas']['SimulateAttribution'];
export type Webhook = components['schemas']['Webhook'];
export type WebhookEvent = components['schemas']['WebhookEvent'];
export type WebhookId = components['schemas']['WebhookId'];
export type WebhookStatus = components['schemas']['WebhookStatus'];
export type ListSignalsQuery = components['schemas']['ListSignalsQuery'];
export type ListPartnersQuery = components['schemas']['ListPartnersQuery'];
export type ListPartnerActivitiesQuery = components['schemas']['ListPartnerActivitiesQuery'];
export type ListPartnerOverlapsQuery = components['schemas']['ListPartnerOverlapsQuery'];
export type ListAttributionRecordsQuery = components['schemas']['ListAttributionRecordsQuery'];
export type GetAttributionSummaryQuery = components['schemas']['GetAttributionSummaryQuery'];
export type ListWebhooksQuery = components['schemas']['ListWebhooksQuery'];
export type ListDeliveriesQuery = components['schemas']['ListDeliveriesQuery'];
export type ListEventsQuery = components['schemas']['ListEventsQuery'];
export type IngestPartnersQuery = components['schemas']['IngestPartnersQuery'];
export type IngestAccountsQuery = components['schemas']['IngestAccountsQuery'];
export type IngestOpportunitiesQuery = components['schemas']['IngestOpportunitiesQuery'];
export type IngestPartnerAccountsQuery = components['schemas']['IngestPartnerAccountsQuery'];
export type IngestActivitiesQuery = components['schemas']['IngestActivitiesQuery'];
export type ListOrganizationsQuery = components['schemas']['ListOrganizationsQuery'];
export type ListApiKeysQuery = components['schemas']['ListApiKeysQuery'];
export type ListAuditEntriesQuery = components['schemas']['ListAuditEntriesQuery'];
