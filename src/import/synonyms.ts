import type { ActivityKind, OpportunityStatus, PartnerType, Relationship } from '../vocabulary.ts';

/**
 * Words in CRM exports that can only mean one of our values. A word that two companies could use differently ("Gold",
 * "Intro", "POC", "Webinar") does not belong here: the importer asks about it. Compared with `plain`.
 */
export const synonyms: {
  type: Partial<Record<PartnerType, string[]>>;
  kind: Partial<Record<ActivityKind, string[]>>;
  relationship: Partial<Record<Relationship, string[]>>;
  status: Partial<Record<OpportunityStatus, string[]>>;
} = {
  type: {
    gsi: [
      'Global System Integrator',
      'Global Systems Integrator',
      'System Integrator',
      'Systems Integrator',
      'SI',
    ],
    hyperscaler: ['Cloud Provider', 'Cloud'],
    technology_partner: ['Technology', 'ISV', 'Independent Software Vendor'],
    solution_provider: [
      'Solution',
      'Reseller',
      'Value Added Reseller',
      'VAR',
      'MSP',
      'Managed Service Provider',
    ],
  },
  kind: {
    deal_registration: ['Deal Reg', 'Registered Deal'],
    referral: ['Partner Referral', 'Customer Referral'],
    exec_intro: ['Executive Intro', 'Executive Introduction', 'Exec Introduction'],
    joint_meeting: ['Joint Customer Meeting'],
  },
  relationship: {
    customer: [
      ...['Customer - Direct', 'Customer - Channel', 'Existing Customer', 'Evangelist'],
      ...['Kunde', 'Bestandskunde', 'Client', 'Cliente', 'Klant', 'Kund'],
    ],
    open_opportunity: ['Opportunity', 'Open Opp', 'Open Deal'],
    prospect: ['Lead', 'Marketing Qualified Lead', 'Sales Qualified Lead', 'Subscriber', 'Interessent'],
  },
  status: {
    open: ['Offen', 'In Progress'],
    won: ['Closed Won', 'Gewonnen', 'Gagné', 'Ganado', 'Ganada'],
    lost: ['Closed Lost', 'Verloren', 'Perdu', 'Perdido', 'Perdida'],
  },
};

/** Default stages of CRMs that nobody uses for closed deals. */
export const openStages = [
  // Salesforce
  ...['Prospecting', 'Qualification', 'Needs Analysis', 'Value Proposition', 'Id. Decision Makers'],
  ...['Perception Analysis', 'Proposal/Price Quote', 'Negotiation/Review'],
  // HubSpot
  ...['Appointment Scheduled', 'Qualified To Buy', 'Presentation Scheduled', 'Decision Maker Bought-In'],
  'Contract Sent',
  // Pipedrive, Dynamics, Zoho
  ...['Lead In', 'Contact Made', 'Demo Scheduled', 'Proposal Made', 'Negotiations Started', 'Qualified'],
  ...['Qualify', 'Develop', 'Propose', 'Identify Decision Makers', 'Proposal/Quote'],
  // What most pipelines share
  ...['Open', 'New', 'Discovery', 'Demo', 'Evaluation', 'Proposal', 'Quote', 'Negotiation'],
];
