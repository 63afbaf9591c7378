import type { ActivityKind } from '../vocabulary.ts';
import { pickOne, type Random } from './random.ts';

/** What an activity is about, which one of an episode it is, and which episode of the dataset that is. */
type Topic = { project: string; episode: number; nth: number };

/**
 * An episode is about one team. The sentences of a kind take turns, so that an episode has none of them twice, and the next
 * episode on the same account is about another team.
 */
export function summaryOf(kind: ActivityKind, { project, episode, nth }: Topic): string {
  const sentences = templates[kind];
  const [team, contact] = teamOf(episode);
  const sentence = sentences[(episode + nth) % sentences.length] as Template;
  return sentence(project, team, contact, executiveOf(episode));
}

/** A role or a system, never a person's name. Whoever reads about an introduction wants to know whom to call. */
export function actorOf(random: Random, kind: ActivityKind, { episode }: Topic): string {
  const { by } = origins[kind];
  if (by.length > 0) return pickOne(random, by);
  return kind === 'exec_intro' ? executiveOf(episode) : teamOf(episode)[1];
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

/** Teams of a customer, and whom to call there. */
const teams: [team: string, contact: string][] = [
  ['the data platform team', 'Head of data platforms'],
  ['the procurement team', 'Head of procurement'],
  ['the plant operations team', 'Plant manager'],
  ['the infrastructure team', 'Head of infrastructure'],
  ['the finance systems team', 'Finance systems lead'],
  ['the security office', 'Security officer'],
  ['the digital commerce team', 'Head of e-commerce'],
  ['the regional IT team', 'Regional IT manager'],
  ['the supply chain team', 'Supply chain director'],
  ['the architecture group', 'Chief architect'],
  ['the customer service team', 'Head of service'],
  ['the quality team', 'Quality manager'],
  ['the logistics planning team', 'Logistics planner'],
  ['the maintenance team', 'Maintenance manager'],
  ['the reporting team', 'Head of reporting'],
  ['the legal department', 'General counsel'],
  ['the sourcing team', 'Sourcing manager'],
  ['the workplace IT team', 'Workplace IT lead'],
  ['the controlling team', 'Head of controlling'],
  ['the store operations team', 'Store operations lead'],
  ['the integration team', 'Integration lead'],
  ['the research team', 'Head of research'],
  ['the product team', 'Head of product'],
];

const executives = ['COO', 'CIO', 'CFO', 'CTO'];

/** Neighbouring episodes are about different teams. */
function teamOf(episode: number): [team: string, contact: string] {
  return teams[(5 * episode) % teams.length] as [string, string];
}

function executiveOf(episode: number): string {
  return executives[episode % executives.length] as string;
}

type Template = (project: string, team: string, contact: string, executive: string) => string;

/** Each names the team or one of its people: sentences that fit every episode would be read too often. */
const templates: Record<ActivityKind, Template[]> = {
  deal_registration: [
    (project, team) => `Registered the ${project} in the partner portal after ${team} confirmed the budget`,
    (project, team) => `Filed the ${project} with ${team} as the named buyer, decision due next quarter`,
    (project, team) => `Asked for protection on the ${project}, with scope notes from ${team} attached`,
    (project, team) => `Submitted the ${project} form; ${team} is evaluating two vendors`,
    (project, _, contact) => `Put the ${project} on record and named the ${low(contact)} as its sponsor`,
  ],
  referral: [
    (project, _, contact) => `Sent us the ${low(contact)} as a lead, who asked for help with the ${project}`,
    (project, _, contact) =>
      `Passed on a request from the ${low(contact)} for a second opinion on the ${project}`,
    (project, team) => `Recommended us to ${team} for the ${project} after finishing their own part`,
    (project, _, contact) =>
      `Handed over notes on the ${project} and the best time to call the ${low(contact)}`,
    (project, _, contact) => `Told the ${low(contact)} about our work on a similar ${project}`,
  ],
  introduction: [
    (project, _, contact) =>
      `Connected our account executive with the ${low(contact)} by email about the ${project}`,
    (project, team) => `Opened the door to ${team}, who own the ${project}`,
    (project, _, contact) => `Set up a first call with the ${low(contact)} on the ${project}`,
    (_, team) => `Brought us into their weekly call with ${team}`,
    (project, _, contact) => `Invited us and the ${low(contact)} to lunch to talk about the ${project}`,
  ],
  joint_meeting: [
    (project, team) => `Walked ${team} through the ${project} and agreed owners for the next two weeks`,
    (project, team) => `Half-day workshop on the ${project} with ${team}; open points are in the shared plan`,
    (project, team) => `Reviewed the timeline of the ${project} with ${team} on site`,
    (project, team) => `Call with ${team} to settle who delivers which part of the ${project}`,
    (project, team) => `Prepared ${team} for the steering committee of the ${project} and split the agenda`,
  ],
  exec_intro: [
    (project, team, _, executive) =>
      `Brought our CEO and the ${executive} together over the ${project} of ${team}`,
    (project, team, _, executive) => `Dinner with the ${executive}, who sponsors the ${project} of ${team}`,
    (project, team, _, executive) =>
      `Their alliance lead put our VP of sales in touch with the ${executive}, for whom ${team} runs the ${project}`,
    (project, team, _, executive) => `Arranged a call with the ${executive} and ${team} about the ${project}`,
    (project, team, _, executive) =>
      `Took the ${executive} and ${team} to a reference customer of the ${project}`,
  ],
  proposal_support: [
    (project, team) => `Wrote the services chapter of the offer to ${team} for the ${project}`,
    (project, team) => `Reviewed our pricing for the ${project} and added a delivery plan for ${team}`,
    (project, team) => `Answered twelve questions from ${team} about the ${project} for the tender`,
    (project, team) => `Supplied two reference projects and a staffing plan for the ${project} to ${team}`,
    (project, _, contact) =>
      `Went through the offer for the ${project} with the ${low(contact)}, line by line`,
  ],
  technical_validation: [
    (project, team) => `Ran the load test for the ${project} with ${team}: all targets met`,
    (project, team) => `Confirmed with ${team} that the ${project} fits their network and access rules`,
    (project, team) => `Built a proof of concept for the ${project} in the sandbox of ${team}`,
    (project, team) => `Closed the last two findings of the ${project} with ${team}`,
    (project, team) => `Led the architecture review of the ${project} with ${team}`,
    (project, team) => `Completed the security questionnaire of ${team} for the ${project}, no blocker left`,
  ],
  co_sell_share: [
    (project, _, contact) =>
      `Shared their record of the ${project} with us, with the ${low(contact)} as the contact`,
    (project, team) => `Their field seller at ${team} asked us to work the ${project} as one team`,
    (project, team) => `Sent the account plan for ${team} and their view of the ${project}`,
    (project, team) => `Accepted our invitation to the ${project} and named a seller for ${team}`,
    (project, team) => `Told us what ${team} has budgeted for the ${project}, and until when`,
  ],
  marketplace_offer: [
    (project, team) => `Drafted private terms for ${team} to buy the ${project} against committed spend`,
    (project, team) => `Extended a two-year private price for the ${project} to ${team}, valid this quarter`,
    (project, team) => `${capitalized(team)} asked for the ${project} on one cloud invoice; terms were sent`,
    (project, team) => `Revised the payment schedule of the ${project} as ${team} asked`,
    (project, _, contact) => `Got the ${low(contact)} to review the private terms for the ${project}`,
  ],
  content_touch: [
    (project, team) => `Someone from ${team} downloaded the guide to the ${project}`,
    (project, team) => `${capitalized(team)} read the case study on the ${project} twice this week`,
    (project, team) => `Three visitors from ${team} watched the recorded demo of the ${project}`,
    (project, team) => `Newsletter on the ${project} was opened and forwarded within ${team}`,
    (project, team) => `${capitalized(team)} returned to the pricing page of the ${project}`,
  ],
  event_attendance: [
    (project, team) => `Two people from ${team} joined the roundtable on the ${project}`,
    (project, team) => `${capitalized(team)} stayed for the questions after the talk on the ${project}`,
    (project, team) => `Visited the partner's stand and left a card for ${team} about the ${project}`,
    (project, team) =>
      `${capitalized(team)} signed up for the hands-on lab about the ${project} and completed it`,
    (project, _, contact) => `The ${low(contact)} spoke on a panel about the ${project}`,
  ],
  integration_usage: [
    (_, team) => `Connector calls by ${team} doubled within a week`,
    (project, team) => `${capitalized(team)} switched on the nightly sync for the ${project}`,
    (project, team) => `First production records of ${team} passed through the connector for the ${project}`,
    (project, team) => `Four new users from ${team} set up the connector as part of the ${project}`,
    (project, team) => `${capitalized(team)} connected a second data source for the ${project}`,
  ],
  marketplace_listing: [
    (project, team) => `${capitalized(team)} compared our page with two others while planning the ${project}`,
    (project, team) =>
      `${capitalized(team)} started a free trial from the cloud catalogue for the ${project}`,
    (project, team) => `Asked through the catalogue whether we cover the ${project} for ${team}`,
    (_, team) => `Saved our page to the shared purchase list of ${team}`,
    (project, team) => `${capitalized(team)} asked for a quote for the ${project} from the catalogue page`,
  ],
};

/** Where an activity is recorded, and who acts; no one if it is the customer's contact who matters. */
export const origins: Record<ActivityKind, { from: string; by: string[] }> = {
  deal_registration: { from: 'Partner portal', by: ['Partner manager', 'Partner sales lead'] },
  referral: { from: 'Partner portal', by: [] },
  introduction: { from: 'CRM', by: [] },
  joint_meeting: { from: 'CRM', by: ['Account executive', 'Solutions engineer', 'Partner manager'] },
  exec_intro: { from: 'CRM', by: [] },
  proposal_support: { from: 'CRM', by: ['Bid manager', 'Solutions engineer', 'Delivery lead'] },
  technical_validation: { from: 'CRM', by: ['Solutions engineer', 'Cloud architect', 'Security architect'] },
  co_sell_share: { from: 'Partner portal', by: ['Partner sales lead', 'Partner development manager'] },
  marketplace_offer: { from: 'Marketplace', by: ['Marketplace manager', 'Deal desk'] },
  content_touch: { from: 'Marketing', by: ['Marketing automation', 'Field marketing'] },
  event_attendance: { from: 'Marketing', by: ['Field marketing', 'Event team'] },
  integration_usage: { from: 'Product telemetry', by: ['Product telemetry', 'Customer success manager'] },
  marketplace_listing: { from: 'Marketplace', by: ['Marketplace manager', 'Marketplace feed'] },
};

/** "Head of procurement" inside a sentence; "IT" stays as it is. */
function low(contact: string): string {
  return contact.charAt(0).toLowerCase() + contact.slice(1);
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
