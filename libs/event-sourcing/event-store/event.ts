/** A new fact, not yet in the log. `data` holds JSON values only; an int64 in it is a decimal string. */
export interface DomainEvent<Type extends string = string, Data extends object = object> {
  readonly type: Type;
  readonly data: Data;
}

/** Who and what caused an event. */
export interface EventMetadata {
  /** The API key's id as `api-key-7`; the user and the host for the command line, such as `alice@shop-1`; `system` for the service itself. */
  readonly actor: string;
  readonly requestId?: string;
  readonly correlationId?: string;
  readonly causationId?: string;
  /** The `traceparent` of the trace or the client, if there is one (https://www.w3.org/TR/trace-context/). */
  readonly traceparent?: string;
}

/** Where an event is in the log, since when, and who caused it. */
interface LogEntry {
  /** Place in the log, ascending in commit order from 1. */
  readonly position: bigint;
  readonly stream: string;
  /** Place in the stream, from 1 without gaps. */
  readonly version: number;
  readonly eventId: string;
  readonly schemaVersion: number;
  readonly metadata: EventMetadata;
  /** To the millisecond. Along the log it never goes back. */
  readonly recordedAt: Date;
}

/** An event of the log, upcast to the newest schema version of its type. */
export type RecordedEvent<Event extends DomainEvent = DomainEvent> = Event extends DomainEvent ? LogEntry & Event : never;

/** An event type as the store knows it. */
export interface EventDefinition {
  /** Stable name, such as `pet-added`; never a class name. */
  readonly type: string;
  /** The schema version written today, from 1. */
  readonly schemaVersion: number;
  /** `upcasters[n]` turns data of schema version n into n + 1. One for each older version. */
  readonly upcasters?: Readonly<Record<number, (data: never) => object>>;
  /** Members of `data` that are never shown outside the store's own readers, such as a key's hash. */
  readonly secrets?: readonly string[];
}

/** The event types of all modules. */
export class EventRegistry {
  private readonly definitions = new Map<string, EventDefinition>();

  /** @throws Error if a type is defined twice or an upcaster is missing. */
  constructor(definitions: readonly EventDefinition[] = []) {
    for (const definition of definitions) {
      if (this.definitions.has(definition.type)) throw new Error(`Event type ${definition.type} is defined twice.`);
      for (let version = 1; version < definition.schemaVersion; version += 1) {
        if (!definition.upcasters?.[version]) throw new Error(`Event type ${definition.type} has no upcaster from version ${version}.`);
      }
      this.definitions.set(definition.type, definition);
    }
  }

  /** Returns all types that this build knows, in the order of the modules. */
  types(): readonly string[] {
    return [...this.definitions.keys()];
  }

  /** @throws Error for a type that is not registered. */
  getSchemaVersion(type: string): number {
    const definition = this.definitions.get(type);
    if (!definition) throw new Error(`Event type ${type} is not registered.`);
    return definition.schemaVersion;
  }

  /** Converts stored data to the newest schema version of this build; returns unknown or newer types as they are. */
  upcast(type: string, schemaVersion: number, data: object): { schemaVersion: number; data: object } {
    const definition = this.definitions.get(type);
    if (!definition || schemaVersion >= definition.schemaVersion) return { schemaVersion, data };
    let current = data;
    for (let version = schemaVersion; version < definition.schemaVersion; version += 1) {
      const upcaster = definition.upcasters?.[version];
      if (upcaster) current = upcaster(current as never);
    }
    return { schemaVersion: definition.schemaVersion, data: current };
  }

  /**
   * Returns the members of an event's data that are not secret; none if that cannot be known: for a type of a newer build, and for a
   * newer schema version of a type that has secrets.
   */
  withoutSecrets({ type, schemaVersion, data }: Pick<RecordedEvent, 'type' | 'schemaVersion' | 'data'>): object {
    const definition = this.definitions.get(type);
    if (!definition) return {};
    const { secrets } = definition;
    if (!secrets) return data;
    if (schemaVersion > definition.schemaVersion) return {};
    return Object.fromEntries(Object.entries(data).filter(([member]) => !secrets.includes(member)));
  }
}

/** Type of a member of an event's data: an int64 is decimal digits in a text, a time an ISO text; a list of words allows one of them. */
export type EventMember = 'text' | 'text | null' | 'int64' | 'number' | 'boolean' | 'time' | 'time | null' | 'text[]' | readonly string[];

/** The members of an event's data by name. One whose name ends in `?` may be absent. */
export type EventData = Readonly<Record<string, EventMember>>;

/** The form in which an event leaves the service, which is kept while the stored form may change. */
export interface PublishedForm {
  /** Its published type, such as `pet.added`: the category of its streams, and what happened. */
  readonly as: string;
  /** The version of the form of its data, from 1. Another form is another version. */
  readonly version: number;
  /** A sentence for receivers. */
  readonly description: string;
}

/** An event type of a module. */
interface ModuleEventDefinition extends Omit<EventDefinition, 'type'> {
  readonly data: EventData;
  /** Its published form; false if it never leaves the service. */
  readonly published: PublishedForm | false;
}

/** The event types of a module by their stable names, such as `pet-added`, with the form of their data as it is written today. */
export type EventDefinitions = Readonly<Record<string, ModuleEventDefinition>>;

type MemberValue<Member> = Member extends 'number'
  ? number
  : Member extends 'boolean'
    ? boolean
    : Member extends 'text[]'
      ? readonly string[]
      : Member extends readonly (infer Word)[]
        ? Word
        : Member extends 'text | null' | 'time | null'
          ? string | null
          : string;

type DataOf<Data> = { readonly [Name in keyof Data as Name extends `${string}?` ? never : Name]: MemberValue<Data[Name]> } & {
  readonly [Name in keyof Data as Name extends `${infer Optional}?` ? Optional : never]?: MemberValue<Data[Name]> | undefined;
};

/** The events that definitions, written `as const`, describe; one type of them when named. */
export type EventsOf<Definitions extends EventDefinitions, Type extends keyof Definitions & string = keyof Definitions & string> = {
  [Each in Type]: DomainEvent<Each, DataOf<Definitions[Each]['data']>>;
}[Type];

type ReadValue<Member> = Member extends 'int64' ? bigint : Member extends 'time' ? Date : MemberValue<Member>;

/** Data of an event as the code has it: an int64 as bigint, a time as Date. */
type ReadData<Form> = { readonly [Name in keyof Form as Name extends `${string}?` ? never : Name]: ReadValue<Form[Name]> } & {
  readonly [Name in keyof Form as Name extends `${infer Optional}?` ? Optional : never]?: ReadValue<Form[Name]>;
};

type WrittenData<Values> = {
  readonly [Name in keyof Values]: Values[Name] extends bigint | Date | undefined
    ? string | Extract<Values[Name], undefined>
    : Values[Name];
};

/** Returns values as the data of an event has them: bigints as digits and dates as ISO texts. */
export function writeEventData<Values extends object>(values: Values): WrittenData<Values> {
  const write = (value: unknown) => (typeof value === 'bigint' ? value.toString() : value instanceof Date ? value.toISOString() : value);
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, write(value)])) as WrittenData<Values>;
}

/**
 * Returns the given members of an event's data as the code has them, without those of a newer build.
 * @param form of the definition of the event
 */
export function readEventData<Form extends EventData>(form: Form, data: object): ReadData<Form> {
  const given = data as Readonly<Record<string, unknown>>;
  const values: Record<string, unknown> = {};
  for (const [member, type] of Object.entries(form)) {
    const name = member.endsWith('?') ? member.slice(0, -1) : member;
    if (given[name] !== undefined) values[name] = readMember(type, given[name]);
  }
  return values as ReadData<Form>;
}

function readMember(type: EventMember, value: unknown): unknown {
  if (type === 'int64') return BigInt(value as string);
  return type === 'time' ? new Date(value as string) : value;
}

/** The names of the types that definitions describe. */
export function listEventTypes<Definitions extends EventDefinitions>(events: Definitions): (keyof Definitions & string)[] {
  return Object.keys(events);
}

/** The definitions as the registry takes them. */
export function listEventDefinitions(events: EventDefinitions): EventDefinition[] {
  return Object.entries(events).map(([type, definition]) => ({ type, ...definition }));
}

/** The rules of an aggregate as pure functions. Time and ids come in with the command. */
export interface Decider<State, Command, Event extends DomainEvent> {
  readonly initialState: State;
  /** Returns the events that follow from the command; none if nothing changes. @throws ApplicationError if it is refused */
  decide(command: Command, state: State): readonly Event[];
  /** Returns a new state; the one before is shared and must not change. */
  evolve(state: State, event: Event): State;
}

/** The part of a decider from which states follow. */
export type Evolution<State, Event extends DomainEvent> = Pick<Decider<State, never, Event>, 'initialState' | 'evolve'>;

/** Folds the events of one stream, in order. `evolve` ignores events of a newer build. */
export function foldEvents<State, Event extends DomainEvent>(
  { evolve, initialState }: Evolution<State, Event>,
  events: readonly DomainEvent[],
): State {
  return (events as readonly Event[]).reduce(evolve, initialState);
}

/** Returns the number in a stream's name, such as 17 in `pet-17`. */
export function parseStreamNumber(stream: string): bigint {
  return BigInt(stream.slice(stream.lastIndexOf('-') + 1));
}

/** Folds the events with which one stream began, perhaps of a newer build. @returns the number in the stream's name, and its state */
export function foldNewStream<State, Event extends DomainEvent>(
  decider: Evolution<State, Event>,
  events: readonly RecordedEvent[],
): { readonly id: bigint; readonly state: State } {
  const [first] = events;
  if (!first) throw new Error('The event store gave back no event of the new stream.');
  return { id: parseStreamNumber(first.stream), state: foldEvents(decider, events) };
}

/** The state of a stream after all of its events, and how many there are. */
export interface StreamState<State> {
  readonly state: State;
  readonly version: number;
}
