import {
  bodyOf,
  idIn,
  type AddAttempt,
  type Addition,
  type FinalState,
  type History,
  type StoredEvent,
  type StoredKey,
} from './history.js';

const MOST_NAMED = 20;
// It says that the request is still being worked on, not that it was refused.
const IN_PROGRESS = 409;

/** An animal of the log. */
interface AddedPet {
  readonly id: string;
  readonly position: bigint;
  readonly body: string;
  /** With the status that it was given last. */
  readonly latestBody: string;
}

/**
 * Compares what clients saw with what is there. `othersAdded` names what was added by others than these clients.
 * @returns one sentence for each thing that must not be; of those of a kind at most twenty.
 */
export function checkHistory(history: History, state: FinalState, othersAdded: ReadonlySet<string> = new Set()): string[] {
  const added = addedPets(state.events);
  const checks = [
    checkAcknowledged(history.adds, added),
    checkRepetitions(history.adds),
    checkSingleness(history.adds, added, othersAdded),
    checkRefused(history.adds, added),
    checkWholeness(history.adds, added, state.keys),
    checkStatuses(history),
    checkReads(history),
    checkOrder(history.adds, added),
    checkLog(state.events),
    ...checkTable(state, added),
    ...checkList(state),
    state.problems.map((problem) => `events verify: ${problem}`),
  ];
  return checks.flatMap((violations) => [...violations].slice(0, MOST_NAMED));
}

/** Every acknowledged animal is in the log, and its answer has the bytes that it was given. */
function* checkAcknowledged(adds: readonly AddAttempt[], added: ReadonlyMap<string, readonly AddedPet[]>): Generator<string> {
  for (const { addition, text } of acknowledged(adds)) {
    const id = idIn(text) ?? '?';
    if (text !== bodyOf(id, addition)) yield `${addition.name} was acknowledged as ${text}`;
    const stored = added.get(addition.name)?.find((pet) => pet.id === id);
    if (!stored) yield `${addition.name} was acknowledged with id ${id} and is not in the log`;
    else if (stored.body !== text) yield `${addition.name} was acknowledged as ${text} and is in the log as ${stored.body}`;
  }
}

/** All acknowledgements of one animal are the same, and only the first may be no replay. */
function* checkRepetitions(adds: readonly AddAttempt[]): Generator<string> {
  const first = new Map<string, string>();
  for (const { addition, text, replayed } of acknowledged(adds)) {
    const { idempotencyKey: key = addition.name } = addition;
    const before = first.get(key);
    if (before !== undefined && before !== text) yield `${addition.name} was acknowledged as ${before} and then as ${text}`;
    if (before !== undefined && !replayed) yield `${addition.name} was acknowledged a second time as if it had been the first`;
    first.set(key, before ?? text);
  }
}

/** However often it was sent, no animal is there twice, and none that nobody sent. */
function* checkSingleness(
  adds: readonly AddAttempt[],
  added: ReadonlyMap<string, readonly AddedPet[]>,
  othersAdded: ReadonlySet<string>,
): Generator<string> {
  const sent = new Set([...adds.map(({ addition }) => addition.name), ...othersAdded]);
  const ids = new Set<string>();
  for (const [name, pets] of added) {
    if (!sent.has(name)) yield `${name} is in the log and nobody added it`;
    if (pets.length > 1) yield `${name} is in the log ${pets.length} times: ids ${pets.map(({ id }) => id).join(', ')}`;
    for (const { id } of pets) {
      if (ids.has(id)) yield `id ${id} was given out twice`;
      ids.add(id);
    }
  }
}

/** What was refused left nothing behind. */
function* checkRefused(adds: readonly AddAttempt[], added: ReadonlyMap<string, readonly AddedPet[]>): Generator<string> {
  for (const { addition, outcome } of adds) {
    if (outcome.kind !== 'answered' || outcome.status < 400 || outcome.status >= 500 || outcome.status === IN_PROGRESS) continue;
    if (added.has(addition.name)) yield `${addition.name} was refused with ${outcome.status} and is in the log`;
  }
}

/**
 * Whatever was answered: an animal is there with the key that it was sent with, which stands for its event and no other, or neither
 * is; and what no service may take is not.
 */
function* checkWholeness(
  adds: readonly AddAttempt[],
  added: ReadonlyMap<string, readonly AddedPet[]>,
  keys: readonly StoredKey[],
): Generator<string> {
  const stored = new Map(keys.map((key) => [key.key, key]));
  for (const { name, idempotencyKey, valid } of new Set(adds.map(({ addition }) => addition))) {
    const pet = added.get(name)?.[0];
    if (!valid) {
      if (pet) yield `${name} is in the log and must not be taken`;
      continue;
    }
    if (idempotencyKey === undefined) continue;
    const key = stored.get(idempotencyKey);
    if (pet && !key) yield `${name} is in the log and its key is not stored`;
    else if (key && !pet) yield `the key of ${name} is stored and the animal is not in the log`;
    else if (key && pet && (key.firstPosition !== pet.position || key.lastPosition !== pet.position)) {
      yield `the key of ${name} stands for events ${key.firstPosition} to ${key.lastPosition} and not for event ${pet.position}`;
    }
  }
}

/** Nothing was answered but what such a request may get. */
function* checkStatuses({ adds, reads }: History): Generator<string> {
  for (const { addition, outcome } of adds) {
    if (outcome.kind === 'unknown') continue;
    const right = addition.valid ? [201, IN_PROGRESS] : [400, 422];
    if (!right.includes(outcome.status)) yield `adding ${addition.name} was answered with ${outcome.status}: ${outcome.text}`;
  }
  for (const { id, outcome } of reads) {
    if (outcome.kind === 'answered' && outcome.status !== 200) {
      yield `reading ${id} after its acknowledgement was answered with ${outcome.status}`;
    }
  }
}

/** A read that began after the acknowledgement shows the animal. */
function* checkReads({ reads }: History): Generator<string> {
  for (const { id, expected, outcome } of reads) {
    if (outcome.kind === 'answered' && outcome.status === 200 && outcome.text !== expected) {
      yield `reading ${id} gave ${outcome.text} in place of ${expected}`;
    }
  }
}

/** An animal whose request began after another was acknowledged stands after it in the log, and has a greater id. */
function* checkOrder(adds: readonly AddAttempt[], added: ReadonlyMap<string, readonly AddedPet[]>): Generator<string> {
  const placed = acknowledged(adds).flatMap(({ addition, begun, ended, replayed }) => {
    const pet = added.get(addition.name)?.[0];
    // A replay tells nothing about when the animal was added first.
    return pet && !replayed ? [{ name: addition.name, begun, ended, pet }] : [];
  });
  const byEnd = placed.toSorted((one, other) => one.ended - other.ended);
  let ended = 0;
  let latest: (typeof placed)[number] | undefined;
  for (const current of placed.toSorted((one, other) => one.begun - other.begun)) {
    for (let next = byEnd[ended]; next && next.ended < current.begun; next = byEnd[ended]) {
      if (!latest || next.pet.position > latest.pet.position) latest = next;
      ended += 1;
    }
    if (!latest) continue;
    if (current.pet.position <= latest.pet.position || BigInt(current.pet.id) <= BigInt(latest.pet.id)) {
      yield `${current.name} was begun after ${latest.name} was acknowledged and stands before it in the log`;
    }
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
    if (petId(event) <= id) yield `id ${petId(event)} follows id ${id}`;
    id = petId(event);
  }
}

/** The table below the list and the log show the same animals. What is stale on one side is a kind of its own, so that it hides no gap. */
function checkTable({ rows }: FinalState, added: ReadonlyMap<string, readonly AddedPet[]>): Iterable<string>[] {
  const bodies = [...added.values()].flat().map(({ latestBody }) => latestBody);
  return [missing('the table', rows, 'the log', bodies), missing('the log', bodies, 'the table', rows)];
}

/** The list that a client walks by cursor shows what the table has, in its order. */
function checkList({ rows, listed }: FinalState): Iterable<string>[] {
  return [missing('the list', listed, 'the table', rows), missing('the table', rows, 'the list', listed), checkListOrder({ rows, listed })];
}

function* checkListOrder({ rows, listed }: Pick<FinalState, 'rows' | 'listed'>): Generator<string> {
  if (listed.length !== rows.length) yield `the list shows ${listed.length} animals and the table has ${rows.length}`;
  if (listed.some((body, index) => body !== rows[index])) yield 'the list is not in the order of the table';
}

/** What one side has and the other has not. */
function* missing(side: string, bodies: readonly string[], otherSide: string, otherBodies: readonly string[]): Generator<string> {
  const others = new Set(otherBodies);
  for (const body of new Set(bodies)) if (!others.has(body)) yield `${side} has ${body} and ${otherSide} has not`;
}

function acknowledged(adds: readonly AddAttempt[]) {
  return adds.flatMap(({ outcome, ...attempt }) =>
    outcome.kind === 'answered' && outcome.status === 201 ? [{ ...attempt, text: outcome.text, replayed: outcome.replayed }] : [],
  );
}

/** By name: what was added, and how often. */
function addedPets(events: readonly StoredEvent[]): Map<string, AddedPet[]> {
  const statuses = latestStatuses(events);
  const added = new Map<string, AddedPet[]>();
  for (const event of events) {
    if (event.type !== 'pet-added') continue;
    const data = JSON.parse(event.data) as Pick<Addition, 'name' | 'categoryId' | 'status'>;
    const id = petId(event).toString();
    const pet = {
      id,
      position: event.position,
      body: bodyOf(id, data),
      latestBody: bodyOf(id, { ...data, ...statuses.get(event.stream) }),
    };
    added.set(data.name, [...(added.get(data.name) ?? []), pet]);
  }
  return added;
}

/** By stream: the status that an animal was given after it was added. */
function latestStatuses(events: readonly StoredEvent[]): Map<string, Pick<Addition, 'status'>> {
  const set = events.filter(({ type }) => type === 'pet-status-set');
  return new Map(set.map(({ stream, data }) => [stream, JSON.parse(data) as { status: string }]));
}

function petId({ stream }: StoredEvent): bigint {
  return BigInt(stream.slice('pet-'.length));
}
