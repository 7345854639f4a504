import { bodyOf, codeOf, idIn, isToBeRepeated } from './history.js';
import type {
  Addition,
  Attempt,
  Creation,
  FinalState,
  History,
  MoveAttempt,
  Ordering,
  Outcome,
  StoredEvent,
  StoredKey,
  Told,
} from './history.js';
import { ordersOf, type LoggedOrder } from './logged-orders.js';

const MOST_NAMED = 20;
const REFUSALS = { approve: 'order_not_placed', deliver: 'order_not_approved', cancel: 'order_not_open' };
const TARGETS = { approve: 'approved', deliver: 'delivered', cancel: 'cancelled' };

/** What was made, as the log has it. */
interface Made<Sent> {
  readonly id: string;
  readonly name: string;
  /** What its maker was told. */
  readonly body: string;
  readonly position: bigint;
  /** Whether it is what such a request asks for. */
  isFor(sent: Sent): boolean;
  /** Whether the stored key of its request stands for its events. */
  hasKey(key: StoredKey): boolean;
}

/** Everything of one kind that clients made, and what is right of it. */
interface Kind<Sent extends Creation> {
  readonly attempts: readonly Attempt<Sent>[];
  readonly made: readonly Made<Sent>[];
  readonly keys: readonly StoredKey[];
  /** Whether that may be answered for good, other than with 201. */
  isRefusal(sent: Sent, outcome: Extract<Outcome, { kind: 'answered' }>): boolean;
}

/**
 * Compares what clients saw with what is there. `othersAdded` names the animals that were added by others than these clients.
 * @returns one sentence for each thing that must not be; of those of a kind at most twenty.
 */
export function checkHistory(history: History, state: FinalState, othersAdded: ReadonlySet<string> = new Set()): string[] {
  const { events, keys } = state;
  const { adds, orders: attempts = [], moves = [] } = history;
  const { orders, violations } = ordersOf(events);
  const pets: Kind<Addition> = {
    attempts: adds,
    made: addedPets(events),
    keys,
    isRefusal: ({ valid }, { status }) => !valid && [400, 422].includes(status),
  };
  const ordered: Kind<Ordering> = {
    attempts,
    made: [...orders].map(placedOrder),
    keys,
    isRefusal: (_, { status, text }) => status === 409 && codeOf(text) === 'pet_not_available',
  };
  const checks = [
    ...checksOf(pets, othersAdded),
    ...checksOf(ordered),
    checkReads(history),
    checkOrder(adds, pets.made),
    checkMoves(moves, orders),
    checkLog(events),
    violations,
    ...checkTold('animals', state.pets, latestBodies(events)),
    ...checkTold(
      'orders',
      state.orders,
      [...orders.values()].map(({ bodies }) => bodies.at(-1) ?? ''),
    ),
    state.problems.map((problem) => `events verify: ${problem}`),
  ];
  return checks.flatMap((found) => [...found].slice(0, MOST_NAMED));
}

function checksOf<Sent extends Creation>(kind: Kind<Sent>, others: ReadonlySet<string> = new Set()): Iterable<string>[] {
  const byName = new Map<string, Made<Sent>[]>();
  for (const one of kind.made) byName.set(one.name, [...(byName.get(one.name) ?? []), one]);
  return [
    checkAcknowledged(kind, byName),
    checkRepetitions(kind),
    checkSingleness(kind, byName, others),
    checkWholeness(kind, byName),
    checkStatuses(kind, byName),
  ];
}

type ByName<Sent> = ReadonlyMap<string, readonly Made<Sent>[]>;

/** Everything that was acknowledged is in the log as it was asked for, and its answer has those bytes. */
function* checkAcknowledged<Sent extends Creation>({ attempts }: Kind<Sent>, made: ByName<Sent>): Generator<string> {
  for (const { sent, text } of acknowledged(attempts)) {
    const id = idIn(text) ?? '?';
    const stored = made.get(sent.name)?.find((one) => one.id === id);
    if (!stored) yield `${sent.name} was acknowledged with id ${id} and is not in the log`;
    else if (stored.body !== text || !stored.isFor(sent)) {
      yield `${sent.name} was acknowledged as ${text} and is in the log as ${stored.body}`;
    }
  }
}

/** All acknowledgements of one request are the same, and only the first may be no replay. */
function* checkRepetitions<Sent extends Creation>({ attempts }: Kind<Sent>): Generator<string> {
  const first = new Map<string, string>();
  for (const { sent, text, replayed } of acknowledged(attempts)) {
    const { idempotencyKey: key = sent.name } = sent;
    const before = first.get(key);
    if (before !== undefined && before !== text) yield `${sent.name} was acknowledged as ${before} and then as ${text}`;
    if (before !== undefined && !replayed) yield `${sent.name} was acknowledged a second time as if it had been the first`;
    first.set(key, before ?? text);
  }
}

/** However often it was sent, nothing is there twice, and nothing that nobody sent. */
function* checkSingleness<Sent extends Creation>(
  { attempts }: Kind<Sent>,
  made: ByName<Sent>,
  others: ReadonlySet<string>,
): Generator<string> {
  const sent = new Set([...attempts.map((attempt) => attempt.sent.name), ...others]);
  for (const [name, ofName] of made) {
    if (!sent.has(name)) yield `${name} is in the log and nobody sent it`;
    if (ofName.length > 1) yield `${name} is in the log ${ofName.length} times: ids ${ofName.map(({ id }) => id).join(', ')}`;
  }
}

/**
 * Whatever was answered: it is there with the key that it was sent with, which stands for its events and no others, or neither is; and what
 * no service may take is not.
 */
function* checkWholeness<Sent extends Creation>({ attempts, keys }: Kind<Sent>, made: ByName<Sent>): Generator<string> {
  const stored = new Map(keys.map((key) => [key.key, key]));
  for (const { name, idempotencyKey, valid } of new Set(attempts.map(({ sent }) => sent))) {
    const there = made.get(name)?.[0];
    if (there && !valid) yield `${name} is in the log and must not be taken`;
    if (idempotencyKey === undefined || !valid) continue;
    const key = stored.get(idempotencyKey);
    if (there && !key) yield `${name} is in the log and its key is not stored`;
    else if (key && !there) yield `the key of ${name} is stored and it is not in the log`;
    else if (key && there?.hasKey(key) === false) {
      yield `the key of ${name} stands for events ${key.firstPosition} to ${key.lastPosition} and not for those of event ${there.position}`;
    }
  }
}

/** Nothing was answered but what such a request may get, and what was refused left nothing behind. */
function* checkStatuses<Sent extends Creation>({ attempts, isRefusal }: Kind<Sent>, made: ByName<Sent>): Generator<string> {
  for (const { sent, outcome } of attempts) {
    if (outcome.kind === 'unknown' || isToBeRepeated(outcome) || (sent.valid && outcome.status === 201)) continue;
    if (!isRefusal(sent, outcome)) yield `${sent.name} was answered with ${outcome.status}: ${outcome.text}`;
    if (made.has(sent.name)) yield `${sent.name} was refused with ${outcome.status} and is in the log`;
  }
}

/** A read that began after the acknowledgement shows the animal. */
function* checkReads({ reads = [] }: History): Generator<string> {
  for (const { id, expected, outcome } of reads) {
    if (outcome.kind === 'answered' && (outcome.status !== 200 || outcome.text !== expected)) {
      yield `reading ${id} after its acknowledgement gave ${outcome.status} ${outcome.text} in place of ${expected}`;
    }
  }
}

/** An animal whose request began after another was acknowledged stands after it in the log, and has a greater id. */
function* checkOrder(adds: readonly Attempt<Addition>[], made: readonly Made<Addition>[]): Generator<string> {
  const byName = new Map(made.map((pet) => [pet.name, pet]));
  const placed = acknowledged(adds).flatMap(({ sent, begun, ended, replayed }) => {
    const pet = byName.get(sent.name);
    // A replay tells nothing about when the animal was added first.
    return pet && !replayed ? [{ begun, ended, pet }] : [];
  });
  const byEnd = placed.toSorted((one, other) => one.ended - other.ended);
  let ended = 0;
  let latest: Made<Addition> | undefined;
  for (const { begun, pet } of placed.toSorted((one, other) => one.begun - other.begun)) {
    for (let next = byEnd[ended]; next && next.ended < begun; next = byEnd[ended]) {
      if (!latest || next.pet.position > latest.position) latest = next.pet;
      ended += 1;
    }
    if (latest && (pet.position <= latest.position || BigInt(pet.id) <= BigInt(latest.id))) {
      yield `${pet.name} was begun after ${latest.name} was acknowledged and stands before it in the log`;
    }
  }
}

/** What a client was told of an order that it moved is what the log had then, and where it wanted it. */
function* checkMoves(moves: readonly MoveAttempt[], orders: ReadonlyMap<string, LoggedOrder>): Generator<string> {
  for (const { orderId, move, outcome } of moves) {
    if (outcome.kind === 'unknown' || isToBeRepeated(outcome)) continue;
    const { status, text } = outcome;
    const isMoved = orders.get(orderId)?.bodies.includes(text) && text.includes(`"status":"${TARGETS[move]}"`);
    const isRight = status === 200 ? isMoved : status === 409 && codeOf(text) === REFUSALS[move];
    if (!isRight) yield `to ${move} order ${orderId} was answered with ${status}: ${text}`;
  }
}

/** Positions and ids ascend, and the versions of each stream have no gap. */
function* checkLog(events: readonly StoredEvent[]): Generator<string> {
  const versions = new Map<string, bigint>();
  let position = 0n;
  let id = 0n;
  for (const event of events) {
    if (event.position <= position) yield `position ${event.position} follows position ${position}`;
    position = event.position;
    const expected = (versions.get(event.stream) ?? 0n) + 1n;
    if (event.version !== expected) yield `stream ${event.stream} has version ${event.version} in place of ${expected}`;
    versions.set(event.stream, event.version);
    if (event.type !== 'pet-added') continue;
    if (BigInt(petId(event)) <= id) yield `id ${petId(event)} follows id ${id}`;
    id = BigInt(petId(event));
  }
}

/** The list that a client walks by cursor, the table below it and the log show the same, in the same order. */
function checkTold(what: string, { rows, listed }: Told, logged: readonly string[]): Iterable<string>[] {
  return [differences(`the table of ${what}`, rows, 'the log', logged), differences(`the list of ${what}`, listed, 'the table', rows)];
}

function* differences(left: string, leftBodies: readonly string[], right: string, rightBodies: readonly string[]): Generator<string> {
  for (let index = 0; index < Math.max(leftBodies.length, rightBodies.length); index += 1) {
    const [here, there] = [leftBodies[index], rightBodies[index]];
    if (here !== there) yield `${left} has ${here ?? 'nothing'} where ${right} has ${there ?? 'nothing'}`;
  }
}

function acknowledged<Sent extends Creation>(attempts: readonly Attempt<Sent>[]) {
  return attempts.flatMap(({ outcome, ...attempt }) =>
    outcome.kind === 'answered' && outcome.status === 201 ? [{ ...attempt, text: outcome.text, replayed: outcome.replayed }] : [],
  );
}

function addedPets(events: readonly StoredEvent[]): Made<Addition>[] {
  return events.flatMap((event) => {
    if (event.type !== 'pet-added') return [];
    const { position } = event;
    const id = petId(event);
    const data = JSON.parse(event.data) as Addition;
    const body = bodyOf(id, data);
    return {
      ...{ id, name: data.name, body, position },
      isFor: (sent) => body === bodyOf(id, sent),
      hasKey: ({ firstPosition, lastPosition }) => firstPosition === position && lastPosition === position,
    };
  });
}

/** The animals in the order in which they were added, with the status that each was given last. */
function latestBodies(events: readonly StoredEvent[]): string[] {
  const latest = new Map<string, Addition>();
  for (const { stream, type, data } of events) {
    if (/^pet-(?:added|status-set)$/.test(type)) latest.set(stream, { ...latest.get(stream), ...(JSON.parse(data) as Addition) });
  }
  return [...latest].map(([stream, data]) => bodyOf(petId({ stream }), data));
}

function placedOrder([
  id,
  {
    latest,
    position,
    bodies: [body = ''],
  },
]: readonly [string, LoggedOrder]): Made<Ordering> {
  return {
    ...{ id, name: latest.note ?? '', body, position },
    isFor: (sent) => sent.petId === latest.petId,
    // Its reservation stands behind it; before it may stand the end of an order that had expired.
    hasKey: ({ firstPosition, lastPosition }) => firstPosition <= position && lastPosition === position + 1n,
  };
}

function petId({ stream }: Pick<StoredEvent, 'stream'>): string {
  return stream.slice('pet-'.length);
}
