export type Company = { name: string; slug: string };

/** The nth invented company: names are unique, and get a number only when the words are used up. */
export function companyName(n: number, offset: number): Company {
  const code = (n * stride + offset) % wordCompanies;
  const root = roots[code % roots.length] as string;
  const ending = endings[Math.floor(code / roots.length) % endings.length] as string;
  const trade = trades[Math.floor(code / roots.length / endings.length)] as string;
  return company([`${root}${ending}`, trade], Math.floor(n / wordCompanies));
}

export function partnerName(n: number, offset: number, trade: string): Company {
  const code = (n * stride + offset) % wordPartners;
  const tool = tools[code % tools.length] as string;
  const place = places[Math.floor(code / tools.length)] as string;
  return company([tool, place, trade], Math.floor(n / wordPartners));
}

function company(words: string[], round: number): Company {
  if (round > 0) words.push(String(round + 1));
  return { name: words.join(' '), slug: words.join('-').toLowerCase().replaceAll(' ', '-') };
}

const roots =
  `Alder Amber Aspen Birch Bramble Briar Bracken Cedar Clover Copper Coral Cinder Dapple Elder Ember Fallow Fern Flax
  Gorse Hazel Heather Heron Hollow Ivory Juniper Kestrel Larch Lark Laurel Linden Lumen Maple Marigold Marl Meadow
  Mistle Moss Nettle Oaken Ochre Opal Orchard Osprey Otter Pebble Pepper Pine Plover Poppy Quill Quince Raven Reed
  Rowan Russet Saffron Sedge Sorrel Spruce Swift Tansy Teal Thistle Thyme Tulip Umber Velvet Willow Wren Yarrow`.split(
    /\s+/,
  );

const endings =
  `beck bourne bury combe croft dale fell ford garth gill holm hurst keld leigh mead mere moor rigg shaw stead thorpe
  thwaite wick wold wyke`.split(/\s+/);

const trades =
  `Aviation Bakeries Bank Biologics Brewing Ceramics Chemicals Clinics Components Dairy Diagnostics Energy Farms Foods
  Freight Furniture Glass Health Hotels Instruments Insurance Learning Logistics Marine Media Metals Mobility Mutual
  Optics Outfitters Packaging Paper Pharma Power Press Properties Rail Retail Robotics Shipping Sports Steel Studios
  Telecom Textiles Timber Travel Water`.split(/\s+/);

const tools =
  `Anvil Bellows Bobbin Chisel Cobalt Compass Crane Ferry Flint Gable Harrow Hinge Kiln Lantern Ledger Lever Mortar
  Pewter Plumb Rivet Sextant Spindle Tiller Trellis Windlass`.split(/\s+/);

const places = 'Bridge Court Gate Lane Lock Mill Pier Quay Row Square Tower Wharf Yard'.split(' ');

const wordCompanies = roots.length * endings.length * trades.length;
const wordPartners = tools.length * places.length;

/** A prime, so that its multiples reach every combination once; the words of neighbours then differ. */
const stride = 51_407;
