import { load, FailedRequestsError, NUMBER } from '../load/load.mjs';
import { processorSecondsOfConnections } from '../contestants/postgres.mjs';
import { processorSeconds } from '../contestants/processor-time.mjs';

// If other work on the machine leaves the database too little, it answers too late, and the turn says nothing.
const ATTEMPTS = 5;

/**
 * Loads servers in turns, so that all see the same machine, and checks their answers before and after each turn.
 * @param contestants servers, each with the `request` it gets, or a function that gives the request of a turn of so many seconds, and
 *   `check(answer)`, which throws for a wrong one, and `prepare(server)`, called before each of its turns, where there is one. The first and last of a request's numbers are for the answers that are checked.
 * @returns by name: requests a second and processor time of server and database per request, medians of the rounds, and each round
 */
export async function compare(contestants, { rounds, seconds, connections }) {
  const measured = new Map(contestants.map(({ server }) => [server.name, []]));
  for (const contestant of contestants) await turn(contestant, { seconds: Math.min(2, seconds), connections });
  for (let round = 0; round < rounds; round += 1) {
    for (const contestant of round % 2 === 0 ? contestants : contestants.toReversed()) {
      measured.get(contestant.server.name).push(await turn(contestant, { seconds, connections }));
    }
  }
  return new Map([...measured].map(([name, turns]) => [name, new Measured(turns)]));
}

/** Takes a turn, again a few times at most if requests failed. */
async function turn(contestant, options) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await takeTurn(contestant, options);
    } catch (error) {
      if (!(error instanceof FailedRequestsError) || attempt === ATTEMPTS) throw error;
      console.log(`Taken again: ${error.message}`);
    }
  }
}

async function takeTurn({ server, request, check, prepare }, options) {
  await prepare?.(server);
  const given = typeof request === 'function' ? request(options.seconds) : request;
  const target = { ...given, url: server.origin + given.path };
  const { numbers } = target;
  await checkResponse(target, numbers?.first, check);
  const before = await secondsOf(server);
  const { rate, requests, p99 } = await load(
    numbers ? { ...target, numbers: { first: numbers.first + 1, last: numbers.last - 1 } } : target,
    options,
  );
  const microseconds = (((await secondsOf(server)) - before) / requests) * 1e6;
  await checkResponse(target, numbers?.last, check);
  await server.clearLog?.();
  return { rate, microseconds, p99 };
}

/** Processor time of a server, together with that of its connections at PostgreSQL. */
async function secondsOf({ pid, database }) {
  return (await processorSeconds(pid)) + (database === undefined ? 0 : await processorSecondsOfConnections(database));
}

/** Sends the request, with its number or its first variant, and checks the response. */
async function checkResponse({ url, method, headers, body, variants }, number, check) {
  const given = { body: number === undefined ? body : body.replace(NUMBER, number), ...variants?.[0] };
  const response = await fetch(url, { method, headers, body: given.body });
  await check({ status: response.status, headers: response.headers, text: await response.text() });
}

/** The turns of one server. */
export class Measured {
  constructor(turns) {
    this.turns = turns;
    this.rate = median(turns.map(({ rate }) => rate));
    this.microseconds = median(turns.map(({ microseconds }) => microseconds));
    this.p99 = median(turns.map(({ p99 }) => p99));
  }

  /** Requests a second as a share of another's, in the same rounds. */
  shareOf(other) {
    return median(this.sharesOf(other));
  }

  /** The same of each round. */
  sharesOf(other) {
    return this.turns.map(({ rate }, round) => rate / other.turns[round].rate);
  }

  /** The same for requests in a second of the processor time of server and database, which other work on the machine hardly changes. */
  workShareOf(other) {
    return median(this.workSharesOf(other));
  }

  /** The same of each round. */
  workSharesOf(other) {
    return this.turns.map(({ microseconds }, round) => other.turns[round].microseconds / microseconds);
  }
}

export function median(values) {
  const sorted = values.toSorted((left, right) => left - right);
  return (sorted[Math.floor((sorted.length - 1) / 2)] + sorted[Math.ceil((sorted.length - 1) / 2)]) / 2;
}
