import type { ActivityKind } from '../vocabulary.ts';
import { pickOne, type Random } from './random.ts';

export function summaryOf(random: Random, kind: ActivityKind, project: string): string {
  return pickOne(random, templates[kind])(project, pickOne(random, teams));
}

/** What deals and activities are about. */
export const projects = [
  'data platform migration',
  'warehouse analytics rollout',
  'identity consolidation',
  'order tracking pilot',
  'store systems refresh',
  'disaster recovery program',
  'billing modernization',
  'demand forecasting project',
  'customer portal rebuild',
  'plant monitoring rollout',
  'network renewal',
  'field service app',
  'supplier data exchange',
  'contact center move',
];

const teams = [
  'the data platform team',
  'the procurement team',
  'the plant operations team',
  'the infrastructure team',
  'the finance systems team',
  'the security office',
  'the digital commerce team',
  'the regional IT team',
  'the supply chain team',
  'the architecture group',
];

type Template = (project: string, team: string) => string;

const templates: Record<ActivityKind, Template[]> = {
  deal_registration: [
    (project, team) => `Registered the ${project} in the partner portal after ${team} confirmed the budget`,
    (project, team) => `Filed the ${project} with ${team} as the named buyer, decision due next quarter`,
    (project) => `Asked for protection on the ${project}, with scope notes and a draft timeline attached`,
    (project, team) => `Submitted the ${project} form; ${team} is evaluating two vendors`,
  ],
  referral: [
    (project, team) => `Sent us ${team} as a lead: they asked for help with the ${project}`,
    (project, team) => `Passed on a request from ${team} for a second opinion on the ${project}`,
    (project) => `Recommended us for the ${project} after finishing their own part of the program`,
    (project, team) => `Handed over notes on the ${project} and the best time to call ${team}`,
  ],
  introduction: [
    (project, team) => `Connected our account executive with ${team} by email about the ${project}`,
    (project, team) => `Opened the door to ${team}, who own the ${project}`,
    (project, team) => `Set up a first call with ${team} on the ${project}`,
    (_, team) => `Brought us into their weekly call with ${team}`,
  ],
  joint_meeting: [
    (project, team) => `Walked ${team} through the ${project} and agreed owners for the next two weeks`,
    (project, team) => `Half-day workshop on the ${project} with ${team}; open points are in the shared plan`,
    (project, team) => `Reviewed the timeline of the ${project} with ${team} on site`,
    (project, team) => `Call with ${team} to settle who delivers which part of the ${project}`,
    (project) => `Prepared the steering committee for the ${project} together and split the agenda`,
  ],
  exec_intro: [
    (project) => `Their managing partner brought our CEO and the customer's COO together over the ${project}`,
    (project) => `Dinner with the customer's CIO, who sponsors the ${project}`,
    (project) => `Their alliance lead put our VP of sales in touch with the sponsor of the ${project}`,
    (project) => `Board-level call about the ${project}, arranged by their regional president`,
  ],
  proposal_support: [
    (project, team) => `Wrote the services chapter of the offer to ${team} for the ${project}`,
    (project) => `Reviewed our pricing for the ${project} and added a delivery plan`,
    (project, team) => `Answered twelve questions from ${team} about the ${project} for the tender`,
    (project) => `Supplied two reference projects and a staffing plan for the ${project}`,
  ],
  technical_validation: [
    (project, team) => `Ran the load test for the ${project} with ${team}: all targets met`,
    (project, team) => `Confirmed with ${team} that the ${project} fits their network and access rules`,
    (project) => `Built a proof of concept for the ${project} in the customer's sandbox`,
    (project, team) => `Closed the last two findings of the ${project} with ${team}`,
    (project, team) => `Led the architecture review of the ${project} with ${team}`,
    (project) => `Completed the security questionnaire for the ${project}, no blocker left`,
  ],
  co_sell_share: [
    (project, team) => `Shared their record of the ${project} with us, with ${team} as the contact`,
    (project) => `Their field seller asked us to work the ${project} as one team`,
    (project, team) => `Sent the account plan for ${team} and their view of the ${project}`,
    (project) => `Accepted our invitation to the ${project} and named a seller for it`,
  ],
  marketplace_offer: [
    (project, team) => `Drafted private terms for ${team} to buy the ${project} against committed spend`,
    (project) => `Extended a two-year private price for the ${project}, valid to the end of the quarter`,
    (project, team) => `${capitalized(team)} asked for the ${project} on one cloud invoice; terms were sent`,
    (project) => `Revised the payment schedule of the private terms for the ${project}`,
  ],
  content_touch: [
    (project, team) => `Someone from ${team} downloaded the guide to the ${project}`,
    (project, team) => `${capitalized(team)} read the case study on the ${project} twice this week`,
    (project) => `Three visitors from the account watched the recorded demo of the ${project}`,
    (project, team) => `Newsletter on the ${project} was opened and forwarded within ${team}`,
  ],
  event_attendance: [
    (project, team) => `Two people from ${team} joined the roundtable on the ${project}`,
    (project, team) => `${capitalized(team)} stayed for the questions after the talk on the ${project}`,
    (project, team) => `Visited the partner's stand and left a card for ${team} about the ${project}`,
    (project) => `Signed up for the hands-on lab about the ${project} and completed it`,
  ],
  integration_usage: [
    (_, team) => `Connector calls by ${team} doubled within a week`,
    (project, team) => `${capitalized(team)} switched on the nightly sync for the ${project}`,
    (project) => `First production records passed through the connector for the ${project}`,
    (project) => `Four new users set up the connector as part of the ${project}`,
  ],
  marketplace_listing: [
    (project, team) => `${capitalized(team)} compared our page with two others while planning the ${project}`,
    (project) => `Started a free trial from the cloud catalogue for the ${project}`,
    (project, team) => `Asked through the catalogue whether we cover the ${project} for ${team}`,
    (_, team) => `Saved our page to the shared purchase list of ${team}`,
  ],
};

/** Where an activity is recorded, and who acts: a role or a system, never a person's name. */
export const origins: Record<ActivityKind, { from: string; by: string[] }> = {
  deal_registration: { from: 'Partner portal', by: ['Partner manager', 'Partner sales lead'] },
  referral: { from: 'Partner portal', by: ['Partner manager', 'Delivery lead', 'Practice lead'] },
  introduction: { from: 'CRM', by: ['Partner manager', 'Client partner', 'Alliance lead'] },
  joint_meeting: { from: 'CRM', by: ['Account executive', 'Solutions engineer', 'Partner manager'] },
  exec_intro: { from: 'CRM', by: ['Alliance lead', 'Regional president', 'Managing partner'] },
  proposal_support: { from: 'CRM', by: ['Bid manager', 'Solutions engineer', 'Delivery lead'] },
  technical_validation: { from: 'CRM', by: ['Solutions engineer', 'Cloud architect', 'Security architect'] },
  co_sell_share: { from: 'Partner portal', by: ['Partner sales lead', 'Partner development manager'] },
  marketplace_offer: { from: 'Marketplace', by: ['Marketplace manager', 'Deal desk'] },
  content_touch: { from: 'Marketing', by: ['Marketing automation', 'Field marketing'] },
  event_attendance: { from: 'Marketing', by: ['Field marketing', 'Event team'] },
  integration_usage: { from: 'Product telemetry', by: ['Product telemetry', 'Customer success manager'] },
  marketplace_listing: { from: 'Marketplace', by: ['Marketplace manager', 'Marketplace feed'] },
};

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
