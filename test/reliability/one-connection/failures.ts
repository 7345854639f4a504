import { STARTUP } from '../../databases/postgres-messages.js';
import type { Fault, PassingMessage } from '../../databases/postgres-proxy.fixture.js';

const MOST_CHARACTERS = 30;

/** A message of a write, by its place among those that the same sender sends for it. */
export interface Place extends Pick<PassingMessage, 'from' | 'type' | 'text'> {
  readonly number: number;
}

/** What becomes of a connection, and at which message. */
export interface Failure {
  readonly place: Place;
  readonly fault: Fault;
}

/** Counts the messages of each sender. */
export function placing(): (message: PassingMessage) => Place {
  const seen = { client: 0, server: 0 };
  return ({ from, type, text }) => ({ from, type, text, number: (seen[from] += 1) });
}

/** Whether a failure is to strike at a message that stands there. An error strikes where the server may answer with it. */
export function isReached({ place, fault }: Failure, here: Place): boolean {
  if (typeof fault === 'object') return here.from === 'client' && sqlstatesAt(here).includes(fault.sqlstate);
  return here.from === place.from && here.number === place.number;
}

/** Names a failure. */
export function describeFailure({ place: { from, number, type, text }, fault }: Failure): string {
  const what = typeof fault === 'string' ? fault : fault.sqlstate;
  return `${what} at message ${number} of the ${from} (${[type, text.slice(0, MOST_CHARACTERS)].filter(Boolean).join(' ')})`;
}

/** How many failures of each kind are drawn. */
export interface Draws {
  readonly cut: number;
  readonly stall: number;
  readonly refused: number;
}

/** Draws from all failures that there may be at these places. @param random draws a number from 0 to 1, below 1 */
export function drawFailures(places: readonly Place[], { cut, stall, refused }: Draws, random: () => number): Failure[] {
  const everywhere = (fault: Fault) => places.map((place) => ({ place, fault }));
  const refusals = places.flatMap((place) => sqlstatesAt(place).map((sqlstate) => ({ place, fault: { sqlstate } })));
  return [...draw(everywhere('cut'), cut, random), ...draw(everywhere('stall'), stall, random), ...draw(refusals, refused, random)];
}

/** With which errors the server may answer there; a statement inside of a transaction only fails that, which other suites look at. */
function sqlstatesAt({ type, text }: Place): readonly string[] {
  if (type === STARTUP) return ['53300', '55000', '57P03'];
  return /^[QP]$/.test(type) && /^(?:BEGIN|START)\b/.test(text) ? ['57014'] : [];
}

function draw<Item>(items: readonly Item[], count: number, random: () => number): Item[] {
  const left = [...items];
  const drawn: Item[] = [];
  while (left.length > 0 && drawn.length < count) drawn.push(...left.splice(Math.floor(random() * left.length), 1));
  return drawn;
}
